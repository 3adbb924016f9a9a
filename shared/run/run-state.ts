import type { Chain } from '../chain/chain.ts';
import type { TemplateOutput } from '../template/template.ts';
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
  type TryWork,
} from './event.ts';
import { askedKinds, type OutlineStep, outlineOf, type RunOutline } from './outline.ts';
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
  readonly work?: TryWork;
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
  /** What it gave in the end, or what stands in for it; null = nothing. */
  readonly output: StepOutput | null;
  /** The event with which it ended. */
  readonly ended_seq: number | null;
  /** The skill that its route chose; null = the step's own. */
  readonly skill: string | null;
  /** Dependencies that are not settled yet. */
  readonly unsettled: number;
  /** Settled dependencies that are not on a way that was not taken. */
  readonly lit: number;
  /** Routes that may lead to it and are not decided yet, and those that did. */
  readonly routes_open: number;
  readonly routes_taken: number;
  /** Set for one item of a `fan_out`. */
  readonly child: { readonly of: string; readonly index: number; readonly item: unknown } | null;
  /** Set for a `fan_out` whose items are known: how many children, how many are being worked on, how they ended. */
  readonly fan: {
    readonly size: number;
    readonly open: number;
    readonly ended: number;
    readonly failed: number;
  } | null;
  /** It has failed for good and its stand-in is at work. */
  readonly in_fallback: boolean;
  /** It takes one of the places that programs share. */
  readonly has_place: boolean;
  /** What it was doing when the program ended; null once the run goes on. */
  readonly interrupted_from: StepStateName | null;
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
  /** Places that are taken. */
  readonly in_work: number;
  /** -1 before the first event. */
  readonly last_seq: number;
}

/** The state before the first event. `chain` is the header's `chain_text`, parsed. */
export function initialRunState(header: RunHeader, chain: Chain): RunState {
  const outline = outlineOf(header, chain);
  const steps = StepTable.from(
    [...outline.steps.values()].map((step) => [step.id, pendingStep(step.id, step)] as const),
  );
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
    in_work: 0,
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
  return fold.snapshot();
}

