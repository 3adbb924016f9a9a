import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunProcessOptions, runProcess } from './run-process.ts';
import { isRunning } from './test-processes.ts';

const programs = resolve(import.meta.dirname, '../../../e2e/programs');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, args: string[] = [], more: Partial<RunProcessOptions> = {}) {
  return runProcess({ command: process.execPath, args: [join(programs, name), ...args], cwd: folder, ...more });
}

/** Starts a program and stops it as soon as it has printed a line; returns that line's JSON and the result. */
async function stoppedOnceUp(name: string, args: string[], more: Partial<RunProcessOptions>) {
  const stop = new AbortController();
  let printed = '';
  const result = await program(name, args, {
    signal: stop.signal,
    onOutput: (_stream, text) => {
      printed += text;
      if (printed.includes('\n')) stop.abort();
    },
    ...more,
  });
  return { result, said: JSON.parse(printed.split('\n')[0]!) };
}

function runningInGroup(group: number): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    if (!isRunning(pid)) return false;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group;
  });
}

describe('runProcess', () => {
  it('hands over arguments, input and folder as they are, without a shell', async () => {
    const args = ['a b & echo hi', '$HOME', '"quoted"', '', '成功', '--stdin'];
    const result = await program('echo.mjs', args, { stdin: 'line\n中文' });
    expect(result).toMatchObject({ exitCode: 0, exitSignal: null, spawnError: null, processesLeft: 0 });
    expect(JSON.parse(result.stdout.text)).toMatchObject({ args, stdin: 'line\n中文', cwd: folder });
  });

  it('keeps both streams apart and gives the exit status', async () => {
    const result = await program('fail.mjs', ['7', 'ERROR:X: no', 'HINT: yes']);
    expect(result).toMatchObject({ exitCode: 7, timedOut: false, cancelled: false });
    expect(result.stderr.text).toBe('ERROR:X: no\nHINT: yes\n');
    expect(result.stdout.text).toBe('');
  });

  it('says which system error kept a program from starting', async () => {
    const missing = await runProcess({ command: join(folder, 'missing'), args: [], cwd: folder });
    expect(missing).toMatchObject({ spawnError: { code: 'ENOENT' }, pid: null, exitCode: null });
    const file = join(folder, 'not-executable');
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o644);
    expect((await runProcess({ command: file, args: [], cwd: folder })).spawnError?.code).toBe('EACCES');
    const nowhere = await program('echo.mjs', [], { cwd: join(folder, 'nowhere') });
    expect(nowhere.spawnError?.code).toBe('ENOTDIR');
  });

  it('refuses an argument that no system could hand over instead of throwing', async () => {
    expect((await program('echo.mjs', ['a\0b'])).spawnError?.code).toBe('EINVAL');
    expect((await program('echo.mjs', ['x'.repeat(5_000_000)])).spawnError?.code).toBe('E2BIG');
  });

  it('ends a program whose time is over', async () => {
    const result = await program('forever.mjs', [], { timeoutMs: 200, graceMs: 5000 });
    expect(result).toMatchObject({ timedOut: true, cancelled: false, exitSignal: 'SIGTERM', processesLeft: 0 });
    expect(isRunning(result.pid!)).toBe(false);
  });

  it('ends a program that ignores SIGTERM by SIGKILL after the grace', async () => {
    const { result, said } = await stoppedOnceUp('ignores-sigterm.mjs', [], { graceMs: 100 });
    expect(result).toMatchObject({ cancelled: true, exitSignal: 'SIGKILL', processesLeft: 0 });
    expect(result.stdout.text).toContain('still here');
    expect(isRunning(said.pid)).toBe(false);
  });

  it('does not wait for the grace when it is forced', async () => {
    const force = new AbortController();
    const stop = new AbortController();
    const result = await program('ignores-sigterm.mjs', [], {
      graceMs: 10_000_000,
      signal: stop.signal,
      force: force.signal,
      onOutput: (_stream, text) => (text.includes('still here') ? force.abort() : stop.abort()),
    });
    expect(result).toMatchObject({ cancelled: true, exitSignal: 'SIGKILL', processesLeft: 0 });
  });

  it('ends children in its group and in sessions of their own', async () => {
    const { result, said } = await stoppedOnceUp('forks.mjs', [], { graceMs: 100 });
    expect(result).toMatchObject({ cancelled: true, processesLeft: 0 });
    expect([said.pid, ...said.children].filter(isRunning)).toEqual([]);
    expect(runningInGroup(said.pid)).toEqual([]);
  });

  it('ends what a program that succeeded left running', async () => {
    const result = await program('forks.mjs', ['--leave'], { graceMs: 100 });
    expect(result).toMatchObject({ exitCode: 0, cancelled: false, processesLeft: 0 });
    expect(JSON.parse(result.stdout.text).children.filter(isRunning)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('finds a grandchild in its own session whose parent has ended', async () => {
    const { result, said } = await stoppedOnceUp('orphan.mjs', [], { graceMs: 5000 });
    expect(result.processesLeft).toBe(0);
    expect(isRunning(said.grandchild)).toBe(false);
  });

  it('starts nothing when it was stopped before', async () => {
    const result = await program('echo.mjs', [], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ cancelled: true, pid: null, outputBytes: 0 });
  });

  it('starts nothing when it is stopped while it is being started', async () => {
    const stop = new AbortController();
    const result = program('forever.mjs', [], { signal: stop.signal });
    stop.abort();
    expect(await result).toMatchObject({ cancelled: true, pid: null, exitCode: null, processesLeft: 0 });
  });

  it('keeps first and last part of 50 MB, counts the rest, and caps the file with a note', async () => {
    const logFile = join(folder, 'chatty.log');
    const result = await program('chatty.mjs', ['50'], { logFile, logLimitBytes: 1_000_000 });
    expect(result).toMatchObject({ exitCode: 0, processesLeft: 0 });
    expect(result.outputBytes).toBeGreaterThan(50 * 1024 * 1024);
    expect(result.stdout.head).toMatch(/^000000000001 x/);
    expect(result.stdout.tail).toMatch(/"lines":\d+\}\n$/);
    expect(result.stdout.text.length).toBeLessThan(100_000);
    const log = readFileSync(logFile, 'utf8');
    expect(statSync(logFile).size).toBeLessThan(1_050_000);
    expect(log).toMatch(/output cut here: \d+ bytes left out/);
    expect(log).toMatch(/"lines":\d+\}\n$/);
  });

  it('shows bytes that are not UTF-8 as replacement characters and joins split characters', async () => {
    const result = await program('bad-bytes.mjs');
    expect(result.stdout.text).toBe('a\ufffd\ufffdbé\n\ufffd');
  });

  it('does not mind a program that closes its input', async () => {
    const result = await program('deaf.mjs', [], { stdin: 'x'.repeat(5_000_000) });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout.text).toBe('closed\n');
  });

  it('gives the child a small environment without secrets and loader variables', async () => {
    process.env['SOME_SECRET_TOKEN'] = 'not for children';
    try {
      const env = { GREETING: 'hello', NODE_OPTIONS: '--require ./x.cjs', LD_PRELOAD: 'x.so', PATH: '/evil' };
      const result = await program('echo.mjs', [], { env });
      const seen = JSON.parse(result.stdout.text).env;
      expect(seen).toMatchObject({ GREETING: 'hello', PYTHONUTF8: '1' });
      expect(seen.PATH).not.toBe('/evil');
      for (const name of ['SOME_SECRET_TOKEN', 'NODE_OPTIONS', 'LD_PRELOAD']) expect(seen).not.toHaveProperty(name);
    } finally {
      delete process.env['SOME_SECRET_TOKEN'];
    }
  });

  it('writes secrets nowhere, even when a program prints them', async () => {
    const logFile = join(folder, 'secret.log');
    let live = '';
    const onOutput = (_stream: string, text: string) => {
      live += text;
    };
    const result = await program('echo.mjs', ['s3cr3t-value'], { secrets: ['s3cr3t-value'], logFile, onOutput });
    expect(JSON.parse(result.stdout.text).args).toEqual(['***']);
    for (const text of [live, readFileSync(logFile, 'utf8')]) expect(text).not.toContain('s3cr3t-value');
  });

  it('goes on when its log can not be written', async () => {
    const result = await program('chatty.mjs', ['2'], { logFile: join(folder, 'no', 'such', 'folder.log') });
    expect(result).toMatchObject({ exitCode: 0 });
  });
});
