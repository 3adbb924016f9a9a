import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunBatch } from '../../../shared/api/contract.ts';
import type { RunEvent } from '../../../shared/run/event.ts';
import { isRunning } from '../processes/test-processes.ts';
import { chainOf, programsFolder, type StepFields, type TestHome, testHome } from './run-test-home.ts';

let home: TestHome;

beforeEach(() => {
  home = testHome(mkdtempSync(join(tmpdir(), 'runs-')));
});
afterEach(async () => {
  await home.dispose();
  rmSync(home.folder, { recursive: true, force: true });
});

/** A step that runs one of the tiny programs. */
function program(name: string, args: (string | number | boolean)[] = [], more: Partial<StepFields> = {}): StepFields {
  return {
    skill_name: 'programs',
    kind: 'skill_exec',
    with: { entrypoint: name, args },
    failure_mode: { on_exhaust: 'abort', is_milestone: false },
    retry_policy: { max_retries: 0 },
    ...more,
  };
}

async function started(steps: Record<string, StepFields>): Promise<string> {
  home.writeChain('chain', chainOf('chain', steps));
  return (await home.runs.start({ chain_name: 'chain', source: 'cli' })).run_id;
}

async function kindsOf(runId: string): Promise<string[]> {
  return (await home.runs.get(runId)).events.map((event) => event.kind);
}

/** Watches until `found` says so; returns everything that was seen. */
async function watchUntil(runId: string, found: (batch: RunBatch, events: RunEvent[]) => boolean): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of home.runs.watch(runId)) {
    events.push(...batch.events);
    if (found(batch, events)) return events;
  }
  throw new Error(`the run ended before: ${JSON.stringify(events, null, 1)}`);
}

