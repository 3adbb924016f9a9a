import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { foldRun } from '../../../shared/run/run-state.ts';
import { testFolder } from '../files/test-folder.ts';
import type { RunService } from './run-service.ts';
import { chainOf, type StepFields, type TestHome, testHome } from './run-test-home.ts';

const root = testFolder('resume');
let home: TestHome;
let count = 0;
beforeEach(() => {
  count += 1;
  home = testHome(join(root, String(count)));
});
afterEach(() => home.dispose());

function program(name: string, args: string[] = [], more: Partial<StepFields> = {}): StepFields {
  return {
    skill_name: 'programs',
    kind: 'skill_exec',
    with: { entrypoint: name, args },
    failure_mode: { on_exhaust: 'abort', is_milestone: false },
    retry_policy: { max_retries: 0 },
    ...more,
  };
}

const asked = { kind: 'manual', failure_mode: { on_exhaust: 'abort', is_milestone: false } } as const;

async function start(runs: RunService, steps: Record<string, StepFields>, more: object = {}): Promise<string> {
  home.writeChain('chain', chainOf('chain', steps));
  return (await runs.start({ chain_name: 'chain', ...more })).run_id;
}

async function untilQuestion(runs: RunService, runId: string, id: string): Promise<void> {
  for await (const batch of runs.watch(runId)) {
    if (batch.events.some((event) => event.kind === 'question_asked' && event.question.id === id)) return;
  }
  throw new Error(`the run ended without the question ${id}`);
}

async function stateOf(runs: RunService, runId: string) {
  const { header, events } = await runs.get(runId);
  return { state: foldRun(header, parseChainFile(header.chain_text).chain, events), events, header };
}

