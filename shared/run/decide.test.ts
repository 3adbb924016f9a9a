import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chain, type ErrorClass, errorClasses, type Step } from '../chain/chain.ts';
import { decide, type RunInput, type TryResult } from './decide.ts';
import type { RunEvent, RunHeader } from './event.ts';
import { applyEvent, foldRun, hasEnded, initialRunState, isSettled, type RunState, summarize } from './run-state.ts';

const header: RunHeader = {
  kind: 'run_header',
  version: 1,
  run_id: 'r',
  chain_name: 'c',
  chain_text: '',
  chain_revision: '',
  settings: { default_max_retries: 1, max_parallel: 2 },
  started_at: '2026-01-05T09:00:00.000Z',
  source: 'cli',
  process: { pid: 1, started_at_ms: 0, host: 'h' },
};

type Fields = Partial<Omit<Step, 'id'>>;

function chainOf(steps: Record<string, Fields>): Chain {
  return {
    name: 'c',
    steps: Object.entries(steps).map(([id, fields]) => ({
      id,
      skill_name: '',
      step_name: id,
      action: '',
      depends_on: [],
      failure_mode: { is_milestone: false },
      ...fields,
    })),
  };
}

const ok: TryResult = { kind: 'succeeded', output: { text: '', truncated: false } };

function failed(errorClass: ErrorClass = 'other'): TryResult {
  return { kind: 'failed', error: { class: errorClass, code: 'X', message: '', hint: null, exit_code: 1 } };
}

/** A run that is driven by hand. */
class Driver {
  readonly events: RunEvent[] = [];
  state: RunState;
  time = 0;

  constructor(
    readonly chain: Chain,
    readonly runHeader = header,
  ) {
    this.state = initialRunState(runHeader, chain);
  }

  input(input: RunInput): RunEvent[] {
    this.time += 1;
    const { events, state } = decide(this.state, input, this.time);
    this.events.push(...events);
    this.state = state;
    return [...events];
  }

  start(): this {
    this.input({ kind: 'start' });
    return this;
  }

  end(stepId: string, result: TryResult = ok): this {
    this.input({ kind: 'try_ended', step_id: stepId, try: this.state.steps.get(stepId)!.tries.length, result });
    return this;
  }

  answer(questionId: string, answer: string): this {
    this.input({ kind: 'answer', question_id: questionId, answer });
    return this;
  }

  due(stepId: string): this {
    const number = this.state.steps.get(stepId)!.retry!.try;
    this.input({ kind: 'retry_due', step_id: stepId, try: number });
    return this;
  }

  stopped(): this {
    this.input({ kind: 'stopped', started: 0, left: 0, duration_ms: 0 });
    return this;
  }

  get states(): Record<string, string> {
    return Object.fromEntries([...this.state.steps].map(([id, step]) => [id, step.state]));
  }

  reason(stepId: string) {
    return this.state.steps.get(stepId)?.reason;
  }
}

const none = { retry_policy: { max_retries: 0 } };
const skip = { ...none, failure_mode: { on_exhaust: 'skip', is_milestone: false } } as const;
const abort = { ...none, failure_mode: { on_exhaust: 'abort', is_milestone: false } } as const;