describe('a run', () => {
  it('carries out real programs in the order of their dependencies and proves its end', async () => {
    const runId = await started({
      a: program('echo.mjs', ['one']),
      b: program('ok.py', ['two', '中文'], { depends_on: ['a'] }),
    });
    const summary = await home.runs.waitForEnd(runId);
    expect(summary).toMatchObject({
      state: 'succeeded',
      steps_total: 2,
      steps_by_state: { succeeded: 2 },
      source: 'cli',
      damaged: false,
    });
    const { events, header } = await home.runs.get(runId);
    expect(header.chain_text).toBe(readFileSync(home.chainFile('chain'), 'utf8'));
    expect(events.map((event) => event.kind)).toEqual([
      'run_started',
      ...['step_started', 'try_succeeded', 'step_ended'],
      ...['step_started', 'try_succeeded', 'step_ended'],
      'processes_stopped',
      'run_ended',
    ]);
    expect(events.find((event) => event.kind === 'processes_stopped')).toMatchObject({ started: 2, left: 0 });
    const outputs = events.filter((event) => event.kind === 'try_succeeded').map((event) => event.output.json);
    expect(outputs[0]).toMatchObject({
      args: ['one'],
      env: { SKILL_SUB_RUN_ID: runId, SKILL_SUB_STEP_ID: 'a', SKILL_SUB_TRY: '1' },
    });
    expect(outputs[1]).toEqual({ args: ['two', '中文'] });
    expect(home.counted).toEqual(['chain']);
    expect(existsSync(join(home.folder, 'runs', runId, 'owner.json'))).toBe(false);
  });

  it('retries a network error and keeps the folder of the step', async () => {
    const runId = await started({ a: program('flaky.mjs', ['2'], { retry_policy: { max_retries: 3 } }) });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded', retries: 2 });
    const { events } = await home.runs.get(runId);
    const failed = events.filter((event) => event.kind === 'try_failed');
    expect(failed.map((event) => event.error)).toEqual(
      [1, 2].map((number) => ({
        class: 'network_error',
        code: 'network_error',
        message: `try ${number} does not work`,
        hint: 'try again',
        exit_code: 1,
      })),
    );
    expect(events.filter((event) => event.kind === 'retry_scheduled').map((event) => event.delay_ms)).toEqual([
      5000, 5000,
    ]);
    expect(home.waits).toEqual([5000, 5000]);
    expect(events.find((event) => event.kind === 'try_succeeded')).toMatchObject({
      try: 3,
      output: { json: { tries: 3, env_try: '3' } },
    });
  });

  it('ends running siblings when a milestone has failed', async () => {
    const runId = await started({
      a: program('ignores-sigterm.mjs'),
      b: program('fail.mjs', ['3', 'boom'], { failure_mode: { on_exhaust: 'skip', is_milestone: true } }),
      c: program('echo.mjs', [], { depends_on: ['b'] }),
    });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({
      state: 'failed',
      steps_by_state: { failed: 1, cancelled: 2 },
    });
    const { events } = await home.runs.get(runId);
    expect(events.at(-1)).toMatchObject({ kind: 'run_ended', reason: 'failed_milestone', step_id: 'b' });
    expect(events.at(-2)).toMatchObject({ kind: 'processes_stopped', left: 0 });
    expect(events.some((event) => event.kind === 'step_started' && event.step_id === 'c')).toBe(false);
  });

  it('asks a person after the last try and goes on as answered', async () => {
    const ask = { failure_mode: { on_exhaust: 'ask', is_milestone: false } } as const;
    const runId = await started({
      a: program('fail.mjs', ['1', 'no'], ask),
      b: program('echo.mjs', [], { depends_on: ['a'] }),
    });
    await watchUntil(runId, (_batch, events) => events.some((event) => event.kind === 'question_asked'));
    expect((await home.runs.list())[0]).toMatchObject({ state: 'waiting', open_questions: 1 });
    await expect(home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'done' })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await expect(home.runs.answer({ run_id: runId, question_id: 'a.2', answer: 'skip' })).rejects.toMatchObject({
      code: 'QUESTION_NOT_FOUND',
    });
    await home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'skip', note: 'not today' });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({
      state: 'succeeded',
      steps_by_state: { skipped: 1, succeeded: 1 },
    });
    await expect(home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'skip' })).rejects.toMatchObject({
      code: 'RUN_ENDED',
    });
  });

  it('lets a person do a manual step while the others go on', async () => {
    const runId = await started({
      a: { kind: 'manual' },
      b: program('echo.mjs'),
      c: program('echo.mjs', [], { depends_on: ['a', 'b'] }),
    });
    await watchUntil(runId, (_batch, events) =>
      events.some((event) => event.kind === 'step_ended' && event.step_id === 'b'),
    );
    await home.runs.answer({ run_id: runId, question_id: 'a.1', answer: 'done', note: 'signed' });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded', steps_by_state: { succeeded: 3 } });
    const { events } = await home.runs.get(runId);
    expect(events.find((event) => event.kind === 'try_succeeded' && event.step_id === 'a')).toMatchObject({
      output: { text: 'signed' },
    });
  });

  it('leaves no process after a stop, wherever the program put its children', async () => {
    const runId = await started({ a: program('forks.mjs'), b: program('orphan.mjs'), c: { kind: 'manual' } });
    const said: { pid: number; children?: number[]; grandchild?: number }[] = [];
    for await (const batch of home.runs.watch(runId)) {
      for (const chunk of batch.logs) if (chunk.stream === 'stdout') said.push(JSON.parse(chunk.text));
      if (said.length === 2) await home.runs.cancel(runId);
    }
    const pids = said.flatMap((one) => [one.pid, ...(one.children ?? []), ...(one.grandchild ? [one.grandchild] : [])]);
    expect(pids).toHaveLength(5);
    expect(pids.filter(isRunning)).toEqual([]);
    const summary = await home.runs.waitForEnd(runId);
    expect(summary).toMatchObject({ state: 'cancelled', steps_by_state: { cancelled: 3 }, open_questions: 0 });
    const kinds = await kindsOf(runId);
    const { events } = await home.runs.get(runId);
    expect(events.at(-2)).toMatchObject({ kind: 'processes_stopped', started: 2, left: 0 });
    // The state changes at once; the processes follow.
    expect(kinds.indexOf('cancel_requested')).toBeLessThan(kinds.lastIndexOf('step_ended'));
    expect(kinds.lastIndexOf('step_ended')).toBeLessThan(kinds.indexOf('processes_stopped'));
  });

  it('does not wait for the grace when a stop is forced', async () => {
    home.settings.stop_grace_seconds = 60;
    const runId = await started({ a: program('ignores-sigterm.mjs') });
    const asked = { stop: false, force: false };
    let text = '';
    for await (const batch of home.runs.watch(runId)) {
      for (const chunk of batch.logs) text += chunk.text;
      const force = text.includes('still here');
      if (asked.force || !text.includes('pid') || (asked.stop && !force)) continue;
      asked.stop = true;
      asked.force = force;
      await home.runs.cancel(runId, { force });
    }
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'cancelled' });
  });

  it('ends a try whose time is over as a failure of the class timeout', async () => {
    const runId = await started({ a: program('forever.mjs', [], { timeout_seconds: 0.2 }) });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'failed' });
    const { events } = await home.runs.get(runId);
    expect(events.find((event) => event.kind === 'try_failed')).toMatchObject({
      error: { class: 'timeout', code: 'TIMEOUT' },
    });
  });

  it('says which agent program is missing and what to do', async () => {
    home.settings.agents = [
      { name: 'nobody', command: 'no-such-agent-program', args: [], prompt: 'stdin', timeout_seconds: 5 },
    ];
    const runId = await started({
      a: { ...program('x'), kind: 'agent', skill_name: '(内置)', with: { profile: 'nobody' } },
    });
    await home.runs.waitForEnd(runId);
    const { events } = await home.runs.get(runId);
    const failed = events.find((event) => event.kind === 'try_failed');
    expect(failed).toMatchObject({ error: { class: 'other', code: 'PROGRAM_NOT_FOUND' } });
    expect(failed?.kind === 'try_failed' && failed.error.message).toContain('no-such-agent-program');
    expect(failed?.kind === 'try_failed' && failed.error.hint).toBeTruthy();
  });

  it('tells an agent the action, the details and what the steps before it gave', async () => {
    const command = process.execPath;
    const echo = join(programsFolder, 'echo.mjs');
    home.settings.agents = [
      { name: 'by-stdin', command, args: [echo, '--stdin'], prompt: 'stdin', timeout_seconds: 60 },
      { name: 'by-argument', command, args: [echo, '{prompt}'], prompt: 'argument', timeout_seconds: 60 },
    ];
    const agent = (profile: string, more: Partial<StepFields>): StepFields => ({
      kind: 'agent',
      skill_name: 'programs',
      action: 'Summarise it',
      detail: 'In one line',
      skill_instruction: 'Summaries',
      with: { profile },
      ...more,
    });
    const runId = await started({
      a: program('ok.py', ['from a']),
      b: agent('by-stdin', { depends_on: ['a'] }),
      c: agent('by-argument', { depends_on: ['a'] }),
    });
    await home.runs.waitForEnd(runId);
    const { events } = await home.runs.get(runId);
    const json = (id: string) => {
      const event = events.find((one) => one.kind === 'try_succeeded' && one.step_id === id);
      return (event?.kind === 'try_succeeded' ? event.output.json : null) as { stdin: string; args: string[] };
    };
    for (const prompt of [json('b').stdin, json('c').args[0]]) {
      for (const part of ['Summarise it', 'In one line', 'Summaries', 'from a']) expect(prompt).toContain(part);
    }
  });

  it('runs files of the skill only', async () => {
    writeFileSync(join(home.folder, 'outside.mjs'), 'console.log("out")');
    for (const entrypoint of ['../../outside.mjs', join(home.folder, 'outside.mjs'), 'link.mjs', 'a\0b', '.']) {
      const runId = await started({ a: { ...program('x'), with: { entrypoint } } }).catch((error) => error.code);
      if (runId === 'CHAIN_INVALID') continue;
      await home.runs.waitForEnd(runId);
      const { events } = await home.runs.get(runId);
      expect(events.find((event) => event.kind === 'try_failed')).toMatchObject({
        error: { code: 'SCRIPT_NOT_FOUND' },
      });
    }
  });

  it('gives numbers and truth values of a chain to the program as plain text', async () => {
    const runId = await started({ a: program('ok.py', ['a b', 3, -0.5, 1e21, true, false, '']) });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
    const { events } = await home.runs.get(runId);
    const done = events.find((event) => event.kind === 'try_succeeded');
    const args = ['a b', '3', '-0.5', '1000000000000000000000', 'true', 'false', ''];
    expect(done).toMatchObject({ output: { json: { args } } });
  });

  it('runs an action with its secrets in no file', async () => {
    const runId = await started({
      a: { ...program('x'), kind: 'action', with: { action: 'say', input: { password: 'hunter22' } } },
    });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
    const { events } = await home.runs.get(runId);
    const done = events.find((event) => event.kind === 'try_succeeded');
    expect(done?.kind === 'try_succeeded' && done.output.json).toMatchObject({ args: ['--password', '***'] });
    const { text } = await home.runs.log({ run_id: runId, step_id: 'a', try: 1 });
    expect(text).toMatch(/^\$ .*echo\.mjs --password "\*\*\*"\n/);
    expect(text).not.toContain('hunter22');
  });

  it('refuses a chain that can not run, and leaves no trace of it', async () => {
    const refused = async (steps: Record<string, StepFields>) => await started(steps).catch((error) => error);
    expect(
      await refused({
        a: program('echo.mjs', [], { depends_on: ['b'] }),
        b: program('echo.mjs', [], { depends_on: ['a'] }),
      }),
    ).toMatchObject({ code: 'CHAIN_CYCLE' });
    expect(await refused({ a: program('echo.mjs', [], { skill_name: 'no-such-skill' }) })).toMatchObject({
      code: 'CHAIN_INVALID',
      params: { count: 1 },
    });
    expect(await refused({})).toMatchObject({ code: 'CHAIN_INVALID' });
    expect(await home.runs.list()).toEqual([]);
  });
});
