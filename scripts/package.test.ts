import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repo = resolve(import.meta.dirname, '..');
const packaged = JSON.parse(readFileSync(join(repo, 'package.json'), 'utf8')) as { version: string; main: string };
/** What Electron's own executable holds in front of its switches; see the fuses page of its documentation. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuses = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyAsar',
  'ownSnapshot',
  'fileProtocolPrivileges',
] as const;

let folder: string;
let app: string;
let archive: Map<string, { unpacked: boolean; bytes: Buffer }>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-'));
  const runtime = join(folder, 'runtime');
  mkdirSync(join(runtime, 'resources'), { recursive: true });
  mkdirSync(join(runtime, 'locales'));
  // As it comes from Electron: everything that we turn off is on and the other way about.
  writeFileSync(
    join(runtime, 'electron'),
    Buffer.concat([Buffer.from(`#!/bin/sh\n# ${sentinel}`), Buffer.from([1, 9]), Buffer.from('101100011\n')]),
  );
  chmodSync(join(runtime, 'electron'), 0o755);
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html']) writeFileSync(join(runtime, name), '45.5.0');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/package.mjs', '--linux', 'dir', `-c.directories.output=${join(folder, 'release')}`],
    { cwd: repo, encoding: 'utf8', env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: runtime } },
  );
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  app = join(folder, 'release/linux-unpacked');
  archive = readArchive(join(app, 'resources/app.asar'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Node {
  readonly files?: Readonly<Record<string, Node>>;
  readonly size?: number;
  readonly offset?: string;
  readonly unpacked?: boolean;
}

/** The files of an asar archive: a JSON header with sizes and places, then the bytes. */
function readArchive(file: string): Map<string, { unpacked: boolean; bytes: Buffer }> {
  const all = readFileSync(file);
  const headerBytes = all.readUInt32LE(4);
  const header = JSON.parse(all.subarray(16, 16 + all.readUInt32LE(12)).toString()) as Node;
  const files = new Map<string, { unpacked: boolean; bytes: Buffer }>();
  const walk = (node: Node, path: string) => {
    for (const [name, inner] of Object.entries(node.files ?? {})) {
      const at = path === '' ? name : `${path}/${name}`;
      if (inner.files !== undefined) walk(inner, at);
      else {
        const start = 8 + headerBytes + Number(inner.offset ?? 0);
        const bytes = inner.unpacked === true ? Buffer.alloc(0) : all.subarray(start, start + (inner.size ?? 0));
        files.set(at, { unpacked: inner.unpacked === true, bytes });
      }
    }
  };
  walk(header, '');
  return files;
}

describe('the package', () => {
  it('holds the built program, the page, the command line and the samples, and nothing else', () => {
    const names = [...archive.keys()];
    for (const needed of [
      'package.json',
      'LICENSE',
      packaged.main,
      'dist/electron/preload.cjs',
      'dist/renderer/index.html',
      'dist/cli/main.js',
      'assets/actions.json',
      'assets/samples/chains/sample-linear.json',
      'assets/samples/skills/sample-word-count/scripts/main.py',
    ]) {
      expect(names).toContain(needed);
    }
    const tops = new Set(names.map((name) => name.split('/').slice(0, 2).join('/')));
    expect(
      [...tops].filter((top) => !/^(package\.json|LICENSE|assets\/|dist\/(electron|renderer|cli)$)/.test(top)),
    ).toEqual([]);
    expect(names.filter((name) => /node_modules|\.map$|\.test\.|\.tsx?$/.test(name))).toEqual([]);
    expect(archive.get(packaged.main)?.bytes.toString()).toBe(readFileSync(join(repo, packaged.main), 'utf8'));
  });

  it('has beside the archive what other programs read, and its command line works without anything else', () => {
    const outside = join(app, 'resources/app.asar.unpacked');
    for (const [name, { unpacked }] of archive) {
      expect([name, unpacked]).toEqual([name, /^(assets\/|dist\/cli\/|package\.json$)/.test(name)]);
      if (unpacked) expect(existsSync(join(outside, name))).toBe(true);
    }
    const env = { PATH: process.env['PATH'], HOME: folder, SKILL_SUB_HOME: join(folder, 'data') };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(outside, 'dist/cli/main.js'), ...args], { cwd: folder, env, encoding: 'utf8' });
    expect(run('--version').stdout).toBe(`${packaged.version}\n`);
    expect(run('list', '--json')).toMatchObject({ status: 0, stdout: '[]\n', stderr: '' });
    expect(run('validate', 'nobody')).toMatchObject({ status: 4, stdout: '' });
  });

  it('has its switches set: no Node mode, no options from outside, nothing but the checked archive', () => {
    const executable = readFileSync(join(app, 'skill-chain-studio'));
    const start = executable.indexOf(sentinel) + sentinel.length + 2;
    const states = [...executable.subarray(start, start + fuses.length).toString()].map((sign) => sign === '1');
    expect(Object.fromEntries(fuses.map((name, at) => [name, states[at]]))).toEqual({
      runAsNode: false,
      cookieEncryption: true,
      nodeOptions: false,
      nodeCliInspect: false,
      asarIntegrity: true,
      onlyAsar: true,
      ownSnapshot: false,
      fileProtocolPrivileges: false,
    });
  });
});

it('a runtime that is not there is said before anything is built', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/package.mjs'], {
    cwd: repo,
    encoding: 'utf8',
    env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nothing') },
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`ELECTRON_OVERRIDE_DIST_PATH names a folder that is not there: ${join(folder, 'nothing')}`);
});
