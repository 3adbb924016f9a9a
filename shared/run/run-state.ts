import { type Chain, type Step, stepKind } from '../chain/chain.ts';
import { classifyMilestones } from '../chain/milestones.ts';
import { invariant } from '../errors/invariant.ts';
import {
  type EndReason,
  endStates,
  type Question,
  type RunEvent,
  type RunHeader,
  type RunStateName,
  type RunSummary,
  type StepOutput,
  type StepStateName,
  stepStates,
  type TryError,
} from './event.ts';
import type { FailurePolicy } from './failure-policy.ts';
import { emptyQueue, type Queue, taken, withLast } from './queue.ts';
import { StepTable, type StepTableDraft } from './step-table.ts';

/** One attempt at a step. Times are milliseconds since 1970. */
export interface TryState {
  readonly try: number;
  readonly started_at: number;
  /** Null while it runs. */
  readonly ended_at: number | null;
  readonly error?: TryError;
  readonly output?: StepOutput;
}

/** One step of a run. A new object whenever something about the step changed, the same object otherwise. */
export interface StepRunState {
  readonly id: string;
  readonly state: StepStateName;
  readonly tries: readonly TryState[];
  /** When it first became ready; null before. */
  readonly ready_at: number | null;
  readonly ended_at: number | null;
  /** Why it ended; null before. */
  readonly reason: EndReason | null;
  /** The open question about it. */
  readonly question: Question | null;
  /** The repetition that is waiting for its time. */
  readonly retry: { readonly try: number; readonly due_at: number; readonly error_class: TryError['class'] } | null;
  /** Repetitions since it started or since a person asked for it again. */
  readonly retries_used: number;
  readonly questions_asked: number;
  /** Dependencies that are not settled yet. */
  readonly unsettled: number;
}

/** How a run is ending or has ended. */
export interface RunEnding {
  readonly state: 'succeeded' | 'failed' | 'aborted' | 'cancelled';
  readonly reason: EndReason;
  readonly step_id: string | null;
}

/**
 * The state of a run: a fold over its events, the same in the engine, the command line and the window. Immutable;
 * `applyEvent` costs the same for ten steps and for ten thousand.
 */
export interface RunState {
  readonly run_id: string;
  readonly chain_name: string;
  /** What never changes: the order of the steps, who waits for whom, what their fields say about failures. */
  readonly outline: RunOutline;
  readonly state: RunStateName;
  readonly steps: StepTable<StepRunState>;
  /** Open questions by id, oldest first. */
  readonly questions: ReadonlyMap<string, Question>;
  readonly counts: Readonly<Record<StepStateName, number>>;
  /** Repetitions of all steps together. */
  readonly retries: number;
  readonly started_at: number | null;
  /** Null until the run's last process has ended and `run_ended` is written. */
  readonly ended_at: number | null;
  /** Set as soon as it is certain how the run ends; its processes may still be stopping. */
  readonly ending: RunEnding | null;
  /** Proof of the end: processes that the run started, those left, and how long stopping them took. */
  readonly proof: { readonly started: number; readonly left: number; readonly duration_ms: number } | null;
  /** Steps that may start and wait for one of the places that programs share. */
  readonly queue: Queue;
  /** -1 before the first event. */
  readonly last_seq: number;
}

export interface RunOutline {
  readonly max_parallel: number;
  readonly steps: ReadonlyMap<string, OutlineStep>;
}

export interface OutlineStep {
  readonly id: string;
  readonly kind: string;
  readonly dependents: readonly string[];
  readonly dependencies: readonly string[];
  readonly policy: FailurePolicy;
}

/** The state before the first event. `chain` is the header's `chain_text`, parsed. */
export function initialRunState(header: RunHeader, chain: Chain): RunState {
  const outline = outlineOf(header, chain);
  const steps = StepTable.from([...outline.steps.values()].map((step) => [step.id, pendingStep(step)] as const));
  return {
    run_id: header.run_id,
    chain_name: header.chain_name,
    outline,
    state: 'running',
    steps,
    questions: new Map(),
    counts: { ...noCounts, pending: steps.size },
    retries: 0,
    started_at: null,
    ended_at: null,
    ending: null,
    proof: null,
    queue: emptyQueue,
    last_seq: -1,
  };
}

