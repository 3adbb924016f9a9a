import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Chain, errorClasses, type Step } from '../../../shared/chain/chain.ts';
import type { RunEvent } from '../../../shared/run/event.ts';
import { foldRun, isSettled, type RunState } from '../../../shared/run/run-state.ts';
import { answerMs, FaultScript, type Faults, isRefusal, simulate } from '../../../shared/run/simulate.ts';
import { VirtualTime } from '../../../shared/run/virtual-time.ts';
import { defaultSettings } from '../../../shared/settings/settings.ts';
import { testFolder } from '../files/test-folder.ts';
import type { Executor } from './executors/executor.ts';
import { JournalWriter } from './journal-writer.ts';
import { LiveRun } from './live-run.ts';
import { parseJournal } from './read-journal.ts';
import { runFolder } from './run-folder.ts';

const home = testFolder('same-as-simulated');
afterAll(() => rmSync(home, { recursive: true, force: true }));
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet } as never;
const settings = { ...defaultSettings() };
let count = 0;

interface Broken {
  /** After so many inputs the process dies, and another takes the run up. */
  readonly afterInputs: number;
}

/** The real engine with its journal; only the work of the steps and the clock are made up. */
async function runReally(chain: Chain, faults: Faults, maxParallel: number, broken: Broken | null = null) {
  const folder = runFolder(home, `run-${count++}`);
  mkdirSync(folder.folder, { recursive: true });
  const simulated = simulate(chain, faults, { settings: { default_max_retries: 1, max_parallel: maxParallel } });
  const { header } = simulated;
  const time = new VirtualTime();
  const script = new FaultScript(chain, faults);
  let planned = 0;
  /** What a process that has died had planned does not happen any more. */
  let generation = 0;
  const plan = (callback: () => void, ms: number) => {
    const own = generation;
    return time.plan(() => {
      if (own === generation) callback();
    }, ms);
  };
  const executor: Executor = (context) =>
    new Promise((resolve) => {
      const { id } = context.step;
      const result = script.result(id, context.try);
      const callOff = plan(() => resolve(result), script.tryMs(id));
      context.signal.addEventListener('abort', () => {
        callOff();
        resolve({ kind: 'failed', error: stopped });
      });
    });
  const executors = Object.fromEntries(
    ['agent', 'llm_chat', 'llm_classify', 'tool_call', 'skill_exec', 'action'].map((kind) => [kind, executor]),
  );
  let live: LiveRun;
  // The person outlives the process: an answer goes to whoever carries the run on.
  const told = new Set<string>();
  const planAnswer = (id: string, stepId: string): void => {
    const answer = script.answer(stepId);
    if (answer === null) return;
    time.plan(() => {
      if (!live.state.questions.has(id)) return;
      try {
        live.answer(id, answer, undefined);
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown;
        planAnswer(id, stepId);
      }
    }, answerMs);
  };
  const make = (journal: JournalWriter, state: RunState | undefined): LiveRun => {
    return new LiveRun({
      header,
      chain,
      folder,
      journal,
      state,
      executors,
      settings: () => settings,
      now: () => time.nowMs,
      startTimer: plan,
      log,
      onChange: () =>
        // A person reacts to what has happened, after the program has.
        queueMicrotask(() => {
          for (const { id, step_id } of live.state.questions.values()) {
            if (!told.has(id)) planAnswer(id, step_id);
            told.add(id);
          }
        }),
    });
  };
  let journal = JournalWriter.create(folder.journal, header);
  live = make(journal, undefined);
  let hasEnded = false;
  const waitFor = (one: LiveRun) =>
    void one.ended.then(() => {
      hasEnded ||= one === live;
    });
  waitFor(live);
  if (faults.cancel_at_ms !== undefined) time.plan(() => live.cancel(false), faults.cancel_at_ms);
  live.start();
  for (;;) {
    await settle();
    if (hasEnded || !time.next()) break;
    planned += 1;
    if (broken === null || planned !== broken.afterInputs) continue;
    await settle();
    if (hasEnded) break;
    // As after kill -9: nothing of the old engine happens any more, the next start marks the run and takes it up.
    generation += 1;
    journal.close();
    const before = parseJournal(readFileSync(folder.journal), folder.journal, header.run_id);
    const last = before.events.at(-1)!;
    const marker = JournalWriter.reopen(folder.journal, before.whole_size);
    const interrupted: RunEvent = { seq: last.seq + 1, at: time.nowMs, kind: 'run_interrupted' };
    marker.append([interrupted], true);
    journal = marker;
    live = make(marker, foldRun(header, chain, [...before.events, interrupted]));
    waitFor(live);
    live.resume();
  }
  await settle();
  journal.close();
  const { events, damaged } = parseJournal(readFileSync(folder.journal), folder.journal, header.run_id);
  rmSync(folder.folder, { recursive: true, force: true });
  return { simulated, events, damaged, state: live.state, header };
}

const stopped = { class: 'other', code: 'STOPPED', message: '', hint: null, exit_code: null } as const;