describe('decide', () => {
  it('starts what depends on nothing, as many as may run at once, in the order of the chain', () => {
    const run = new Driver(chainOf({ a: {}, b: {}, c: {}, d: { depends_on: ['a'] } })).start();
    expect(run.states).toEqual({ a: 'running', b: 'running', c: 'ready', d: 'pending' });
    run.end('b');
    expect(run.states).toEqual({ a: 'running', b: 'succeeded', c: 'running', d: 'pending' });
    run.end('a');
    expect(run.states).toMatchObject({ d: 'running' });
  });

  it('runs a join once, when all of its branches are settled', () => {
    const run = new Driver(
      chainOf({ a: {}, b: { depends_on: ['a'] }, c: { depends_on: ['a'] }, d: { depends_on: ['b', 'c'] } }),
    );
    run.start().end('a').end('b');
    expect(run.states).toMatchObject({ d: 'pending' });
    run.end('c').end('d');
    expect(run.events.filter((event) => event.kind === 'step_started' && event.step_id === 'd')).toHaveLength(1);
    expect(run.state).toMatchObject({ state: 'succeeded', ended_at: null });
    expect(run.stopped().state).toMatchObject({ state: 'succeeded', ended_at: run.time });
  });

  it('lets the dependents of a skipped step run', () => {
    const run = new Driver(chainOf({ a: skip, b: { depends_on: ['a'] } })).start().end('a', failed());
    expect(run.states).toEqual({ a: 'skipped', b: 'running' });
    expect(run.reason('a')).toBe('skipped_by_policy');
  });

  it('marks a step that may fail as failed and goes on, wherever the file says so', () => {
    for (const says of [
      { continue_on_error: true },
      { with: { continue_on_error: true } },
      { with: { continue_on_error: 'true' } },
    ]) {
      const run = new Driver(chainOf({ a: { ...abort, ...says }, b: { depends_on: ['a'] } }))
        .start()
        .end('a', failed());
      expect(run.states).toEqual({ a: 'failed', b: 'running' });
      expect(run.reason('a')).toBe('failed_continued');
      expect(run.end('b').stopped().state.state).toBe('succeeded');
    }
  });

  it('uses its retries before it skips', () => {
    const run = new Driver(chainOf({ a: { ...skip, retry_policy: { max_retries: 3 } } })).start();
    run.end('a', failed()).due('a').end('a', failed()).due('a').end('a');
    expect(run.states).toEqual({ a: 'succeeded' });
    expect(run.state.retries).toBe(2);
    expect(run.state.steps.get('a')!.tries.map((one) => one.try)).toEqual([1, 2, 3]);
  });

  it('ends the run for a milestone, and cancels what has not ended', () => {
    const milestone = { ...none, failure_mode: { on_exhaust: 'skip', is_milestone: true } } as const;
    const run = new Driver(chainOf({ a: milestone, b: {}, c: { depends_on: ['a'] } })).start().end('a', failed());
    expect(run.states).toEqual({ a: 'failed', b: 'cancelled', c: 'cancelled' });
    expect(run.state).toMatchObject({ state: 'failed', ended_at: null });
    expect(run.reason('b')).toBe('run_ended');
    run.stopped();
    expect(run.events.at(-1)).toMatchObject({
      kind: 'run_ended',
      state: 'failed',
      reason: 'failed_milestone',
      step_id: 'a',
    });
  });

  it('asks, and a waiting branch does not stop the others', () => {
    const run = new Driver(chainOf({ a: none, b: none, c: none, d: { depends_on: ['a'] } }));
    run.start().end('a', failed());
    expect(run.states).toEqual({ a: 'waiting', b: 'running', c: 'running', d: 'pending' });
    expect(run.state.state).toBe('running');
    run.end('b').end('c');
    expect(run.state.state).toBe('waiting');
    run.answer('a.1', 'retry');
    expect(run.state).toMatchObject({ state: 'running' });
    expect(run.states).toMatchObject({ a: 'running' });
    run.end('a', failed()).answer('a.2', 'abort').stopped();
    expect(run.events.at(-1)).toMatchObject({ state: 'aborted', reason: 'aborted_by_person', step_id: 'a' });
  });

  it('gives a step that a person asked for again all of its retries', () => {
    const run = new Driver(chainOf({ a: { retry_policy: { max_retries: 1 } } }));
    run.start().end('a', failed()).due('a').end('a', failed()).answer('a.1', 'retry').end('a', failed());
    expect(run.states).toEqual({ a: 'retrying' });
    run.due('a').end('a', failed());
    expect(run.state.questions.has('a.2')).toBe(true);
  });

  it('takes one answer for one question, and only one that was offered', () => {
    const run = new Driver(chainOf({ a: none, b: {} })).start().end('a', failed());
    expect(() => run.answer('a.1', 'done')).toThrow(expect.objectContaining({ code: 'ANSWER_INVALID' }));
    expect(() => run.answer('zzz', 'skip')).toThrow(expect.objectContaining({ code: 'QUESTION_NOT_FOUND' }));
    run.answer('a.1', 'skip');
    expect(() => run.answer('a.1', 'skip')).toThrow(expect.objectContaining({ code: 'QUESTION_NOT_FOUND' }));
    run.input({ kind: 'cancel' });
    expect(() => run.answer('a.1', 'skip')).toThrow(expect.objectContaining({ code: 'RUN_ENDED' }));
  });

  it('asks a person to do a manual step without taking a place from the others', () => {
    const run = new Driver(
      chainOf({ a: { kind: 'manual' }, b: { kind: 'manual' }, c: {}, d: {}, e: { depends_on: ['a'] } }),
    );
    run.start();
    expect(run.states).toEqual({ a: 'waiting', b: 'waiting', c: 'running', d: 'running', e: 'pending' });
    run.answer('a.1', 'done').answer('b.1', 'failed');
    expect(run.states).toMatchObject({ a: 'succeeded', b: 'waiting', e: 'ready' });
    expect(run.state.questions.get('b.2')).toMatchObject({ kind: 'failure', choices: ['retry', 'skip', 'abort'] });
    run.answer('b.2', 'retry').answer('b.3', 'skip');
    expect(run.states).toMatchObject({ b: 'skipped' });
    expect(run.reason('b')).toBe('skipped_by_person');
  });

  it('queues a retry whose time has come while all places are taken', () => {
    const run = new Driver(chainOf({ a: {}, b: {}, c: {} })).start().end('a', failed('network_error'));
    expect(run.states).toEqual({ a: 'retrying', b: 'running', c: 'running' });
    expect(run.state.steps.get('a')!.retry).toMatchObject({ try: 2, due_at: run.time + 5000 });
    run.due('a');
    expect(run.states).toMatchObject({ a: 'ready' });
    run.end('b');
    expect(run.states).toMatchObject({ a: 'running' });
  });

  it('is cancelled at once, and nothing starts after it', () => {
    const run = new Driver(chainOf({ a: {}, b: none, c: {}, d: { kind: 'manual' } })).start().end('b', failed());
    run.input({ kind: 'cancel' });
    expect(new Set(Object.values(run.states))).toEqual(new Set(['cancelled']));
    expect(run.state).toMatchObject({ state: 'cancelled', ended_at: null });
    expect(run.state.questions.size).toBe(0);
    const before = run.events.length;
    run.end('a').end('c', failed()).input({ kind: 'cancel' });
    expect(run.events).toHaveLength(before);
    run.stopped();
    expect(summarize(header, run.state)).toMatchObject({ state: 'cancelled', steps_by_state: { cancelled: 4 } });
  });

  it('ignores a result or a retry that comes twice', () => {
    const run = new Driver(chainOf({ a: {}, b: { depends_on: ['a'] } })).start().end('a', failed()).due('a');
    const before = run.events.length;
    run.input({ kind: 'try_ended', step_id: 'a', try: 1, result: ok });
    run.input({ kind: 'retry_due', step_id: 'a', try: 2 });
    run.input({ kind: 'try_ended', step_id: 'nobody', try: 1, result: ok });
    expect(run.events).toHaveLength(before);
  });
});