/** The state after all of `events`. */
export function foldRun(header: RunHeader, chain: Chain, events: Iterable<RunEvent>): RunState {
  return applyEvents(initialRunState(header, chain), events);
}

/** The state after more events; cheaper than one `applyEvent` after the other. */
export function applyEvents(run: RunState, events: Iterable<RunEvent>): RunState {
  const fold = new RunFold(run);
  for (const event of events) fold.apply(event);
  return fold.finish();
}

/** The state after one more event; see `RunFold`. */
export function applyEvent(run: RunState, event: RunEvent): RunState {
  const fold = new RunFold(run);
  fold.apply(event);
  return fold.finish();
}

/** Whether nothing more can happen: the run has ended, or its process died. */
export function hasEnded(run: Pick<RunState, 'ended_at'>): boolean {
  return run.ended_at !== null;
}

export function isSettled(state: StepStateName): boolean {
  return (endStates as readonly string[]).includes(state);
}

/** The row of the history for a run. */
export function summarize(header: RunHeader, run: RunState, damaged = false): RunSummary {
  const startedAt = run.started_at ?? Date.parse(header.started_at);
  return {
    run_id: header.run_id,
    chain_name: header.chain_name,
    state: run.state,
    started_at: header.started_at,
    ended_at: run.ended_at === null ? null : new Date(run.ended_at).toISOString(),
    duration_ms: run.ended_at === null ? null : Math.max(0, run.ended_at - startedAt),
    steps_total: run.steps.size,
    steps_by_state: Object.fromEntries(
      stepStates.filter((name) => run.counts[name] > 0).map((name) => [name, run.counts[name]]),
    ),
    retries: run.retries,
    open_questions: run.questions.size,
    source: header.source,
    damaged,
  };
}

const noCounts = Object.fromEntries(stepStates.map((name) => [name, 0])) as Record<StepStateName, number>;

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type OpenState = Writable<Omit<RunState, 'steps' | 'counts'>> & { counts: Record<StepStateName, number> };

/**
 * A state that is being built: the given one is copied once, whatever number of events follows. Total: an event that does
 * not fit (a step that the chain does not have, a journal with a line missing) changes what it can and never throws, so
 * that a damaged journal can still be looked at.
 */
export class RunFold {
  /** Everything but the steps, as it is after the events so far. */
  readonly #run: OpenState;
  readonly #steps: StepTableDraft<StepRunState>;