describe('an interrupted run', () => {
  it('goes on where it was: finished steps stay, its question is open again under the same name', async () => {
    const runId = await start(home.runs, {
      a: program('echo.mjs', ['one']),
      m: { ...asked, depends_on: ['a'] },
      b: program('echo.mjs', ['{{ outputs.m }}'], { depends_on: ['m'] }),
    });
    await untilQuestion(home.runs, runId, 'm.1');
    await home.runs.dispose();
    const later = home.another();
    expect((await later.list())[0]).toMatchObject({ state: 'interrupted', open_questions: 0 });
    await later.resume({ run_id: runId });
    expect((await later.list())[0]).toMatchObject({ state: 'waiting', open_questions: 1 });
    await later.answer({ run_id: runId, question_id: 'm.1', answer: 'done', note: 'said so' });
    expect(await later.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
    const { state, events } = await stateOf(later, runId);
    expect(events.filter((event) => event.kind === 'step_started' && event.step_id === 'a')).toHaveLength(1);
    expect(state.steps.get('b')!.output!.json).toMatchObject({ args: ['said so'] });
  });

  it('asks before it repeats a step that was in the middle, unless the step says that it may be repeated', async () => {
    const runId = await start(home.runs, {
      a: program('forever.mjs'),
      b: program('forever.mjs', [], { idempotent: true }),
    });
    for await (const batch of home.runs.watch(runId)) {
      if (batch.logs.some((chunk) => chunk.step_id === 'b' && chunk.stream === 'stdout')) break;
    }
    await home.runs.dispose();
    const later = home.another();
    await later.resume({ run_id: runId });
    const { state } = await stateOf(later, runId);
    expect([...state.questions.values()]).toMatchObject([
      { id: 'a.1', kind: 'repeat', choices: ['retry', 'skip', 'abort'] },
    ]);
    expect(state.steps.get('b')).toMatchObject({ state: 'running', tries: { length: 2 } });
    await later.answer({ run_id: runId, question_id: 'a.1', answer: 'skip' });
    await later.cancel(runId, { force: true });
    expect(await later.waitForEnd(runId)).toMatchObject({ state: 'cancelled' });
    expect((await stateOf(later, runId)).state.steps.get('a')).toMatchObject({ reason: 'skipped_by_person' });
  });

  it('belongs to one process: it can not be taken up twice, nor when it has ended', async () => {
    const runId = await start(home.runs, { m: asked });
    await untilQuestion(home.runs, runId, 'm.1');
    await expect(home.runs.resume({ run_id: runId })).rejects.toMatchObject({ code: 'RUN_ELSEWHERE' });
    await home.runs.dispose();
    const [one, other] = [home.another(), home.another()];
    const both = await Promise.allSettled([one.resume({ run_id: runId }), other.resume({ run_id: runId })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const winner = both[0]!.status === 'fulfilled' ? one : other;
    await winner.answer({ run_id: runId, question_id: 'm.1', answer: 'done' });
    await winner.waitForEnd(runId);
    await expect(winner.resume({ run_id: runId })).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });
});

describe('a part of a run', () => {
  const steps: Record<string, StepFields> = {
    a: program('echo.mjs', ['a']),
    b: program('echo.mjs', ['{{ outputs.a.args.0 }}', 'b'], { depends_on: ['a'] }),
    c: program('fail.mjs', [], { depends_on: ['b'] }),
    free: program('echo.mjs', ['free']),
  };

  it('is run again with the results before it, and the preview says per step what and why', async () => {
    const first = await start(home.runs, steps);
    expect(await home.runs.waitForEnd(first)).toMatchObject({ state: 'failed' });
    // The fault is corrected in the chain.
    home.writeChain(
      'chain',
      chainOf('chain', { ...steps, c: program('echo.mjs', ['{{ outputs.b.args.1 }}'], { depends_on: ['b'] }) }),
    );
    const request = { run_id: first, scope: { kind: 'failed' } } as const;
    expect(await home.runs.previewRerun(request)).toEqual([
      { step_id: 'a', verdict: 'reused', reason: 'unchanged' },
      { step_id: 'b', verdict: 'reused', reason: 'unchanged' },
      { step_id: 'c', verdict: 'runs', reason: 'not_succeeded_before' },
      { step_id: 'free', verdict: 'reused', reason: 'unchanged' },
    ]);
    const { run_id: second } = await home.runs.rerun(request);
    expect(await home.runs.waitForEnd(second)).toMatchObject({ state: 'succeeded' });
    const { state, events, header } = await stateOf(home.runs, second);
    expect(header.reuse?.run_id).toBe(first);
    expect(events.filter((event) => event.kind === 'step_started').map(({ step_id }) => step_id)).toEqual(['c']);
    expect(state.steps.get('c')!.output!.json).toMatchObject({ args: ['b'] });
    expect(state.steps.get('a')).toMatchObject({ state: 'succeeded', reason: 'reused' });
  });

  it('from a step runs what depends on it too; only a step leaves the rest out', async () => {
    const first = await start(home.runs, { ...steps, c: program('echo.mjs', ['c'], { depends_on: ['b'] }) });
    await home.runs.waitForEnd(first);
    const verdicts = async (scope: Parameters<RunService['rerun']>[0]['scope']) =>
      (await home.runs.previewRerun({ run_id: first, scope })).map(({ verdict, reason }) => `${verdict} ${reason}`);
    expect(await verdicts({ kind: 'from', step_id: 'b' })).toEqual([
      'reused unchanged',
      'runs chosen',
      'runs depends_on_chosen',
      'reused unchanged',
    ]);
    expect(await verdicts({ kind: 'only', step_id: 'b' })).toEqual([
      'reused unchanged',
      'runs chosen',
      'not_selected not_selected',
      'not_selected not_selected',
    ]);
    const { run_id: second } = await home.runs.rerun({ run_id: first, scope: { kind: 'only', step_id: 'b' } });
    expect(await home.runs.waitForEnd(second)).toMatchObject({
      state: 'succeeded',
      steps_by_state: { succeeded: 2, skipped: 2 },
    });
    await expect(
      home.runs.previewRerun({ run_id: first, scope: { kind: 'from', step_id: 'nothing' } }),
    ).rejects.toMatchObject({ code: 'STEP_NOT_FOUND' });
  });
});

describe('what a run is started with', () => {
  it('is checked by the schema of the chain, and a sensitive value stands in no file and no output', async () => {
    const secret = 'sw0rdfish-in-the-sea';
    const chain = chainOf('chain', { a: program('echo.mjs', ['{{ inputs.key }}', '{{ inputs.n }}']) });
    home.writeChain('chain', {
      ...chain,
      inputs: {
        type: 'object',
        required: ['key'],
        properties: { key: { type: 'string', sensitive: true }, n: { type: 'integer', default: 3 } },
      },
    });
    await expect(home.runs.start({ chain_name: 'chain' })).rejects.toMatchObject({ code: 'ACTION_INPUT_INVALID' });
    const { run_id: runId } = await home.runs.start({ chain_name: 'chain', inputs: { key: secret } });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
    const { header, state } = await stateOf(home.runs, runId);
    expect(header.inputs).toEqual({ key: '***', n: 3 });
    expect(state.steps.get('a')!.output!.json).toMatchObject({ args: ['***', '3'] });
    const folder = join(home.folder, 'runs', runId);
    const kept = ['journal.jsonl', join('logs', 'step-a.1.log')].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    expect(kept.join('\n')).not.toContain('sw0rdfish');
  });
});
