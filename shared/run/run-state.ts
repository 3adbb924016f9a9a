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
import { StepTable } from './step-table.ts';

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
  let state = initialRunState(header, chain);
  for (const event of events) state = applyEvent(state, event);
  return state;
}

/**
 * The state after one more event. Total: an event that does not fit (a step that the chain does not have, a journal
 * with a line missing) changes what it can and never throws, so that a damaged journal can still be looked at.
 */
export function applyEvent(run: RunState, event: RunEvent): RunState {
  const next = changed(run, event);
  return { ...next, last_seq: event.seq, state: stateName(next) };
}

/** Whether nothing more can happen: the run has ended, or its process died. */
export function hasEnded(run: RunState): boolean {
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

function changed(run: RunState, event: RunEvent): RunState {
  switch (event.kind) {
    case 'run_started':
      return withEndIfSettled({ ...run, started_at: event.at });
    case 'step_ready':
      return withStep(isManual(run, event.step_id) ? run : queued(run, event.step_id), event.step_id, (step) => ({
        state: 'ready',
        ready_at: step.ready_at ?? event.at,
        retry: null,
      }));
    case 'step_started':
      return withStep({ ...run, queue: taken(run.queue, event.step_id) }, event.step_id, (step) => ({
        state: isManual(run, event.step_id) ? 'waiting' : 'running',
        ready_at: step.ready_at ?? event.at,
        retry: null,
        tries: [...step.tries, { try: event.try, started_at: event.at, ended_at: null }],
      }));
    case 'try_succeeded':
      return withStep(run, event.step_id, (step) => ({
        tries: withTry(step.tries, event.try, { ended_at: event.at, output: event.output }),
      }));
    case 'try_failed':
      return withStep(run, event.step_id, (step) => ({
        tries: withTry(step.tries, event.try, { ended_at: event.at, error: event.error }),
      }));
    case 'retry_scheduled':
      return withStep({ ...run, retries: run.retries + 1 }, event.step_id, (step) => ({
        state: 'retrying',
        retries_used: step.retries_used + 1,
        retry: { try: event.try, due_at: event.at + event.delay_ms, error_class: event.class },
      }));
    case 'question_asked':
      return withStep(withQuestion(run, event.question), event.question.step_id, (step) => ({
        state: 'waiting',
        question: event.question,
        questions_asked: step.questions_asked + 1,
      }));
    case 'question_answered':
      // It waits on for the event that the answer leads to.
      return withStep(withoutQuestion(run, event.question_id), event.step_id, (step) => ({
        question: null,
        retries_used: event.answer === 'retry' ? 0 : step.retries_used,
      }));
    case 'step_ended':
      return withEndedStep(run, event);
    case 'cancel_requested':
      return { ...run, ending: run.ending ?? { state: 'cancelled', reason: 'cancelled_by_person', step_id: null } };
    case 'processes_stopped':
      return { ...run, proof: { started: event.started, left: event.left, duration_ms: event.duration_ms } };
    case 'run_ended':
      return {
        ...run,
        ending: { state: event.state, reason: event.reason, step_id: event.step_id },
        ended_at: event.at,
      };
    case 'run_interrupted':
      return interrupted(run, event.at);
  }
}

function stateName(run: RunState): RunStateName {
  if (run.ending !== null) return run.ending.state;
  if (run.ended_at !== null) return 'interrupted';
  const { running, retrying, ready, waiting } = run.counts;
  return waiting > 0 && running + retrying + ready === 0 ? 'waiting' : 'running';
}

/** A person does it: it needs none of the places that programs share. */
function isManual(run: RunState, id: string): boolean {
  return run.outline.steps.get(id)?.kind === 'manual';
}

function queued(run: RunState, id: string): RunState {
  return { ...run, queue: withLast(run.queue, id) };
}

function withStep(run: RunState, id: string, change: (step: StepRunState) => Partial<StepRunState>): RunState {
  const before = run.steps.get(id);
  if (before === undefined) return run;
  const after = { ...before, ...change(before) };
  const counts = { ...run.counts };
  if (after.state !== before.state) {
    counts[before.state] -= 1;
    counts[after.state] += 1;
  }
  return { ...run, steps: run.steps.with(id, after), counts };
}

function withEndedStep(run: RunState, event: Extract<RunEvent, { kind: 'step_ended' }>): RunState {
  const before = run.steps.get(event.step_id);
  if (before === undefined || isSettled(before.state)) return run;
  let next = before.question === null ? run : withoutQuestion(run, before.question.id);
  next = withStep({ ...next, queue: taken(next.queue, event.step_id) }, event.step_id, (step) => ({
    state: event.state,
    reason: event.reason,
    ended_at: event.at,
    question: null,
    retry: null,
    tries: closed(step.tries, event.at),
  }));
  if (event.reason === 'failed_milestone' || event.reason === 'failed_abort') {
    return { ...next, ending: next.ending ?? { state: 'failed', reason: event.reason, step_id: event.step_id } };
  }
  if (event.reason === 'aborted_by_person') {
    return { ...next, ending: next.ending ?? { state: 'aborted', reason: event.reason, step_id: event.step_id } };
  }
  if (event.state === 'cancelled') return next;
  for (const id of run.outline.steps.get(event.step_id)?.dependents ?? []) {
    next = withStep(next, id, (step) => ({ unsettled: step.unsettled - 1 }));
  }
  return withEndIfSettled(next);
}

function withEndIfSettled(run: RunState): RunState {
  const settled = endStates.reduce((sum, name) => sum + run.counts[name], 0);
  if (run.ending !== null || settled < run.steps.size) return run;
  return { ...run, ending: { state: 'succeeded', reason: 'ok', step_id: null } };
}

function interrupted(run: RunState, at: number): RunState {
  let next: RunState = { ...run, queue: emptyQueue, questions: new Map(), ending: null };
  for (const step of run.steps.values()) {
    if (isSettled(step.state)) continue;
    next = withStep(next, step.id, () => ({
      state: 'cancelled',
      reason: 'engine_stopped',
      ended_at: at,
      question: null,
      retry: null,
      tries: closed(step.tries, at),
    }));
  }
  return { ...next, ended_at: at };
}

function withTry(tries: readonly TryState[], number: number, change: Partial<TryState>): readonly TryState[] {
  return tries.map((one) => (one.try === number ? { ...one, ...change } : one));
}

function closed(tries: readonly TryState[], at: number): readonly TryState[] {
  const last = tries.at(-1);
  return last === undefined || last.ended_at !== null ? tries : [...tries.slice(0, -1), { ...last, ended_at: at }];
}

function withQuestion(run: RunState, question: Question): RunState {
  return { ...run, questions: new Map(run.questions).set(question.id, question) };
}

function withoutQuestion(run: RunState, id: string): RunState {
  const questions = new Map(run.questions);
  questions.delete(id);
  return { ...run, questions };
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
  for (const step of chain.steps) {
    for (const id of new Set(step.depends_on)) dependents.get(id)?.push(step.id);
  }
  const steps = new Map<string, OutlineStep>();
  for (const step of chain.steps) {
    const isMilestone = milestones.get(step.id)?.is_milestone;
    invariant(isMilestone !== undefined, 'every step has an answer to whether it is a milestone');
    steps.set(step.id, {
      id: step.id,
      kind: stepKind(step),
      dependents: dependents.get(step.id) ?? [],
      dependencies: [...new Set(step.depends_on)],
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