  constructor(run: RunState) {
    // Written out, here and for a step: a spread of an object that is then changed costs many times as much.
    const { pending, ready, running, retrying, waiting, succeeded, failed, skipped, substituted, cancelled } =
      run.counts;
    this.#run = {
      run_id: run.run_id,
      chain_name: run.chain_name,
      outline: run.outline,
      state: run.state,
      questions: run.questions,
      counts: { pending, ready, running, retrying, waiting, succeeded, failed, skipped, substituted, cancelled },
      retries: run.retries,
      started_at: run.started_at,
      ended_at: run.ended_at,
      ending: run.ending,
      proof: run.proof,
      queue: run.queue,
      last_seq: run.last_seq,
    };
    this.#steps = run.steps.draft();
  }

  /** Everything but the steps, as it is after the events so far; it changes with the next one. */
  get now(): Readonly<Omit<RunState, 'steps'>> {
    return this.#run;
  }

  /** A step as it is after the events so far. */
  step(id: string): StepRunState | undefined {
    return this.#steps.get(id);
  }

  /** The state after the events so far; nothing may be applied any more. */
  finish(): RunState {
    const run = this.#run;
    return {
      run_id: run.run_id,
      chain_name: run.chain_name,
      outline: run.outline,
      state: run.state,
      steps: this.#steps.finish(),
      questions: run.questions,
      counts: run.counts,
      retries: run.retries,
      started_at: run.started_at,
      ended_at: run.ended_at,
      ending: run.ending,
      proof: run.proof,
      queue: run.queue,
      last_seq: run.last_seq,
    };
  }

  apply(event: RunEvent): void {
    this.#change(event);
    this.#run.last_seq = event.seq;
    this.#run.state = stateName(this.#run);
  }

  #change(event: RunEvent): void {
    const run = this.#run;
    switch (event.kind) {
      case 'run_started':
        run.started_at = event.at;
        this.#endIfSettled();
        break;
      case 'step_ready': {
        if (!this.#isManual(event.step_id)) run.queue = withLast(run.queue, event.step_id);
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.ready_at ??= event.at;
        step.retry = null;
        this.#setState(step, 'ready');
        break;
      }
      case 'step_started': {
        run.queue = taken(run.queue, event.step_id);
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.ready_at ??= event.at;
        step.retry = null;
        step.tries = [...step.tries, { try: event.try, started_at: event.at, ended_at: null }];
        this.#setState(step, this.#isManual(event.step_id) ? 'waiting' : 'running');
        break;
      }
      case 'try_succeeded': {
        const { at: ended_at, output } = event;
        this.#changeTry(event, ({ try: number, started_at }) => ({ try: number, started_at, ended_at, output }));
        break;
      }
      case 'try_failed': {
        const { at: ended_at, error } = event;
        this.#changeTry(event, ({ try: number, started_at }) => ({ try: number, started_at, ended_at, error }));
        break;
      }
      case 'retry_scheduled': {
        run.retries += 1;
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.retries_used += 1;
        step.retry = { try: event.try, due_at: event.at + event.delay_ms, error_class: event.class };
        this.#setState(step, 'retrying');
        break;
      }
      case 'question_asked': {
        run.questions = new Map(run.questions).set(event.question.id, event.question);
        const step = this.#open(event.question.step_id);
        if (step === null) break;
        step.question = event.question;
        step.questions_asked += 1;
        this.#setState(step, 'waiting');
        break;
      }
      case 'question_answered': {
        this.#removeQuestion(event.question_id);
        const step = this.#open(event.step_id);
        if (step === null) break;
        // It waits on for the event that the answer leads to.
        step.question = null;
        if (event.answer === 'retry') step.retries_used = 0;
        break;
      }
      case 'step_ended':
        this.#endStep(event);
        break;
      case 'cancel_requested':
        run.ending ??= { state: 'cancelled', reason: 'cancelled_by_person', step_id: null };
        break;
      case 'processes_stopped':
        run.proof = { started: event.started, left: event.left, duration_ms: event.duration_ms };
        break;
      case 'run_ended':
        run.ending = { state: event.state, reason: event.reason, step_id: event.step_id };
        run.ended_at = event.at;
        break;
      case 'run_interrupted':
        this.#interrupt(event.at);
        break;
    }
  }

  #endStep(event: Extract<RunEvent, { kind: 'step_ended' }>): void {
    const run = this.#run;
    const before = this.#steps.get(event.step_id);
    if (before === undefined || isSettled(before.state)) return;
    if (before.question !== null) this.#removeQuestion(before.question.id);
    run.queue = taken(run.queue, event.step_id);
    this.#close(event.step_id, event.state, event.reason, event.at);
    if (event.reason === 'failed_milestone' || event.reason === 'failed_abort') {
      run.ending ??= { state: 'failed', reason: event.reason, step_id: event.step_id };
    } else if (event.reason === 'aborted_by_person') {
      run.ending ??= { state: 'aborted', reason: event.reason, step_id: event.step_id };
    } else if (event.state !== 'cancelled') {
      for (const id of run.outline.steps.get(event.step_id)?.dependents ?? []) {
        const dependent = this.#open(id);
        if (dependent !== null) dependent.unsettled -= 1;
      }
      this.#endIfSettled();
    }
  }

  #interrupt(at: number): void {
    const run = this.#run;
    run.queue = emptyQueue;
    run.questions = new Map();
    run.ending = null;
    run.ended_at = at;
    for (const id of run.outline.steps.keys()) {
      const step = this.#steps.get(id);
      if (step !== undefined && !isSettled(step.state)) this.#close(id, 'cancelled', 'engine_stopped', at);
    }
  }

  #close(id: string, state: StepStateName, reason: EndReason, at: number): void {
    const step = this.#open(id);
    if (step === null) return;
    step.reason = reason;
    step.ended_at = at;
    step.question = null;
    step.retry = null;
    const last = step.tries.at(-1);
    if (last !== undefined && last.ended_at === null)
      step.tries = [...step.tries.slice(0, -1), { ...last, ended_at: at }];
    this.#setState(step, state);
  }

  #endIfSettled(): void {
    const { counts, outline } = this.#run;
    const settled = counts.succeeded + counts.failed + counts.skipped + counts.substituted + counts.cancelled;
    if (settled >= outline.steps.size) this.#run.ending ??= { state: 'succeeded', reason: 'ok', step_id: null };
  }

  #removeQuestion(id: string): void {
    const questions = new Map(this.#run.questions);
    questions.delete(id);
    this.#run.questions = questions;
  }

  /** A person does it: it needs none of the places that programs share. */
  #isManual(id: string): boolean {
    return this.#run.outline.steps.get(id)?.kind === 'manual';
  }

  /** A copy of the step that is in the table already and may be changed; null when the chain has no such step. */
  #open(id: string): Writable<StepRunState> | null {
    const step = this.#steps.get(id);
    if (step === undefined) return null;
    const copy: Writable<StepRunState> = {
      id: step.id,
      state: step.state,
      tries: step.tries,
      ready_at: step.ready_at,
      ended_at: step.ended_at,
      reason: step.reason,
      question: step.question,
      retry: step.retry,
      retries_used: step.retries_used,
      questions_asked: step.questions_asked,
      unsettled: step.unsettled,
    };
    this.#steps.set(id, copy);
    return copy;
  }

  #changeTry(event: { readonly step_id: string; readonly try: number }, change: (one: TryState) => TryState): void {
    const step = this.#open(event.step_id);
    if (step !== null) step.tries = step.tries.map((one) => (one.try === event.try ? change(one) : one));
  }

  #setState(step: Writable<StepRunState>, state: StepStateName): void {
    this.#run.counts[step.state] -= 1;
    this.#run.counts[state] += 1;
    step.state = state;
  }
}

