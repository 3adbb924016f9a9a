import { AppError } from '../errors/app-error.ts';
import { invariant } from '../errors/invariant.ts';
import {
  type Answer,
  type EndReason,
  type EndState,
  manualAnswers,
  type Question,
  type RunEvent,
  type StepOutput,
  type TryError,
  type TryWork,
} from './event.ts';
import { afterFailure } from './failure-policy.ts';
import { first } from './queue.ts';
import { hasEnded, isSettled, RunFold, type RunState, type StepRunState } from './run-state.ts';

/** How one try ended, as its executor saw it. */
export type TryResult =
  | { readonly kind: 'succeeded'; readonly output: StepOutput; readonly work?: TryWork }
  | { readonly kind: 'failed'; readonly error: TryError; readonly work?: TryWork };

/** Everything that can reach a run from outside. */
export type RunInput =
  | { readonly kind: 'start' }
  | { readonly kind: 'try_ended'; readonly step_id: string; readonly try: number; readonly result: TryResult }
  /** The delay of a scheduled retry is over. */
  | { readonly kind: 'retry_due'; readonly step_id: string; readonly try: number }
  | { readonly kind: 'answer'; readonly question_id: string; readonly answer: string; readonly note?: string }
  | { readonly kind: 'cancel' }
  /** No process of the run runs any more, or `left` of them could not be ended. */
  | { readonly kind: 'stopped'; readonly started: number; readonly left: number; readonly duration_ms: number };

export interface Decision {
  /** In order; `seq` goes on from the state's. Empty when the input changes nothing (it came too late). */
  readonly events: readonly RunEvent[];
  /** The state after them. */
  readonly state: RunState;
}

/**
 * Given this state and this input, which events follow. The only place that knows what may start, what a failure
 * means and when a run ends; whoever calls it appends the events and performs their effects: `step_started` of a step
 * that is not `manual` starts an executor, `retry_scheduled` a timer, a state with `ending` stops what still runs and
 * is answered with `stopped`. `at`: milliseconds since 1970. The cost depends on the events that follow, not on the
 * size of the chain. Errors: QUESTION_NOT_FOUND, ANSWER_INVALID, RUN_ENDED (answer only).
 */
export function decide(run: RunState, input: RunInput, at: number): Decision {
  const draft = new Draft(run, at);
  switch (input.kind) {
    case 'start':
      draft.start();
      break;
    case 'try_ended':
      draft.tryEnded(input.step_id, input.try, input.result);
      break;
    case 'retry_due':
      draft.retryDue(input.step_id, input.try);
      break;
    case 'answer':
      draft.answer(input.question_id, input.answer, input.note);
      break;
    case 'cancel':
      draft.cancel();
      break;
    case 'stopped':
      draft.stopped(input.started, input.left, input.duration_ms);
      break;
  }
  return { events: draft.events, state: draft.finish() };
}

type Payload = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, 'seq' | 'at'> : never) : never;

class Draft {
  readonly events: RunEvent[] = [];
  readonly #fold: RunFold;
  readonly #at: number;

  constructor(run: RunState, at: number) {
    this.#fold = new RunFold(run);
    this.#at = at;
  }

  get run(): RunFold['now'] {
    return this.#fold.now;
  }

  finish(): RunState {
    return this.#fold.finish();
  }

  start(): void {
    invariant(this.run.last_seq === -1, 'a run starts once');
    this.#add({ kind: 'run_started' });
    for (const id of this.run.outline.steps.keys()) {
      if (this.#step(id).unsettled === 0) this.#makeReady(id);
    }
    this.#goOn();
  }

  tryEnded(stepId: string, number: number, result: TryResult): void {
    const step = this.#fold.step(stepId);
    // A try that was stopped answers after its step was cancelled.
    if (step?.state !== 'running' || step.tries.at(-1)?.try !== number) return;
    this.#endTry(step, number, result);
    this.#goOn();
  }

  retryDue(stepId: string, number: number): void {
    const step = this.#fold.step(stepId);
    if (step?.state !== 'retrying' || step.retry?.try !== number) return;
    if (this.#hasFreePlace()) this.#startStep(step);
    else this.#makeReady(stepId);
  }

  answer(questionId: string, answer: string, note: string | undefined): void {
    if (hasEnded(this.run) || this.run.ending !== null) throw new AppError('RUN_ENDED', { id: this.run.run_id });
    const question = this.run.questions.get(questionId);
    if (question === undefined) throw new AppError('QUESTION_NOT_FOUND', { id: questionId });
    if (!question.choices.includes(answer)) throw new AppError('ANSWER_INVALID', { answer });
    const step = this.#step(question.step_id);
    this.#add({
      kind: 'question_answered',
      question_id: questionId,
      step_id: step.id,
      answer,
      ...(note === undefined ? {} : { note }),
    });
    if (question.kind === 'manual') this.#manualAnswered(step, answer as (typeof manualAnswers)[number], note);
    else this.#failureAnswered(step.id, answer as Answer);
    this.#goOn();
  }

  cancel(): void {
    if (hasEnded(this.run) || this.run.ending !== null) return;
    this.#add({ kind: 'cancel_requested' });
    this.#goOn();
  }

