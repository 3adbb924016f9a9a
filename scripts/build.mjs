#!/usr/bin/env node
/**
 * `npm run build [part ...]`: builds what is stale of `renderer`, `cli` and `electron` into dist/. A part is fresh when
 * the files it is made from are the ones of its last build. `--force` builds all the same.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const common = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];
const parts = {
  cli: { from: ['shared', 'electron', 'cli'], result: 'dist/cli/main.js', build: buildCli },
  electron: { from: ['shared', 'electron'], result: 'dist/electron/main.js', build: buildElectron },
  renderer: {
    from: ['shared', 'renderer', 'vite.config.ts'],
    result: 'dist/renderer/index.html',
    build: buildRenderer,
  },
};

/** Bundled CommonJS packages ask for Node's own modules by `require`, which a module does not have. */
const requireForBundledCommonJs =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";
const nodeOptions = {
  bundle: true,
  // Some packages offer a form for bundlers besides one that asks for its parts at run time.
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'external',
  logLevel: 'warning',
  plugins: [withoutForeignMessages(), withoutUnusedSpawn()],
};

process.chdir(root);
const asked = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const force = process.argv.includes('--force');
const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const release = await lockBuilds();
try {
  for (const name of asked.length > 0 ? asked : Object.keys(parts)) await buildWhenStale(name);
} finally {
  release();
}

async function buildWhenStale(name) {
  const { from, result, build } = parts[name];
  const mark = `dist/.fresh/${name}`;
  const state = fingerprint([...common, ...from]);
  if (!force && existsSync(result) && existsSync(mark) && readFileSync(mark, 'utf8') === state) return;
  const startedMs = performance.now();
  rmSync(mark, { force: true });
  await build();
  mkdirSync('dist/.fresh', { recursive: true });
  writeFileSync(mark, state);
  console.log(`built ${name} in ${Math.round(performance.now() - startedMs)} ms`);
}

/**
 * The program's frame and `list` are CommonJS in two files, which Node starts soonest; every other command is a module
 * that is not even read until it is called, with the chunks that it shares with others.
 */
async function buildCli() {
  const { build } = await import('esbuild');
  rmSync('dist/cli', { recursive: true, force: true });
  const modules = readdirSync('cli/commands')
    .filter((base) => base !== 'list.ts')
    .map((base) => `cli/commands/${base}`);
  modules.push('cli/chain-by-name.ts');
  await build({
    ...nodeOptions,
    entryPoints: ['cli/main.ts'],
    outdir: 'dist/cli',
    format: 'cjs',
    plugins: [leaveFiles({ 'cli/start.ts': './start.js' })],
  });
  await build({
    ...nodeOptions,
    entryPoints: ['cli/start.ts'],
    outdir: 'dist/cli',
    format: 'cjs',
    plugins: [
      ...nodeOptions.plugins,
      leaveFiles(Object.fromEntries(modules.map((file) => [file, `./parts/${basename(file, '.ts')}.mjs`]))),
    ],
  });
  await build({
    ...nodeOptions,
    entryPoints: modules.map((file) => ({ in: file, out: basename(file, '.ts') })),
    outdir: 'dist/cli/parts',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: requireForBundledCommonJs },
  });
  writeFileSync('dist/cli/package.json', '{ "type": "commonjs" }\n');
  writeFileSync('dist/cli/parts/package.json', '{ "type": "module" }\n');
  chmodSync('dist/cli/main.js', 0o755);
}

async function buildElectron() {
  const { build } = await import('esbuild');
  rmSync('dist/electron', { recursive: true, force: true });
  await build({
    ...nodeOptions,
    entryPoints: { main: 'electron/main.ts' },
    outdir: 'dist/electron',
    format: 'esm',
    external: ['electron'],
    banner: { js: requireForBundledCommonJs },
  });
  // A sandboxed preload can only be CommonJS.
  await build({
    ...nodeOptions,
    entryPoints: ['electron/preload.ts'],
    outfile: 'dist/electron/preload.cjs',
    format: 'cjs',
    external: ['electron'],
  });
}

/**
 * The command line library loads Node's child processes, and with them its network, for a kind of command that we have
 * none of: files that it would start as programs. That is a tenth of a short command's time.
 */
function withoutUnusedSpawn() {
  return {
    name: 'without-unused-spawn',
    setup(build) {
      build.onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
        /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'no-spawn' } : null,
      );
      build.onLoad({ filter: /.*/, namespace: 'no-spawn' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
}

/** Leaves imports of some source files to run time, under the names that these have when they are built. */
function leaveFiles(builtNames) {
  return {
    name: 'leave-files',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
        if (kind !== 'dynamic-import' && kind !== 'require-call') return null;
        const source = relative(root, join(resolveDir, path.replace(/\.js$/, '.ts'))).replaceAll('\\', '/');
        const built = builtNames[source];
        return built === undefined ? null : { path: built, external: true };
      });
    },
  };
}

/** The schema library brings its messages in fifty languages; ours come from our own texts, English stays as it is. */
function withoutForeignMessages() {
  return {
    name: 'without-foreign-messages',
    setup(build) {
      build.onResolve({ filter: /locales\/index\.js$/ }, ({ importer }) =>
        /[\\/]zod[\\/]/.test(importer) ? { path: 'none', namespace: 'no-messages' } : null,
      );
      build.onLoad({ filter: /.*/, namespace: 'no-messages' }, () => ({ contents: 'export {};' }));
    },
  };
}

async function buildRenderer() {
  const { build } = await import('vite');
  await build({ configFile: 'vite.config.ts', logLevel: 'warn' });
}

/** Two builds at once (a start and a test) would write into each other's folders; the second one waits. */
async function lockBuilds() {
  mkdirSync('dist', { recursive: true });
  const file = 'dist/.building';
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      const remove = () => rmSync(file, { force: true });
      process.on('exit', remove);
      return remove;
    } catch (thrown) {
      if (thrown.code !== 'EEXIST') throw thrown;
      const owner = Number(readOr(file, '0'));
      if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
      else await delay(100);
    }
  }
}

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown.code === 'EPERM';
  }
}

function fingerprint(places) {
  const hash = createHash('sha256');
  for (const place of places) addTo(hash, join(root, place));
  return hash.digest('hex');
}

function addTo(hash, path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return;
  if (info.isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
    return;
  }
  if (/\.test\.tsx?$/.test(path)) return;
  hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
}