/** The state after one more event; see `RunFold`. */
export function applyEvent(run: RunState, event: RunEvent): RunState {
  const fold = new RunFold(run);
  fold.apply(event);
  return fold.snapshot();
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

/** Reads a whole output of which the run keeps a part; without one the part has to do. */
export type ReadWhole = (output: StepOutput) => TemplateOutput;

/**
 * A state that is being built: events change it in place, whatever their number, and `snapshot` gives it as a value that
 * stays. Total: an event that does not fit (a step that the chain does not have, a journal with a line missing) changes
 * what it can and never throws, so that a damaged journal can still be looked at.
 */
export class RunFold {
  readonly #run: OpenState;
  readonly #steps: StepTableDraft<StepRunState>;
  /** Steps that no snapshot holds yet, so that they may be changed in place. */
  #own = new Set<StepRunState>();
  readonly whole: ReadWhole;

  constructor(run: RunState, whole: ReadWhole = (output) => output) {
    this.whole = whole;
    // Written out, here and for a step: a spread of an object that is then changed costs many times as much.
    this.#run = {
      run_id: run.run_id,
      chain_name: run.chain_name,
      outline: run.outline,
      state: run.state,
      questions: run.questions,
      counts: copyCounts(run.counts),
      retries: run.retries,
      started_at: run.started_at,
      ended_at: run.ended_at,
      ending: run.ending,
      proof: run.proof,
      queue: run.queue,
      in_work: run.in_work,
      last_seq: run.last_seq,
    };
    this.#steps = run.steps.draft();
  }

  /** Everything but the steps, as it is after the events so far; it changes with the next one. */
  get now(): Readonly<Omit<RunState, 'steps'>> {
    return this.#run;
  }

  get outline(): RunOutline {
    return this.#run.outline;
  }

  /** A step as it is after the events so far; it changes with the next one. */
  step(id: string): StepRunState | undefined {
    return this.#steps.get(id);
  }

  /** What the chain says of a step; of a child, what its `fan_out` says of every child. */
  about(id: string): OutlineStep | undefined {
    return aboutStep(this.#run.outline, this.#steps.get(id) ?? id);
  }

  /** The ids of all steps, children behind the steps of the chain. */
  ids(): Iterable<string> {
    return this.#steps.keys();
  }

  /** The state after the events so far, as a value. */
  snapshot(): RunState {
    const run = this.#run;
    this.#own = new Set();
    return {
      run_id: run.run_id,
      chain_name: run.chain_name,
      outline: run.outline,
      state: stateName(run),
      steps: this.#steps.snapshot(),
      questions: run.questions,
      counts: copyCounts(run.counts),
      retries: run.retries,
      started_at: run.started_at,
      ended_at: run.ended_at,
      ending: run.ending,
      proof: run.proof,
      queue: run.queue,
      in_work: run.in_work,
      last_seq: run.last_seq,
    };
  }

  apply(event: RunEvent): void {
    this.#change(event);
    this.#run.last_seq = event.seq;
  }

  #change(event: RunEvent): void {
    const run = this.#run;
    switch (event.kind) {
      case 'run_started':
        run.started_at = event.at;
        this.#endIfSettled();
        break;
      case 'step_ready': {
        run.queue = withLast(run.queue, event.step_id);
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.ready_at ??= event.at;
        step.retry = null;
        step.interrupted_from = null;
        this.#setState(step, 'ready');
        break;
      }
      case 'step_started':
        this.#startTry(event);
        break;
      case 'try_succeeded': {
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.output = event.output;
        this.#endTry(step, event.try, event.at, { output: event.output, ...workOf(event) });
        break;
      }
      case 'try_failed': {
        const step = this.#open(event.step_id);
        if (step !== null) this.#endTry(step, event.try, event.at, { error: event.error, ...workOf(event) });
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
        step.ready_at ??= event.at;
        step.question = event.question;
        step.questions_asked += 1;
        step.interrupted_from = null;
        this.#setState(step, 'waiting');
        break;
      }
      case 'question_answered':
      case 'question_expired': {
        this.#removeQuestion(event.question_id);
        const step = this.#open(event.step_id);
        if (step === null) break;
        // It waits on for the event that the answer leads to.
        step.question = null;
        if (event.kind === 'question_answered' && event.answer === 'retry') step.retries_used = 0;
        break;
      }
      case 'step_ended':
        this.#endStep(event);
        break;
      case 'step_reused': {
        const step = this.#open(event.step_id);
        if (step === null || isSettled(step.state)) break;
        step.output = event.output;
        this.#close(step, 'succeeded', 'reused', event);
        this.#tellDependents(step);
        break;
      }
      case 'route_taken':
        this.#takeRoute(event.step_id, event.to);
        break;
      case 'skill_chosen': {
        const step = this.#open(event.step_id);
        if (step !== null) step.skill = event.skill;
        break;
      }
      case 'fallback_started': {
        const step = this.#open(event.step_id);
        if (step === null) break;
        step.in_fallback = true;
        this.#setState(step, 'running');
        break;
      }
      case 'fan_out_expanded':
        this.#expand(event.step_id, event.items);
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
      case 'run_resumed':
        this.#resume();
        break;
    }
  }

  #startTry(event: Extract<RunEvent, { kind: 'step_started' }>): void {
    const run = this.#run;
    run.queue = taken(run.queue, event.step_id);
    const step = this.#open(event.step_id);
    if (step === null) return;
    step.ready_at ??= event.at;
    step.retry = null;
    const one: TryState = { try: event.try, started_at: event.at, ended_at: null };
    step.tries = step.tries.length === 0 ? [one] : [...step.tries, one];
    step.interrupted_from = null;
    this.#setState(step, this.#isAsked(step) ? 'waiting' : 'running');
  }

  #endTry(step: OpenStep, number: number, at: number, end: Pick<TryState, 'error' | 'output' | 'work'>): void {
    const last = step.tries.length - 1;
    step.tries = step.tries.map((one, place) =>
      one.try === number && (place === last || one.ended_at === null)
        ? { try: one.try, started_at: one.started_at, ended_at: at, ...end }
        : one,
    );
  }

  #endStep(event: Extract<RunEvent, { kind: 'step_ended' }>): void {
    const run = this.#run;
    const before = this.#steps.get(event.step_id);
    if (before === undefined || isSettled(before.state)) return;
    if (before.question !== null) this.#removeQuestion(before.question.id);
    run.queue = taken(run.queue, event.step_id);
    const step = this.#open(event.step_id)!;
    // What a step that failed or was skipped has printed is no result.
    if (event.output !== undefined) step.output = event.output;
    else if (event.state !== 'succeeded') step.output = null;
    this.#close(step, event.state, event.reason, event);
    if (event.reason === 'failed_milestone' || event.reason === 'failed_abort') {
      run.ending ??= { state: 'failed', reason: event.reason, step_id: event.step_id };
    } else if (event.reason === 'aborted_by_person') {
      run.ending ??= { state: 'aborted', reason: event.reason, step_id: event.step_id };
    } else if (event.state !== 'cancelled') this.#tellDependents(step);
  }

  /** A step has settled: what waits for it is nearer to its turn. */
  #tellDependents(step: OpenStep): void {
    if (step.child !== null) return;
    const about = this.#run.outline.steps.get(step.id);
    const isDark = step.reason === 'route_not_taken';
    for (const id of about?.dependents ?? []) {
      const isWay = about!.route?.targets.has(id) === true;
      // The edge of a way is settled when the route is decided; a dark step decides nothing.
      if (isWay && !isDark) continue;
      const dependent = this.#open(id);
      if (dependent === null) continue;
      dependent.unsettled -= 1;
      if (!isDark) dependent.lit += 1;
      if (isWay) dependent.routes_open -= 1;
    }
    this.#endIfSettled();
  }

  #takeRoute(stepId: string, to: string | null): void {
    for (const id of this.#run.outline.steps.get(stepId)?.route?.targets ?? []) {
      const target = this.#open(id);
      if (target === null) continue;
      target.unsettled -= 1;
      target.routes_open -= 1;
      if (id !== to) continue;
      target.lit += 1;
      target.routes_taken += 1;
    }
  }

  #expand(stepId: string, items: readonly unknown[]): void {
    const parent = this.#open(stepId);
    if (parent === null) return;
    const fresh: [string, StepRunState][] = [];
    let ended = 0;
    items.forEach((item, place) => {
      const id = childId(stepId, place + 1);
      const known = this.#open(id);
      if (known === null) {
        const child = { of: stepId, index: place, item };
        fresh.push([id, { ...pendingStep(id, noOutlineEdges), child }]);
      } else if (known.state === 'succeeded') ended += 1;
      else {
        // The step is tried again: what failed or was not started before has another turn.
        this.#setState(known, 'pending');
        known.reason = null;
        known.ended_at = null;
        known.ended_seq = null;
        known.retries_used = 0;
      }
    });
    if (fresh.length > 0) {
      this.#steps.append(fresh);
      this.#run.counts.pending += fresh.length;
    }
    parent.fan = { size: items.length, open: 0, ended, failed: 0 };
  }

  #interrupt(at: number): void {
    const run = this.#run;
    run.queue = emptyQueue;
    run.questions = new Map();
    run.ending = null;
    run.ended_at = at;
    for (const id of [...this.#steps.keys()]) {
      const step = this.#steps.get(id);
      if (step === undefined || isSettled(step.state)) continue;
      const open = this.#open(id)!;
      const from = open.state;
      const { question, in_fallback } = open;
      this.#close(open, 'cancelled', 'engine_stopped', { at, seq: run.last_seq + 1 });
      // Kept: when the run goes on, the same question is open again and the same step stands in.
      open.interrupted_from = from;
      open.question = question;
      open.in_fallback = in_fallback;
      open.ended_seq = null;
    }
  }

  /** What was going on is going on again, as far as a fold can say it; `decide` starts what has to be started. */
  #resume(): void {
    const run = this.#run;
    run.ended_at = null;
    run.proof = null;
    const questions = new Map<string, Question>();
    for (const id of [...this.#steps.keys()]) {
      const step = this.#steps.get(id);
      if (step === undefined || step.reason !== 'engine_stopped') continue;
      const open = this.#open(id)!;
      const from = open.interrupted_from ?? 'pending';
      open.reason = null;
      open.ended_at = null;
      if (open.question !== null) questions.set(open.question.id, open.question);
      // What ran or was about to run is started or asked about by the events that follow.
      const isParent = from === 'running' && (open.in_fallback || open.fan !== null);
      if (isParent || from === 'pending' || from === 'waiting') open.interrupted_from = null;
      this.#setState(open, isParent || from === 'pending' || from === 'waiting' ? from : 'ready');
    }
    run.questions = questions;
  }

  #close(
    step: OpenStep,
    state: StepStateName,
    reason: EndReason,
    event: { readonly at: number; readonly seq: number },
  ) {
    const { at } = event;
    step.reason = reason;
    step.ended_at = at;
    step.ended_seq = event.seq;
    step.question = null;
    step.retry = null;
    step.in_fallback = false;
    const last = step.tries.at(-1);
    if (last !== undefined && last.ended_at === null) {
      step.tries = [...step.tries.slice(0, -1), { ...last, ended_at: at }];
    }
    this.#setState(step, state);
    if (step.child === null || reason !== 'failed_in_fan_out') return;
    const parent = this.#open(step.child.of);
    if (parent?.fan) parent.fan = { ...parent.fan, failed: parent.fan.failed + 1 };
  }

  #endIfSettled(): void {
    const { counts } = this.#run;
    const settled = counts.succeeded + counts.failed + counts.skipped + counts.substituted + counts.cancelled;
    if (settled >= this.#steps.size) this.#run.ending ??= { state: 'succeeded', reason: 'ok', step_id: null };
  }

  #removeQuestion(id: string): void {
    if (!this.#run.questions.has(id)) return;
    const questions = new Map(this.#run.questions);
    questions.delete(id);
    this.#run.questions = questions;
  }

  /** A person does it: it needs none of the places that programs share. */
  #isAsked(step: StepRunState): boolean {
    const about = aboutStep(this.#run.outline, step);
    return about !== undefined && askedKinds.has(about.kind);
  }

  /** The step, in the table already, to be changed; null when the run has no such step. */
  #open(id: string): OpenStep | null {
    const step = this.#steps.get(id);
    if (step === undefined) return null;
    if (this.#own.has(step)) return step;
    const copy = copyStep(step);
    this.#own.add(copy);
    this.#steps.set(id, copy);
    return copy;
  }

  /** A `fan_out` waits for its children and a failed step for its stand-in: no program of theirs takes a place. */
  #isAtWork(step: StepRunState): boolean {
    return !step.in_fallback && aboutStep(this.#run.outline, step)?.kind !== 'fan_out';
  }

  #setState(step: OpenStep, state: StepStateName): void {
    const run = this.#run;
    run.counts[step.state] -= 1;
    run.counts[state] += 1;
    const before = step.state;
    step.state = state;
    const hasPlace = state === 'running' && this.#isAtWork(step);
    if (hasPlace !== step.has_place) run.in_work += hasPlace ? 1 : -1;
    step.has_place = hasPlace;
    if (step.child !== null) this.#countChild(step.child.of, before, state);
  }

  /** A child is open from its first start to its end; tries, delays and questions lie between. */
  #countChild(parentId: string, before: StepStateName, after: StepStateName): void {
    const parent = this.#open(parentId);
    if (!parent?.fan) return;
    const ended = Number(isSettled(after)) - Number(isSettled(before));
    const open = Number(isOpenState(after)) - Number(isOpenState(before));
    if (ended === 0 && open === 0) return;
    const { size, failed } = parent.fan;
    parent.fan = { size, open: parent.fan.open + open, ended: parent.fan.ended + ended, failed };
  }
}