  stopped(started: number, left: number, durationMs: number): void {
    const { ending } = this.run;
    invariant(ending !== null && !hasEnded(this.run), 'a run is stopped when it is ending, and once');
    this.#add({ kind: 'processes_stopped', started, left, duration_ms: durationMs });
    this.#add({ kind: 'run_ended', ...ending });
  }

  #manualAnswered(step: StepRunState, answer: (typeof manualAnswers)[number], note: string | undefined): void {
    const number = step.tries.at(-1)?.try ?? 1;
    if (answer === 'skip') this.#endStep(step.id, 'skipped', 'skipped_by_person');
    else if (answer === 'done') {
      const output = { text: note ?? '', truncated: false };
      this.#endTry(step, number, { kind: 'succeeded', output });
    } else {
      const error: TryError = { class: 'other', code: 'MANUAL', message: note ?? '', hint: null, exit_code: null };
      this.#endTry(step, number, { kind: 'failed', error });
    }
  }

  #failureAnswered(stepId: string, answer: Answer): void {
    if (answer === 'retry') this.#makeReady(stepId);
    else if (answer === 'skip') this.#endStep(stepId, 'skipped', 'skipped_by_person');
    else this.#endStep(stepId, 'failed', 'aborted_by_person');
  }

  #endTry(step: StepRunState, number: number, result: TryResult): void {
    if (result.kind === 'succeeded') {
      this.#add({ kind: 'try_succeeded', step_id: step.id, try: number, output: result.output });
      this.#endStep(step.id, 'succeeded', 'ok');
      return;
    }
    const { error } = result;
    this.#add({ kind: 'try_failed', step_id: step.id, try: number, error });
    const next = afterFailure(error.class, step.retries_used, this.#outline(step.id).policy);
    if (next.kind === 'retry') {
      const delay_ms = next.delay_ms;
      this.#add({ kind: 'retry_scheduled', step_id: step.id, try: number + 1, delay_ms, class: error.class });
    } else if (next.kind === 'ask') this.#ask(step, 'failure', next.choices, error);
    else if (next.kind === 'skip') this.#endStep(step.id, 'skipped', 'skipped_by_policy');
    else if (next.kind === 'continue') this.#endStep(step.id, 'failed', 'failed_continued');
    else this.#endStep(step.id, 'failed', next.reason);
  }

  #ask(step: StepRunState, kind: Question['kind'], choices: readonly string[], error: TryError | null): void {
    const id = `${step.id}.${step.questions_asked + 1}`;
    this.#add({ kind: 'question_asked', question: { id, step_id: step.id, kind, choices: [...choices], error } });
  }

  #endStep(stepId: string, state: EndState, reason: EndReason): void {
    const readyAt = this.#step(stepId).ready_at;
    const duration_ms = readyAt === null ? 0 : Math.max(0, this.#at - readyAt);
    this.#add({ kind: 'step_ended', step_id: stepId, state, reason, duration_ms });
    if (state === 'cancelled' || this.run.ending !== null) return;
    for (const id of this.#outline(stepId).dependents) {
      const dependent = this.#step(id);
      if (dependent.state === 'pending' && dependent.unsettled === 0) this.#makeReady(id);
    }
  }

  /** Starts what may start now, or ends every step that is left when the run is ending. */
  #goOn(): void {
    if (this.run.ending !== null) {
      this.#endOpenSteps();
      return;
    }
    while (this.#hasFreePlace()) {
      const id = first(this.run.queue);
      if (id === null) break;
      this.#startStep(this.#step(id));
    }
  }

  #makeReady(stepId: string): void {
    this.#add({ kind: 'step_ready', step_id: stepId });
    // A person is asked at once; only programs wait for a free place.
    if (this.#outline(stepId).kind !== 'manual') return;
    const step = this.#step(stepId);
    this.#startStep(step);
    this.#ask(step, 'manual', manualAnswers, null);
  }

  #startStep(step: StepRunState): void {
    this.#add({ kind: 'step_started', step_id: step.id, try: (step.tries.at(-1)?.try ?? 0) + 1 });
  }

  #endOpenSteps(): void {
    const reason = this.run.ending?.reason === 'cancelled_by_person' ? 'cancelled_by_person' : 'run_ended';
    for (const id of this.run.outline.steps.keys()) {
      if (!isSettled(this.#step(id).state)) this.#endStep(id, 'cancelled', reason);
    }
  }

  #hasFreePlace(): boolean {
    return this.run.counts.running < this.run.outline.max_parallel;
  }

  #step(id: string): StepRunState {
    const step = this.#fold.step(id);
    invariant(step !== undefined, `the run has a step ${id}`);
    return step;
  }

  #outline(id: string) {
    const step = this.run.outline.steps.get(id);
    invariant(step !== undefined, `the chain has a step ${id}`);
    return step;
  }

  #add(payload: Payload): void {
    const event = { seq: this.run.last_seq + 1, at: this.#at, ...payload } as RunEvent;
    this.events.push(event);
    this.#fold.apply(event);
  }
}