/** Lets every promise that can go on do so. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const kinds = [
  'agent',
  'llm_chat',
  'llm_classify',
  'tool_call',
  'skill_exec',
  'action',
  'manual',
  'user_input',
] as const;

/** A chain of up to 14 steps with everything in it: conditions, routes, stand-ins, fan-outs, questions. */
const chains: fc.Arbitrary<Chain> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...kinds, 'fan_out' as const, 'agent' as const, 'agent' as const),
      deps: fc.array(fc.nat(13), { maxLength: 3 }),
      on_exhaust: fc.constantFrom('ask', 'skip', 'abort'),
      milestone: fc.boolean(),
      retries: fc.nat(2),
      continues: fc.constantFrom(true, false, false, false),
      when: fc.constantFrom(null, null, null, 'true', 'false', "outputs.s0 == 'X'", "'item' in outputs.s1"),
      route: fc.constantFrom(null, null, null, "outputs.s0 == 'X'", 'true', 'false'),
      hasDefault: fc.boolean(),
      targets: fc.array(fc.nat(13), { minLength: 1, maxLength: 2 }),
      fallback: fc.constantFrom(false, false, true),
      items: fc.nat(4),
      iterableIsBad: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((rows) => {
    const ids = rows.map((_, place) => `s${place}`);
    const fallbacks = new Map<number, number>();
    const isFallback = new Set<number>();
    rows.forEach((row, place) => {
      // The next step stands in for this one, when it is free to.
      if (!row.fallback || isFallback.has(place) || place + 1 >= rows.length) return;
      if (rows[place + 1]!.kind === 'fan_out') return;
      fallbacks.set(place, place + 1);
      isFallback.add(place + 1);
    });
    const steps = rows.map((row, place): Step => {
      const before = (list: number[]) =>
        [...new Set(list)].filter((other) => other < place && !isFallback.has(other)).map((other) => ids[other]!);
      const behind = row.targets.filter((other) => other > place && other < rows.length && !isFallback.has(other));
      const hasRoute = row.route !== null && behind.length > 0 && !isFallback.has(place);
      const fan =
        row.kind === 'fan_out'
          ? {
              iterable: row.iterableIsBad ? 'no list' : Array.from({ length: row.items }, (_, at) => `i${at}`),
              fan_out_template: { kind: 'agent' },
              fan_out_max_concurrency: 2,
              fan_out_merge_mode: 'json_array' as const,
            }
          : {};
      return {
        id: ids[place]!,
        skill_name: '',
        step_name: ids[place]!,
        action: 'x',
        kind: row.kind,
        depends_on: isFallback.has(place) ? [] : before(row.deps),
        retry_policy: { max_retries: row.retries },
        failure_mode: { on_exhaust: row.on_exhaust as 'ask', is_milestone: row.milestone },
        ...(row.continues ? { continue_on_error: true } : {}),
        ...(row.when === null || isFallback.has(place) ? {} : { when: row.when }),
        ...(hasRoute
          ? {
              route: behind.map((other, at) => ({
                to: ids[other]!,
                ...(row.hasDefault && at === behind.length - 1 ? {} : { when: row.route! }),
              })),
            }
          : {}),
        ...(fallbacks.has(place) ? { on_failure: ids[fallbacks.get(place)!]! } : {}),
        ...fan,
      };
    });
    return { name: 'random', steps };
  });

const scripts = (chain: Chain): fc.Arbitrary<Faults> => {
  const ids = chain.steps.flatMap((step) =>
    step.kind === 'fan_out' ? [step.id, `${step.id}_1`, `${step.id}_2`] : [step.id],
  );
  const id = fc.constantFrom(...ids);
  return fc.record(
    {
      failures: fc.array(
        fc.record({ step_id: id, class: fc.constantFrom(...errorClasses), times: fc.integer({ min: 1, max: 4 }) }),
        {
          maxLength: 6,
        },
      ),
      answers: fc.array(
        fc.record({ step_id: id, answer: fc.constantFrom('retry', 'skip', 'abort', 'done', 'failed') }),
        {
          maxLength: 12,
        },
      ),
      outputs: fc.dictionary(id, fc.constantFrom('X', 'Y', '["item"]', '{"a":1}'), { maxKeys: 3 }),
      try_ms: fc.dictionary(id, fc.integer({ min: 0, max: 4000 }), { maxKeys: 5 }),
      cancel_at_ms: fc.integer({ min: 0, max: 9000 }),
    },
    { requiredKeys: ['failures', 'answers', 'outputs', 'try_ms'] },
  );
};

const cases = chains.chain((chain) => fc.tuple(fc.constant(chain), scripts(chain), fc.integer({ min: 1, max: 4 })));