type OpenStep = Writable<StepRunState>;

function isOpenState(state: StepStateName): boolean {
  return state !== 'pending' && !isSettled(state);
}

/** The id of the child for the item `n`, counted from 1. */
export function childId(stepId: string, n: number): string {
  return `${stepId}_${n}`;
}

/** What the chain says of a step; of a child, what its `fan_out` says of every child. */
export function aboutStep(outline: RunOutline, step: StepRunState | string): OutlineStep | undefined {
  if (typeof step === 'string') return outline.steps.get(step);
  if (step.child === null) return outline.steps.get(step.id);
  return outline.steps.get(step.child.of)?.fan_out?.child;
}

function workOf(event: { readonly work?: TryWork | undefined }): { work?: TryWork } {
  return event.work === undefined ? {} : { work: event.work };
}

function stateName(run: Pick<RunState, 'ending' | 'ended_at' | 'counts' | 'in_work'>): RunStateName {
  if (run.ending !== null) return run.ending.state;
  if (run.ended_at !== null) return 'interrupted';
  const { retrying, ready, waiting } = run.counts;
  return waiting > 0 && run.in_work + retrying + ready === 0 ? 'waiting' : 'running';
}

const noOutlineEdges = { dependencies: [], routers: [] } as const;

function pendingStep(id: string, about: Pick<OutlineStep, 'dependencies' | 'routers'>): StepRunState {
  return {
    id,
    state: 'pending',
    tries: noTries,
    ready_at: null,
    ended_at: null,
    reason: null,
    question: null,
    retry: null,
    retries_used: 0,
    questions_asked: 0,
    output: null,
    ended_seq: null,
    skill: null,
    unsettled: about.dependencies.length,
    lit: 0,
    routes_open: about.routers.length,
    routes_taken: 0,
    child: null,
    fan: null,
    in_fallback: false,
    has_place: false,
    interrupted_from: null,
  };
}

const noTries: readonly TryState[] = [];

function copyStep(step: StepRunState): OpenStep {
  return {
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
    output: step.output,
    ended_seq: step.ended_seq,
    skill: step.skill,
    unsettled: step.unsettled,
    lit: step.lit,
    routes_open: step.routes_open,
    routes_taken: step.routes_taken,
    child: step.child,
    fan: step.fan,
    in_fallback: step.in_fallback,
    has_place: step.has_place,
    interrupted_from: step.interrupted_from,
  };
}

function copyCounts(counts: Readonly<Record<StepStateName, number>>): Record<StepStateName, number> {
  const { pending, ready, running, retrying, waiting, succeeded, failed, skipped, substituted, cancelled } = counts;
  return { pending, ready, running, retrying, waiting, succeeded, failed, skipped, substituted, cancelled };
}
