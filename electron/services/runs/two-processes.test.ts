import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent, RunSummary } from '../../../shared/run/event.ts';
import { isRunning } from '../processes/test-processes.ts';
import { programsFolder, type StepFields, type TestHome, testHome } from './run-test-home.ts';

const root = resolve(import.meta.dirname, '../../..');
let built: string;
let home: TestHome;
const hosts: ChildProcess[] = [];

beforeAll(async () => {
  // Inside the project, so that its libraries are found; Node does not run TypeScript.
  built = mkdtempSync(join(root, 'node_modules', '.run-host-'));
  await build({
    entryPoints: [join(programsFolder, 'run-host.ts')],
    outfile: join(built, 'electron/services/runs/host.mjs'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    define: { 'import.meta.dirname': JSON.stringify(import.meta.dirname) },
  });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  home = testHome(mkdtempSync(join(tmpdir(), 'two-processes-')));
});
afterEach(async () => {
  for (const host of hosts.splice(0)) host.kill('SIGKILL');
  await home.dispose();
  rmSync(home.folder, { recursive: true, force: true });
});

const program = (name: string, more: StepFields = {}): StepFields => ({
  skill_name: 'programs',
  kind: 'skill_exec',
  with: { entrypoint: name },
  failure_mode: { on_exhaust: 'abort', is_milestone: false },
  ...more,
});

/** Starts a run in another process; `exited` is its last line. */
async function hostWith(steps: Record<string, StepFields>) {
  const script = join(built, 'electron/services/runs/host.mjs');
  const host = spawn(process.execPath, [script, home.folder, JSON.stringify(steps)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hosts.push(host);
  const lines: string[] = [];
  const exited = new Promise<RunSummary | null>((done) => {
    host.once('close', () => done(lines.length > 1 ? JSON.parse(lines[1]!) : null));
  });
  const firstLine = await new Promise<string>((done) => {
    createInterface({ input: host.stdout }).on('line', (line) => {
      lines.push(line);
      done(line);
    });
  });
  return { host, runId: JSON.parse(firstLine).run_id as string, exited };
}

async function watched(runId: string, until: (events: RunEvent[], text: string) => boolean) {
  const events: RunEvent[] = [];
  let text = '';
  for await (const batch of home.runs.watch(runId)) {
    events.push(...batch.events);
    for (const chunk of batch.logs) text += chunk.text;
    if (until(events, text)) break;
  }
  return { events, text };
}

const asked = (events: RunEvent[]) => events.some((event) => event.kind === 'question_asked');

describe('a run of another process', () => {
  it('is listed as it is, can be watched with its output, and answered', async () => {
    const { runId, exited } = await hostWith({ a: { kind: 'manual' }, b: program('echo.mjs', { depends_on: ['a'] }) });
    await watched(runId, asked);
    expect(await home.runs.list()).toMatchObject([{ run_id: runId, state: 'waiting', open_questions: 1 }]);
    expect(await home.runs.recoverInterrupted()).toEqual([]);
    await expect(home.runs.answer({ run_id: runId, question_id: 'a.9', answer: 'done' })).rejects.toMatchObject({
      code: 'QUESTION_NOT_FOUND',
    });
    await expect(home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'x' })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await expect(home.runs.delete(runId)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const follows = watched(runId, () => false);
    await home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'done', note: 'from here' });
    const { events, text } = await follows;
    expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => index));
    expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'succeeded' });
    expect(text).toContain('"SKILL_SUB_STEP_ID":"b"');
    expect(await exited).toMatchObject({ run_id: runId, state: 'succeeded' });
    await home.runs.delete(runId);
    expect(await home.runs.list()).toEqual([]);
  });

  it('can be stopped from here, with the proof of its end', async () => {
    const { runId, exited } = await hostWith({ a: program('forks.mjs') });
    const { text } = await watched(runId, (_events, printed) => printed.includes('children'));
    const said = JSON.parse(text.split('\n').find((line) => line.startsWith('{'))!);
    await home.runs.cancel(runId);
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'cancelled' });
    expect(await exited).toMatchObject({ state: 'cancelled' });
    const { events } = await home.runs.get(runId);
    expect(events.find((event) => event.kind === 'processes_stopped')).toMatchObject({ started: 1, left: 0 });
    expect([said.pid, ...said.children].filter(isRunning)).toEqual([]);
  });

  it('tells listeners here of its changes', async () => {
    const seen: RunSummary[] = [];
    const ended = new Promise<void>((done) => {
      home.runs.onChange((run) => {
        seen.push(run);
        if (run.state === 'succeeded') done();
      });
    });
    const { runId } = await hostWith({ a: { kind: 'manual' } });
    await watched(runId, asked);
    await home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'done' });
    await ended;
    expect(new Set(seen.map((run) => run.run_id))).toEqual(new Set([runId]));
  });

  it('becomes interrupted when its process is killed, and leaves no process of its own', async () => {
    const { host, runId, exited } = await hostWith({ a: program('forks.mjs'), b: { kind: 'manual' } });
    const { text } = await watched(runId, (_events, printed) => printed.includes('children'));
    const said = JSON.parse(text.split('\n').find((line) => line.startsWith('{'))!);
    const { events: before } = await home.runs.get(runId);
    host.kill('SIGKILL');
    await exited;
    expect(await home.runs.recoverInterrupted()).toMatchObject([{ run_id: runId, state: 'interrupted' }]);
    expect([said.pid, ...said.children].filter(isRunning)).toEqual([]);
    const { events } = await home.runs.get(runId);
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.slice(before.length)).toMatchObject([{ kind: 'run_interrupted', seq: before.length }]);
    expect(await home.runs.recoverInterrupted()).toEqual([]);
    await expect(home.runs.cancel(runId)).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('is seen to be interrupted by somebody who watches while its process is killed', async () => {
    const { host, runId } = await hostWith({ a: { kind: 'manual' } });
    await watched(runId, asked);
    const follows = watched(runId, () => false);
    host.kill('SIGKILL');
    expect((await follows).events.at(-1)).toMatchObject({ kind: 'run_interrupted' });
  });

  it('is marked as interrupted once when two processes start at the same time', async () => {
    const { host, runId, exited } = await hostWith({ a: { kind: 'manual' } });
    await watched(runId, asked);
    host.kill('SIGKILL');
    await exited;
    const found = await Promise.all([home.runs, home.another(), home.another()].map((one) => one.recoverInterrupted()));
    expect(found.flat()).toHaveLength(1);
    const { events, damaged } = await home.runs.get(runId);
    expect(events.filter((event) => event.kind === 'run_interrupted')).toHaveLength(1);
    expect(damaged).toBe(false);
  });

  it('is interrupted although another process has got the number of its owner', async () => {
    const { host, runId, exited } = await hostWith({ a: { kind: 'manual' } });
    await watched(runId, asked);
    host.kill('SIGKILL');
    await exited;
    const file = join(home.folder, 'runs', runId, 'owner.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: process.pid }));
    expect(await home.runs.recoverInterrupted()).toMatchObject([{ run_id: runId }]);
  });
});