/** What happens to each try of each step, and what a person answers, in the order they are asked for. */
interface Script {
  readonly results: readonly (ErrorClass | 'ok')[];
  readonly answers: readonly number[];
  readonly order: readonly number[];
  readonly cancelAfter: number;
  readonly maxParallel: number;
}

const stepArbitrary = fc.record({
  dependencies: fc.array(fc.nat(30), { maxLength: 4 }),
  kind: fc.constantFrom('agent', 'agent', 'agent', 'manual'),
  max_retries: fc.constantFrom(undefined, 0, 1, 2),
  error_types: fc.constantFrom<ErrorClass[][]>([], ['network_error'], ['other', 'timeout']),
  on_exhaust: fc.constantFrom('ask', 'skip', 'abort', undefined),
  is_milestone: fc.constantFrom(true, false, false, false, undefined),
  continue_on_error: fc.constantFrom(true, false, false),
});
const scriptArbitrary: fc.Arbitrary<Script> = fc.record({
  results: fc.array(fc.constantFrom<(ErrorClass | 'ok')[]>('ok', 'ok', 'ok', ...errorClasses), {
    minLength: 1,
    maxLength: 40,
  }),
  answers: fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
  order: fc.array(fc.nat(99), { minLength: 1, maxLength: 40 }),
  cancelAfter: fc.oneof(fc.constant(1000), fc.nat(40)),
  maxParallel: fc.integer({ min: 1, max: 5 }),
});
const chainArbitrary: fc.Arbitrary<Chain> = fc.array(stepArbitrary, { minLength: 1, maxLength: 14 }).map((steps) =>
  chainOf(
    Object.fromEntries(
      steps.map(
        ({ dependencies, kind, max_retries, error_types, on_exhaust, is_milestone, continue_on_error }, index) => [
          `s${index}`,
          {
            kind,
            depends_on: index === 0 ? [] : [...new Set(dependencies.map((one) => `s${one % index}`))],
            retry_policy: { error_types, ...(max_retries === undefined ? {} : { max_retries }) },
            failure_mode: {
              ...(on_exhaust === undefined ? {} : { on_exhaust: on_exhaust as 'ask' }),
              ...(is_milestone === undefined ? {} : { is_milestone }),
            },
            ...(continue_on_error ? { continue_on_error } : {}),
          },
        ],
      ),
    ),
  ),
);

