import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../electron/services/processes/test-processes.ts';

const repo = resolve(import.meta.dirname, '..');
const hasElectron = existsSync(join(repo, 'node_modules/electron/path.txt'));
const address = /^(http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64})$/m;

let folder: string;
let running: ChildProcess[];

beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: repo, encoding: 'utf8' });
  expect([built.status, built.stderr]).toEqual([0, '']);
}, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  running = [];
});
afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** `npm start` in a home of its own. `prints` resolves when the output matches. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(repo, 'scripts/start.mjs'), ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SKILL_SUB_HOME: join(folder, 'data'),
      // Fetching the runtime fails at once.
      ELECTRON_MIRROR: 'http://127.0.0.1:1/',
      ...env,
    },
    stdio: 'pipe',
  });
  running.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      child.emit('printed');
    });
  }
  const prints = (pattern: RegExp) =>
    new Promise<string>((found, failed) => {
      const look = () => {
        const match = pattern.exec(said);
        if (match !== null) found(match[1] ?? match[0]);
      };
      child.on('printed', look);
      child.once('close', () => failed(new Error(`ended without ${pattern}: ${said}`)));
      look();
    });
  const ended = new Promise<{ code: number | null; said: string }>((done) =>
    child.once('close', (code) => done({ code, said })),
  );
  return { child, prints, ended };
}

/** A program that writes down its arguments and its process number, then ends with `exitCode`. */
function recorder(name: string, exitCode = 0): { file: string; args(): string[] } {
  const file = join(folder, name);
  const record = `${file}.args`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(
    file,
    `#!/bin/sh\nfor word in "$@"; do echo "$word"; done > '${record}.part'\nmv '${record}.part' '${record}'\nexit ${exitCode}\n`,
  );
  chmodSync(file, 0o755);
  return { file, args: () => readFileSync(record, 'utf8').trimEnd().split('\n') };
}

describe('npm start', () => {
  it('with --no-open prints the address of the real page, opens nothing, and ends with its server', async () => {
    const browser = recorder('browser');
    const { child, prints, ended } = start(['--no-open'], { DISPLAY: ':9', CHROMIUM_PATH: browser.file });
    const url = new URL(await prints(address));
    await prints(/Open this address in a browser on this machine\./);
    const page = await (await fetch(url.origin)).text();
    expect(page).toBe(readFileSync(join(repo, 'dist/renderer/index.html'), 'utf8'));
    const info = await fetch(`${url.origin}/rpc/app/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${url.hash.slice('#token='.length)}` },
      body: '{}',
    });
    expect(await info.json()).toMatchObject({ json: { data_home: join(folder, 'data'), first_start: true } });
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
    await expect(fetch(url.origin)).rejects.toThrow();
    expect(existsSync(`${browser.file}.args`)).toBe(false);
  });

  it('prints the address on a machine without a display, at the port that is asked for', async () => {
    const first = start([]);
    const { port } = new URL(await first.prints(address));
    await first.prints(/Open this address/);
    first.child.kill('SIGTERM');
    await first.ended;
    const second = start(['--port', port]);
    expect(new URL(await second.prints(address)).port).toBe(port);
    const third = await start(['--port', port]).ended;
    expect(third.code).toBe(2);
    expect(third.said).toContain('EADDRINUSE');
  });

  it('opens an app window of a Chromium browser when it is told to use one', async () => {
    const browser = recorder('browser');
    const { prints } = start(['--browser'], { DISPLAY: ':9', CHROMIUM_PATH: browser.file });
    const url = await prints(address);
    await vi.waitFor(() => expect(browser.args()).toEqual(windowArgs(url)), { timeout: 10_000 });
  });

  it('starts the Electron runtime that is named, with this program and what was asked for', async () => {
    const electron = recorder('runtime/electron', 7);
    const { ended } = start(['--chain', 'my chain'], {
      DISPLAY: ':9',
      ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'runtime'),
    });
    expect(await ended).toEqual({ code: 7, said: '' });
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    expect(electron.args()).toEqual([...sandbox, `${repo}/`, '--chain', 'my chain']);
  });

  it('ends the runtime when it is told to end', async () => {
    const file = join(folder, 'runtime/electron');
    mkdirSync(join(folder, 'runtime'));
    writeFileSync(file, '#!/bin/sh\necho "up $$"\nexec sleep 1000\n');
    chmodSync(file, 0o755);
    const env = { DISPLAY: ':9', ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'runtime') };
    const { child, prints, ended } = start([], env);
    const pid = Number(await prints(/^up (\d+)$/m));
    expect(isRunning(pid)).toBe(true);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(1);
    expect(isRunning(pid)).toBe(false);
  });

  it('says in one line that the named runtime is not there, and opens the same in a browser', async () => {
    const browser = recorder('browser');
    const { prints } = start([], {
      DISPLAY: ':9',
      CHROMIUM_PATH: browser.file,
      ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nothing'),
    });
    await prints(/^No Electron in ELECTRON_OVERRIDE_DIST_PATH \(.+nothing\); opening in a browser instead\.$/m);
    const url = await prints(address);
    await vi.waitFor(() => expect(browser.args()).toEqual(windowArgs(url)), { timeout: 10_000 });
  });

  it.skipIf(hasElectron)('says in one line that the runtime can not be fetched, and opens in a browser', async () => {
    const browser = recorder('browser');
    const { prints, child, ended } = start([], { DISPLAY: ':9', CHROMIUM_PATH: browser.file });
    const url = await prints(address);
    await vi.waitFor(() => expect(browser.args()).toEqual(windowArgs(url)), { timeout: 10_000 });
    child.kill('SIGTERM');
    expect((await ended).said.split('\n').slice(0, 3)).toEqual([
      'Fetching the Electron runtime (once) ...',
      'The Electron runtime is not here and can not be fetched; opening in a browser instead.',
      url,
    ]);
  });
});

/** Only root gives the browser's own sandbox up, for it can not have one. */
function windowArgs(url: string): string[] {
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
  return [...(asRoot ? ['--no-sandbox'] : []), '--window-size=1440,900', `--app=${url}`];
}