function stateName(run: Pick<RunState, 'ending' | 'ended_at' | 'counts'>): RunStateName {
  if (run.ending !== null) return run.ending.state;
  if (run.ended_at !== null) return 'interrupted';
  const { running, retrying, ready, waiting } = run.counts;
  return waiting > 0 && running + retrying + ready === 0 ? 'waiting' : 'running';
}

function pendingStep(step: OutlineStep): StepRunState {
  return {
    id: step.id,
    state: 'pending',
    tries: [],
    ready_at: null,
    ended_at: null,
    reason: null,
    question: null,
    retry: null,
    retries_used: 0,
    questions_asked: 0,
    unsettled: step.dependencies.length,
  };
}

function outlineOf(header: RunHeader, chain: Chain): RunOutline {
  const milestones = classifyMilestones(chain);
  const dependents = new Map<string, string[]>(chain.steps.map((step) => [step.id, []]));
  const dependencies = chain.steps.map((step) =>
    step.depends_on.length < 2 ? step.depends_on : [...new Set(step.depends_on)],
  );
  chain.steps.forEach((step, place) => {
    for (const id of dependencies[place]!) dependents.get(id)?.push(step.id);
  });
  const steps = new Map<string, OutlineStep>();
  for (const [place, step] of chain.steps.entries()) {
    const isMilestone = milestones.get(step.id)?.is_milestone;
    invariant(isMilestone !== undefined, 'every step has an answer to whether it is a milestone');
    steps.set(step.id, {
      id: step.id,
      kind: stepKind(step),
      dependents: dependents.get(step.id) ?? [],
      dependencies: dependencies[place]!,
      policy: policyOf(step, isMilestone, header.settings.default_max_retries),
    });
  }
  return { max_parallel: header.settings.max_parallel, steps };
}

function policyOf(step: Step, isMilestone: boolean, defaultMaxRetries: number): FailurePolicy {
  return {
    max_retries: step.retry_policy?.max_retries ?? defaultMaxRetries,
    error_types: step.retry_policy?.error_types ?? [],
    on_exhaust: step.failure_mode?.on_exhaust ?? 'ask',
    is_milestone: isMilestone,
    continue_on_error: saysContinue(step['continue_on_error']) || saysContinue(step.with?.['continue_on_error']),
    retries_by_itself: stepKind(step) !== 'manual',
  };
}

/** Both forms that are found in files: the boolean and its text. */
function saysContinue(value: unknown): boolean {
  return value === true || value === 'true';
}