/** Drives a run to its end as a script says. A person who was asked often enough only skips. */
function drive(chain: Chain, script: Script): Driver {
  const run = new Driver(chain, { ...header, settings: { default_max_retries: 1, max_parallel: script.maxParallel } });
  run.start();
  for (let turn = 0; !hasEnded(run.state); turn += 1) {
    expect(turn).toBeLessThan(2000);
    if (turn === script.cancelAfter) run.input({ kind: 'cancel' });
    if (run.state.ending !== null) {
      run.stopped();
      continue;
    }
    const open = [...run.state.steps.values()].filter((step) =>
      ['running', 'retrying', 'waiting'].includes(step.state),
    );
    expect(open.length).toBeGreaterThan(0);
    const step = open[script.order[turn % script.order.length]! % open.length]!;
    if (step.state === 'retrying') run.due(step.id);
    else if (step.state === 'running') {
      const result = script.results[turn % script.results.length]!;
      run.end(step.id, result === 'ok' ? ok : failed(result));
    } else {
      const { choices, id } = step.question!;
      const choice = script.answers[turn % script.answers.length]! % choices.length;
      run.answer(id, turn > 300 ? 'skip' : choices[choice]!);
    }
  }
  return run;
}

describe('for every chain and every script of faults', () => {
  const property = (check: (run: Driver, chain: Chain, script: Script) => void) =>
    fc.assert(
      fc.property(chainArbitrary, scriptArbitrary, (chain, script) => check(drive(chain, script), chain, script)),
      { numRuns: 300 },
    );

  it('the run ends, every step has one final state, and the counts add up', () => {
    property((run, chain) => {
      for (const step of chain.steps) {
        const ends = run.events.filter((event) => event.kind === 'step_ended' && event.step_id === step.id);
        expect(ends).toHaveLength(1);
        expect(isSettled(run.state.steps.get(step.id)!.state)).toBe(true);
      }
      const { steps_by_state, steps_total } = summarize(header, run.state);
      expect(Object.values(steps_by_state).reduce((sum, count) => sum + count, 0)).toBe(steps_total);
      expect(run.events.at(-1)!.kind).toBe('run_ended');
      expect(run.state.questions.size).toBe(0);
    });
  });

  it('no step starts before its dependencies are settled, and each settles once', () => {
    property((run, chain) => {
      const steps = new Map(chain.steps.map((step) => [step.id, step]));
      const settled = new Set<string>();
      for (const event of run.events) {
        if (event.kind === 'step_started' || event.kind === 'step_ready') {
          for (const id of steps.get(event.step_id)!.depends_on) expect(settled.has(id)).toBe(true);
        }
        const settles = event.kind === 'step_ended' && event.state !== 'cancelled';
        if (settles && (event.state !== 'failed' || event.reason === 'failed_continued')) settled.add(event.step_id);
      }
    });
  });

  it('no more steps run at once than may', () => {
    property((run, chain, { maxParallel }) => {
      let state = initialRunState({ ...header, settings: { ...header.settings, max_parallel: maxParallel } }, chain);
      for (const event of run.events) {
        state = applyEvent(state, event);
        expect(state.counts.running).toBeLessThanOrEqual(maxParallel);
      }
    });
  });

  it('nothing starts after the run was cancelled or a step ended it', () => {
    property((run) => {
      const end = run.events.findIndex(
        (event) =>
          event.kind === 'cancel_requested' ||
          (event.kind === 'step_ended' &&
            ['failed_milestone', 'failed_abort', 'aborted_by_person'].includes(event.reason)),
      );
      if (end < 0) return;
      const after = run.events.slice(end + 1).map((event) => event.kind);
      expect(after.filter((kind) => !['step_ended', 'processes_stopped', 'run_ended'].includes(kind))).toEqual([]);
    });
  });

  it('a milestone never fails without ending the run', () => {
    property((run) => {
      for (const [id, step] of run.state.steps) {
        if (step.state !== 'failed' || run.state.outline.steps.get(id)!.policy.is_milestone === false) continue;
        expect(['failed_milestone', 'aborted_by_person']).toContain(step.reason);
        expect(run.state.state).not.toBe('succeeded');
      }
    });
  });

  it('the state in memory is the fold over the journal, and the numbers have no gap', () => {
    property((run, chain) => {
      const written = run.events.map((event) => JSON.parse(JSON.stringify(event)) as RunEvent);
      expect(written.map((event) => event.seq)).toEqual(written.map((_event, index) => index));
      const folded = foldRun(run.runHeader, chain, written);
      expect({ ...folded, steps: [...folded.steps] }).toEqual({ ...run.state, steps: [...run.state.steps] });
    });
  });

  it('a journal that is cut at any line and then marked is an interrupted run without an open step', () => {
    property((run, chain) => {
      for (let cut = 0; cut < run.events.length; cut += 1) {
        const before = run.events.slice(0, cut);
        const interrupted: RunEvent = { seq: cut, at: 1_000_000, kind: 'run_interrupted' };
        const state = foldRun(run.runHeader, chain, [...before, interrupted]);
        expect(state).toMatchObject({ state: 'interrupted', ended_at: 1_000_000 });
        const ended = new Set(before.flatMap((event) => (event.kind === 'step_ended' ? [event.step_id] : [])));
        for (const step of state.steps.values()) {
          expect(isSettled(step.state)).toBe(true);
          expect(step.reason === 'engine_stopped').toBe(!ended.has(step.id));
          expect(step.tries.every((one) => one.ended_at !== null)).toBe(true);
        }
        expect(state.questions.size).toBe(0);
      }
    });
  });

  it('a journal with lines missing still folds', () => {
    fc.assert(
      fc.property(chainArbitrary, scriptArbitrary, fc.func(fc.boolean()), (chain, script, keep) => {
        const run = drive(chain, script);
        const state = foldRun(
          run.runHeader,
          chain,
          run.events.filter((event) => keep(event.seq)),
        );
        expect(summarize(header, state, true).steps_total).toBe(chain.steps.length);
      }),
    );
  });
});

describe('the cost of an event', () => {
  it('does not grow with the size of the chain: a result touches its step and its dependents only', () => {
    const steps = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`s${index}`, index === 0 ? {} : { depends_on: [`s${index - 1}`] }]),
    );
    const run = new Driver(chainOf(steps)).start();
    const before = run.state;
    run.end('s0');
    const changed = [...run.state.steps].filter(([id, step]) => before.steps.get(id) !== step).map(([id]) => id);
    expect(changed).toEqual(['s0', 's1']);
    expect(run.state.outline).toBe(before.outline);
  });
});
