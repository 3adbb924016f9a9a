#!/usr/bin/env node
/**
 * `npm start`: builds what is stale and opens the window: with Electron where its runtime is (or can be fetched), else
 * the same application through the local server in a browser's app window, else the default browser; on a machine with
 * no display the address is printed. `--browser` skips Electron, `--no-open` opens nothing, `--port N` chooses the port.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findChromium } from './find-chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const hasDisplay =
  process.platform === 'win32' ||
  process.platform === 'darwin' ||
  Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
/** Chromium's own sandbox can not be used by root; everybody else keeps it. */
const sandboxArgs = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const mayOpen = !args.includes('--no-open') && hasDisplay;

const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

const runtime = mayOpen && !args.includes('--browser') ? findElectron() : null;
if (runtime) startElectron(runtime);
else startServer();

function startElectron(file) {
  const passed = args.filter((word) => !['--browser', '--no-open'].includes(word));
  const child = spawn(file, [...sandboxArgs, root, ...passed], { cwd: root, stdio: 'inherit' });
  child.on('error', (error) => {
    console.log(`Electron does not start (${error.message}); opening in a browser instead.`);
    startServer();
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
}

function startServer() {
  const at = args.indexOf('--port');
  const port = at >= 0 ? args[at + 1] : '0';
  const server = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'serve', '--port', port ?? '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let opened = false;
  createInterface({ input: server.stdout }).on('line', (line) => {
    console.log(line);
    if (opened || !line.startsWith('http://127.0.0.1:')) return;
    opened = true;
    if (mayOpen) openWindow(line);
    else console.log('Open this address in a browser on this machine.');
  });
  server.on('exit', (code) => {
    process.exitCode = code ?? 0;
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
}

/** A window without the browser's bars where a Chromium is, else a tab of the default browser. */
function openWindow(url) {
  const chromium = findChromium();
  const [command, commandArgs] = chromium
    ? [chromium, [...sandboxArgs, '--window-size=1440,900', `--app=${url}`]]
    : process.platform === 'win32'
      ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
      : process.platform === 'darwin'
        ? ['open', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, commandArgs, { detached: true, stdio: 'ignore' });
  const give = () => console.log('No browser could be opened; open the address above in one on this machine.');
  child.on('error', give);
  // A browser that is open already takes the address over and ends with 0.
  child.on('exit', (code) => code !== 0 && give());
  child.unref();
}

/** The Electron executable; fetched when its package can. Null, after one line that says so, when there is none. */
function findElectron() {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const names = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  };
  const name = names[process.platform] ?? 'electron';
  if (override) {
    const file = join(override, name);
    if (existsSync(file)) return file;
    console.log(`No Electron in ELECTRON_OVERRIDE_DIST_PATH (${override}); opening in a browser instead.`);
    return null;
  }
  let folder;
  try {
    folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  } catch {
    console.log('The electron package is not installed; opening in a browser instead.');
    return null;
  }
  const installed = () => {
    const pathFile = join(folder, 'path.txt');
    const file = existsSync(pathFile) ? join(folder, 'dist', readFileSync(pathFile, 'utf8').trim()) : '';
    return file !== '' && existsSync(file) ? file : null;
  };
  const file = installed();
  if (file) return file;
  console.log('Fetching the Electron runtime (once) ...');
  // Its messages would be a page of stack; what matters fits in one line.
  const fetched = spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 300_000 });
  const now = fetched.status === 0 ? installed() : null;
  if (!now) console.log('The Electron runtime is not here and can not be fetched; opening in a browser instead.');
  return now;
}