function checkCourse(chain: Chain, events: readonly RunEvent[], state: RunState): void {
  const ends = new Map<string, number>();
  let cancelledAt: number | null = null;
  for (const event of events) {
    // A fan-out that a person tries again: its failed children have another turn.
    if (event.kind === 'fan_out_expanded') {
      for (const id of ends.keys()) if (id.startsWith(`${event.step_id}_`)) ends.delete(id);
    }
    if (event.kind === 'cancel_requested') cancelledAt = event.seq;
    if (event.kind === 'step_started' && cancelledAt !== null)
      throw new Error(`${event.step_id} started after the stop`);
    if (event.kind === 'step_ended' || event.kind === 'step_reused') {
      if (ends.has(event.step_id)) throw new Error(`${event.step_id} ended twice`);
      ends.set(event.step_id, event.seq);
    }
  }
  const first = new Map<string, number>();
  for (const event of events) {
    if (event.kind === 'step_started' && !first.has(event.step_id)) first.set(event.step_id, event.seq);
  }
  for (const step of chain.steps) {
    const start = first.get(step.id);
    if (start === undefined) continue;
    for (const id of step.depends_on) {
      if ((ends.get(id) ?? Number.POSITIVE_INFINITY) > start) throw new Error(`${step.id} started before ${id} ended`);
    }
  }
  if (state.ended_at === null) {
    expect(state.questions.size).toBeGreaterThan(0);
    return;
  }
  for (const step of state.steps.values()) {
    expect(isSettled(step.state)).toBe(true);
    expect(ends.has(step.id)).toBe(true);
  }
}

describe('for random chains and fault scripts', () => {
  const numRuns = 1500;
  it('the engine and the simulator give the same events, and the journal tells the same state', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([chain, faults, maxParallel]) => {
        const { simulated, events, damaged, state, header } = await runReally(chain, faults, maxParallel);
        const proofless = (list: readonly RunEvent[]) =>
          list.map((event) => (event.kind === 'processes_stopped' ? { ...event, duration_ms: 0 } : event));
        expect(proofless(events)).toEqual(proofless(simulated.events));
        expect(damaged).toBe(false);
        checkCourse(chain, events, state);
        const folded = foldRun(header, chain, events);
        expect([...folded.steps.values()]).toEqual([...state.steps.values()]);
        expect({ ...folded, steps: null, outline: null }).toEqual({ ...state, steps: null, outline: null });
      }),
      { numRuns },
    );
  });

  it('a run that was broken off and taken up ends every step once, and as one that was never broken', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 12 }), async ([chain, faults, maxParallel], afterInputs) => {
        // Steps that may be repeated, so that nobody has to be asked about them, and that read nothing that others may
        // not have given yet: what is left does not depend on when things happen.
        const steps = chain.steps.map((step): Step => {
          const { when, route, ...rest } = step;
          const plain = (text: string | undefined) => (text?.includes('outputs') ? 'true' : text);
          const ways = route?.map(({ to, when: one }) => (one === undefined ? { to } : { to, when: plain(one)! }));
          const condition = plain(when);
          return {
            ...rest,
            idempotent: true,
            ...(condition === undefined ? {} : { when: condition }),
            ...(ways === undefined ? {} : { route: ways }),
          };
        });
        const { cancel_at_ms: _, ...timeless } = faults;
        const script = { ...timeless, failures: [] };
        const broken = { afterInputs };
        const { simulated, events, state, header } = await runReally({ ...chain, steps }, script, maxParallel, broken);
        checkCourse(chain, events, state);
        expect([...foldRun(header, { ...chain, steps }, events).steps.values()]).toEqual([...state.steps.values()]);
        expect(state.state).toBe(simulated.state.state);
        if (state.state !== 'succeeded') return;
        const ends = (run: RunState) =>
          [...run.steps.values()].map(({ id, state: end, reason }) => ({ id, end, reason }));
        expect(ends(state)).toEqual(ends(simulated.state));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a long chain', () => {
  it('is simulated in a number of events that grows with its length alone', () => {
    const eventsOf = (size: number) => {
      const steps = Array.from(
        { length: size },
        (_, at): Step => ({
          ...initialStep,
          id: `s${at}`,
          depends_on: at === 0 ? [] : [`s${at - 1}`],
        }),
      );
      const options = { settings: { default_max_retries: 1, max_parallel: 4 } };
      return simulate({ name: 'long', steps }, { failures: [], answers: [], outputs: {} }, options).events.length;
    };
    expect(eventsOf(10_000)).toBe(3 * 10_000 + 3);
    expect(eventsOf(100)).toBe(3 * 100 + 3);
  });

  it('all of whose conditions are false ends without a recursion', () => {
    const steps = Array.from(
      { length: 10_000 },
      (_, at): Step => ({
        ...initialStep,
        id: `s${at}`,
        when: 'false',
        depends_on: at === 0 ? [] : [`s${at - 1}`],
      }),
    );
    const options = { settings: { default_max_retries: 1, max_parallel: 4 } };
    const { state } = simulate({ name: 'long', steps }, { failures: [], answers: [], outputs: {} }, options);
    expect(state).toMatchObject({ state: 'succeeded', counts: { skipped: 10_000 } });
  });
});

const initialStep = { skill_name: '', step_name: 's', action: '', failure_mode: { is_milestone: false } } as const;
