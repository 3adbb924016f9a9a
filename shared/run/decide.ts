import { AppError } from '../errors/app-error.ts';
import { invariant } from '../errors/invariant.ts';
import { evaluateCondition, renderDeep } from '../template/evaluate.ts';
import type { TemplateOutput, TemplateScope } from '../template/template.ts';
import { type ClarifyAnswer, readClarifyAnswer } from './clarify-answer.ts';
import { clarifyProblemText } from './clarify-texts.ts';
import {
  type Answer,
  answers,
  type EndReason,
  type EndState,
  manualAnswers,
  type Question,
  type RunEvent,
  repeatAnswers,
  type StepOutput,
  type TryError,
  type TryWork,
} from './event.ts';
import { afterFailure } from './failure-policy.ts';
import { itemsOf, mergeOutputs } from './fan-out.ts';
import { askedKinds, type OutlineRoute, type OutlineStep } from './outline.ts';
import { checkOutput } from './output-rules.ts';
import { first } from './queue.ts';
import { childId, hasEnded, isSettled, RunFold, type RunState, type StepRunState } from './run-state.ts';
import { stepScope } from './step-scope.ts';

/** How one try ended, as its executor saw it. */
export type TryResult =
  | { readonly kind: 'succeeded'; readonly output: StepOutput; readonly work?: TryWork }
  /** Whoever was to do it says that its condition does not hold. */
  | { readonly kind: 'declined'; readonly work?: TryWork }
  | { readonly kind: 'failed'; readonly error: TryError; readonly work?: TryWork };

/** Everything that can reach a run from outside. */
export type RunInput =
  | { readonly kind: 'start' }
  | { readonly kind: 'try_ended'; readonly step_id: string; readonly try: number; readonly result: TryResult }
  /** The delay of a scheduled retry is over. */
  | { readonly kind: 'retry_due'; readonly step_id: string; readonly try: number }
  | { readonly kind: 'answer'; readonly question_id: string; readonly answer: string; readonly note?: string }
  /** The time for an answer is over. */
  | { readonly kind: 'question_due'; readonly question_id: string }
  | { readonly kind: 'cancel' }
  /** An interrupted run goes on. */
  | { readonly kind: 'resume' }
  /** No process of the run runs any more, or `left` of them could not be ended. */
  | { readonly kind: 'stopped'; readonly started: number; readonly left: number; readonly duration_ms: number };

export interface Decision {
  /** In order; `seq` goes on from the state's. Empty when the input changes nothing (it came too late). */
  readonly events: readonly RunEvent[];
  /** The state after them. */
  readonly state: RunState;
}

/** As `decideOn`, from a state that stays as it is. */
export function decide(run: RunState, input: RunInput, at: number): Decision {
  const fold = new RunFold(run);
  const events = decideOn(fold, input, at);
  return { events, state: fold.snapshot() };
}

/**
 * Given this state and this input, which events follow; they are applied to `fold`. The only place that knows what may
 * start, what a failure means and when a run ends; whoever calls it appends the events and performs their effects:
 * `step_started` of a step that a program does starts an executor, `retry_scheduled` and a question with a time limit a
 * timer, a state with `ending` stops what still runs and is answered with `stopped`. `at`: milliseconds since 1970. The
 * cost depends on the events that follow, not on the size of the chain. Errors: QUESTION_NOT_FOUND, ANSWER_INVALID,
 * RUN_ENDED (answer, resume); the fold is then as it was.
 */
export function decideOn(fold: RunFold, input: RunInput, at: number): readonly RunEvent[] {
  const draft = new Draft(fold, at);
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
    case 'question_due':
      draft.questionDue(input.question_id);
      break;
    case 'cancel':
      draft.cancel();
      break;
    case 'resume':
      draft.resume();
      break;
    case 'stopped':
      draft.stopped(input.started, input.left, input.duration_ms);
      break;
  }
  return draft.events;
}

/**
 * What an answer to a question with a form means; null for one with choices. Errors: ANSWER_INVALID,
 * ANSWER_FIELD_INVALID with the field.
 */
export function checkAnswer(question: Question, answer: string): Exclude<ClarifyAnswer, { kind: 'wrong' }> | null {
  if (question.input === undefined) {
    if (!question.choices.includes(answer)) throw new AppError('ANSWER_INVALID', { answer });
    return null;
  }
  const read = readClarifyAnswer(question.input, answer);
  if (read.kind !== 'wrong') return read;
  const detail = clarifyProblemText('en', read.code, read.params);
  const zh = clarifyProblemText('zh-CN', read.code, read.params);
  throw new AppError(
    'ANSWER_FIELD_INVALID',
    { detail, 'detail:zh-CN': zh },
    read.field === null ? {} : { field: read.field },
  );
}

/** Whether an executor has to be started for a `step_started`: it is no question and no `fan_out`. */
export function needsExecutor(kind: string): boolean {
  return !askedKinds.has(kind) && kind !== 'fan_out';
}

type Payload = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, 'seq' | 'at'> : never) : never;

class Draft {
  readonly events: RunEvent[] = [];
  readonly #fold: RunFold;
  readonly #at: number;
  /** Steps that may have got their turn. A list and not a recursion: a chain may be ten thousand steps long. */
  readonly #candidates: string[] = [];
  #considered = 0;

  constructor(fold: RunFold, at: number) {
    this.#fold = fold;
    this.#at = at;
  }

  start(): void {
    invariant(this.#fold.now.last_seq === -1, 'a run starts once');
    this.#add({ kind: 'run_started' });
    const { outline } = this.#fold.now;
    if (outline.reuse !== undefined) this.#reuse(outline.reuse);
    for (const id of outline.steps.keys()) this.#candidates.push(id);
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
    if (this.#hasFreePlace()) this.#startTry(step);
    else this.#add({ kind: 'step_ready', step_id: stepId });
  }

  answer(questionId: string, answer: string, note: string | undefined): void {
    const run = this.#fold.now;
    if (hasEnded(run) || run.ending !== null) throw new AppError('RUN_ENDED', { id: run.run_id });
    const question = run.questions.get(questionId);
    if (question === undefined) throw new AppError('QUESTION_NOT_FOUND', { id: questionId });
    const read = checkAnswer(question, answer);
    const step = this.#step(question.step_id);
    this.#add({
      kind: 'question_answered',
      question_id: questionId,
      step_id: step.id,
      answer,
      ...(note === undefined ? {} : { note }),
    });
    const number = step.tries.at(-1)?.try ?? 1;
    if (read?.kind === 'ok') this.#endTry(step, number, { kind: 'succeeded', output: read.output });
    else if (read !== null) this.#endTry(step, number, failed('USER_INPUT_CANCELLED', answer.trim()));
    else if (question.kind === 'manual') this.#manualAnswered(step, number, answer, note);
    else this.#policyAnswered(step.id, answer as Answer);
    this.#goOn();
  }

  questionDue(questionId: string): void {
    const run = this.#fold.now;
    const question = run.questions.get(questionId);
    if (question === undefined || run.ending !== null || hasEnded(run)) return;
    const step = this.#step(question.step_id);
    this.#add({ kind: 'question_expired', question_id: questionId, step_id: step.id });
    const error: TryError = { class: 'timeout', code: 'USER_INPUT_TIMEOUT', message: '', hint: null, exit_code: null };
    this.#endTry(step, step.tries.at(-1)?.try ?? 1, { kind: 'failed', error });
    this.#goOn();
  }

  cancel(): void {
    if (hasEnded(this.#fold.now) || this.#fold.now.ending !== null) return;
    this.#add({ kind: 'cancel_requested' });
    this.#goOn();
  }

  resume(): void {
    const run = this.#fold.now;
    const isInterrupted = run.ended_at !== null && run.ending === null;
    if (!isInterrupted) throw new AppError('RUN_ENDED', { id: run.run_id });
    const stopped = [...this.#fold.ids()].flatMap((id) => this.#fold.step(id)?.interrupted_from ?? []);
    this.#add({ kind: 'run_resumed' });
    if (stopped.length > 0) {
      for (const id of [...this.#fold.ids()]) {
        const step = this.#step(id);
        if (step.state !== 'ready' || step.interrupted_from === null) continue;
        const about = this.#about(step);
        // Twice may be once too often for what was in the middle.
        if (step.interrupted_from === 'running' && !about.may_repeat) {
          this.#ask(step, { kind: 'repeat', choices: [...repeatAnswers], error: null });
        } else if (askedKinds.has(about.kind)) this.#begin(step);
        else this.#add({ kind: 'step_ready', step_id: id });
      }
    }
    for (const id of run.outline.steps.keys()) this.#candidates.push(id);
    this.#goOn();
  }

  stopped(started: number, left: number, durationMs: number): void {
    const { ending } = this.#fold.now;
    invariant(ending !== null && !hasEnded(this.#fold.now), 'a run is stopped when it is ending, and once');
    this.#add({ kind: 'processes_stopped', started, left, duration_ms: durationMs });
    this.#add({ kind: 'run_ended', ...ending });
  }

  #reuse({ outputs, not_selected }: NonNullable<RunState['outline']['reuse']>): void {
    const { steps } = this.#fold.outline;
    for (const id of steps.keys()) {
      if (Object.hasOwn(outputs, id)) this.#add({ kind: 'step_reused', step_id: id, output: outputs[id]! });
    }
    for (const id of not_selected) {
      const step = this.#fold.step(id);
      if (step !== undefined && !isSettled(step.state)) this.#end(id, 'skipped', 'not_selected');
    }
    for (const about of steps.values()) {
      const { state } = this.#step(about.id);
      if (!isSettled(state)) continue;
      this.#release(about);
      this.#decideRoute(about);
    }
  }

  /** Gives a step its turn when nothing holds it back any more. */
  #consider(stepId: string): void {
    const step = this.#step(stepId);
    if (step.state !== 'pending') return;
    const about = this.#about(step);
    if (about.routers.length > 0 && step.routes_open === 0 && step.routes_taken === 0) {
      this.#endStep(stepId, 'skipped', 'route_not_taken');
      return;
    }
    // A stand-in is started by the failure of its primary.
    if (step.unsettled > 0 || about.primary !== null) return;
    if (about.dependencies.length > 0 && step.lit === 0) this.#endStep(stepId, 'skipped', 'route_not_taken');
    else if (!this.#holds(about)) this.#endStep(stepId, 'skipped', 'condition_false');
    else this.#begin(step);
  }

  #holds(about: OutlineStep): boolean {
    if (about.conditions.length === 0) return true;
    const scope = this.#scope(about.id);
    return about.conditions.every((condition) => evaluateCondition(condition, scope));
  }

  /** Starts a step, or puts it in line. */
  #begin(step: StepRunState): void {
    const about = this.#about(step);
    const skill = about.route === null ? null : this.#way(about.route.skills, step.id);
    if (skill !== null && skill !== step.skill) this.#add({ kind: 'skill_chosen', step_id: step.id, skill });
    if (about.kind === 'manual') {
      this.#startTry(step);
      this.#ask(step, { kind: 'manual', choices: [...manualAnswers], error: null });
    } else if (about.kind === 'user_input') this.#askForInput(step, about);
    else if (about.kind === 'fan_out') this.#fanOut(step, about);
    // One after the other in the order in which they got their turn; a free place is taken at once.
    else if (this.#hasFreePlace() && first(this.#fold.now.queue) === null) this.#startTry(step);
    else this.#add({ kind: 'step_ready', step_id: step.id });
  }

  #askForInput(step: StepRunState, about: OutlineStep): void {
    const { clarify } = about;
    const fields = clarify?.mode === 'chat' ? [] : (clarify?.fields ?? []);
    const scope = this.#scope(step.id);
    const prompt = clarify?.prompt ?? about.step.action;
    const cancel_words = clarify?.cancel_words ?? [];
    const timeout = clarify?.timeout_seconds ?? about.step.timeout_seconds;
    const input = {
      prompt: String(renderDeep(prompt, scope) ?? ''),
      fields,
      cancel_words,
      timeout_ms: timeout === undefined ? null : timeout * 1000,
    };
    const { answers: given } = this.#fold.outline;
    // A given answer counts once; whoever is asked again after a failure is really asked.
    const answer = step.tries.length === 0 && Object.hasOwn(given, step.id) ? given[step.id]! : null;
    const read = answer === null ? null : readClarifyAnswer(input, answer);
    if (read === null && clarify?.skipIf && evaluateCondition(clarify.skipIf, scope)) {
      this.#endStep(step.id, 'skipped', 'skip_if');
      return;
    }
    this.#startTry(step);
    const number = step.tries.length === 0 ? 1 : this.#step(step.id).tries.length;
    if (read?.kind === 'ok') this.#endTry(this.#step(step.id), number, { kind: 'succeeded', output: read.output });
    else if (read?.kind === 'cancelled') {
      this.#endTry(this.#step(step.id), number, failed('USER_INPUT_CANCELLED', answer ?? ''));
    } else this.#ask(step, { kind: 'input', choices: [], error: null, input });
  }

  #fanOut(step: StepRunState, about: OutlineStep): void {
    this.#startTry(step);
    const items = itemsOf(about.step.iterable, this.#scope(step.id));
    if (items === null) {
      const number = this.#step(step.id).tries.at(-1)!.try;
      this.#endTry(this.#step(step.id), number, failed('ITERABLE_INVALID', ''));
      return;
    }
    this.#add({ kind: 'fan_out_expanded', step_id: step.id, items });
    this.#nextChildren(step.id);
  }

  /** Starts children while there are places, or ends the fan-out whose last child has ended. */
  #nextChildren(parentId: string): void {
    const about = this.#fold.outline.steps.get(parentId)!;
    const { max_concurrency, continues, merge } = about.fan_out!;
    const fan = () => this.#step(parentId).fan!;
    const isFailing = () => fan().failed > 0 && !continues;
    for (let n = 1; n <= fan().size && fan().open < max_concurrency && !isFailing(); n += 1) {
      const step = this.#step(childId(parentId, n));
      if (step.state !== 'pending') continue;
      this.#begin(step);
      if (this.#fold.now.ending !== null) return;
    }
    if (isSettled(this.#step(parentId).state) || fan().open > 0) return;
    const ids = Array.from({ length: fan().size }, (_, place) => childId(parentId, place + 1));
    if (isFailing()) {
      for (const id of ids) if (!isSettled(this.#step(id).state)) this.#end(id, 'cancelled', 'fan_out_stopped');
      const error = ids.map((id) => this.#step(id)).find(({ reason }) => reason === 'failed_in_fan_out');
      const last = error?.tries.at(-1)?.error;
      const result = failed('CHILD_FAILED', `${error?.id ?? ''}: ${last?.message || last?.code || ''}`, last?.class);
      this.#endTry(this.#step(parentId), this.#step(parentId).tries.at(-1)!.try, result);
    } else if (fan().ended === fan().size) {
      const outputs = ids.map((id): TemplateOutput => {
        const { output, tries } = this.#step(id);
        if (output !== null) return this.#fold.whole(output);
        const error = tries.at(-1)?.error;
        return { text: error === undefined ? '' : `Error: ${error.message || error.code}` };
      });
      const output = mergeOutputs(outputs, merge);
      this.#endTry(this.#step(parentId), this.#step(parentId).tries.at(-1)!.try, { kind: 'succeeded', output });
    }
  }

  #manualAnswered(step: StepRunState, number: number, answer: string, note: string | undefined): void {
    if (answer === 'skip') this.#endStep(step.id, 'skipped', 'skipped_by_person');
    else if (answer === 'done') {
      this.#endTry(step, number, { kind: 'succeeded', output: { text: note ?? '', truncated: false } });
    } else this.#endTry(step, number, failed('MANUAL', note ?? ''));
  }

  #policyAnswered(stepId: string, answer: Answer): void {
    if (answer === 'retry') this.#begin(this.#step(stepId));
    else if (answer === 'skip') this.#endStep(stepId, 'skipped', 'skipped_by_person');
    else this.#endStep(stepId, 'failed', 'aborted_by_person');
  }

  #endTry(step: StepRunState, number: number, result: TryResult): void {
    const { id } = step;
    const about = this.#about(step);
    const work = result.work === undefined ? {} : { work: result.work };
    if (result.kind === 'declined') {
      const output = { text: '', truncated: false };
      this.#add({ kind: 'try_succeeded', step_id: id, try: number, output, ...work });
      this.#endStep(id, 'skipped', 'condition_false');
      return;
    }
    const broken =
      result.kind === 'succeeded' && about.rules !== null
        ? checkOutput(this.#fold.whole(result.output), about.rules)
        : null;
    if (result.kind === 'succeeded' && broken === null) {
      this.#add({ kind: 'try_succeeded', step_id: id, try: number, output: result.output, ...work });
      this.#endStep(id, 'succeeded', 'ok');
      return;
    }
    const error = result.kind === 'failed' ? result.error : broken!;
    this.#add({ kind: 'try_failed', step_id: id, try: number, error, ...work });
    this.#failedTry(this.#step(id), about, error, number);
  }

  #failedTry(step: StepRunState, about: OutlineStep, error: TryError, number: number): void {
    const { id } = step;
    const next = afterFailure(error.class, step.retries_used, about.policy);
    if (next.kind === 'retry') {
      const delay_ms = next.delay_ms;
      this.#add({ kind: 'retry_scheduled', step_id: id, try: number + 1, delay_ms, class: error.class });
      return;
    }
    if (step.child !== null) {
      this.#endStep(id, 'failed', 'failed_in_fan_out');
      return;
    }
    const fallback = about.fallback === null ? undefined : this.#fold.step(about.fallback);
    if (fallback?.state === 'pending') {
      this.#add({ kind: 'fallback_started', step_id: id, fallback: fallback.id });
      this.#begin(fallback);
    } else if (next.kind === 'ask') this.#ask(step, { kind: 'failure', choices: [...answers], error });
    else if (next.kind === 'skip') this.#endStep(id, 'skipped', 'skipped_by_policy');
    else if (next.kind === 'continue') this.#endStep(id, 'failed', 'failed_continued');
    else this.#endStep(id, 'failed', next.reason);
  }

  #ask(step: StepRunState, question: Omit<Question, 'id' | 'step_id'>): void {
    const id = `${step.id}.${this.#step(step.id).questions_asked + 1}`;
    this.#add({ kind: 'question_asked', question: { id, step_id: step.id, ...question } });
  }

  /** Ends a step and does what follows from it for others. */
  #endStep(stepId: string, state: EndState, reason: EndReason): void {
    this.#end(stepId, state, reason);
    const { ending } = this.#fold.now;
    if (ending !== null && ending.state !== 'succeeded') return;
    const { child } = this.#step(stepId);
    if (child !== null) {
      this.#nextChildren(child.of);
      return;
    }
    const about = this.#fold.outline.steps.get(stepId)!;
    if (about.primary !== null) this.#fallbackEnded(about, state);
    this.#release(about);
    this.#decideRoute(about);
    for (const id of about.dependents) this.#candidates.push(id);
  }

  /** The stand-in of a step that did not need it will never run. */
  #release({ fallback }: OutlineStep): void {
    if (fallback !== null && this.#fold.step(fallback)?.state === 'pending') {
      this.#end(fallback, 'skipped', 'fallback_not_needed');
    }
  }

  #fallbackEnded(fallback: OutlineStep, state: EndState): void {
    const primary = this.#fold.step(fallback.primary!);
    if (primary === undefined || !primary.in_fallback) return;
    if (state === 'succeeded') {
      const output = this.#step(fallback.id).output;
      this.#end(primary.id, 'substituted', 'substituted', output);
      this.#afterPrimary(primary.id);
      return;
    }
    const error = primary.tries.findLast((one) => one.error !== undefined)?.error;
    const about = this.#about(primary);
    const number = primary.tries.at(-1)?.try ?? 1;
    // Its own policy now decides, without a stand-in.
    this.#failedTry(primary, { ...about, policy: { ...about.policy, retries_by_itself: false } }, error!, number);
  }

  #afterPrimary(primaryId: string): void {
    const about = this.#fold.outline.steps.get(primaryId)!;
    this.#decideRoute(about);
    for (const id of about.dependents) this.#candidates.push(id);
  }

  /** After a step has settled: which way its route goes on. A dark step decides nothing. */
  #decideRoute(about: OutlineStep): void {
    if (about.route === null || about.route.targets.size === 0) return;
    const step = this.#step(about.id);
    if (step.reason === 'route_not_taken') return;
    this.#add({ kind: 'route_taken', step_id: about.id, to: this.#way(about.route.ways, about.id) });
  }

  /** The first entry that is true. */
  #way(entries: OutlineRoute['ways'], stepId: string): string | null {
    if (entries.length === 0) return null;
    const scope = this.#scope(stepId);
    return entries.find(({ when }) => when === null || evaluateCondition(when, scope))?.to ?? null;
  }

  /** The event of the end alone. */
  #end(stepId: string, state: EndState, reason: EndReason, output: StepOutput | null = null): void {
    const readyAt = this.#step(stepId).ready_at;
    const duration_ms = readyAt === null ? 0 : Math.max(0, this.#at - readyAt);
    const given = output === null ? {} : { output };
    this.#add({ kind: 'step_ended', step_id: stepId, state, reason, duration_ms, ...given });
  }

  /** Starts what may start now, or ends every step that is left when the run is ending. */
  #goOn(): void {
    const { now } = this.#fold;
    for (;;) {
      if (now.ending !== null) {
        this.#endOpenSteps();
        return;
      }
      const candidate = this.#candidates[this.#considered];
      if (candidate === undefined) break;
      this.#considered += 1;
      this.#consider(candidate);
    }
    while (this.#hasFreePlace()) {
      const id = first(now.queue);
      if (id === null) break;
      this.#startTry(this.#step(id));
    }
  }

  #startTry(step: StepRunState): void {
    this.#add({ kind: 'step_started', step_id: step.id, try: (step.tries.at(-1)?.try ?? 0) + 1 });
  }

  #endOpenSteps(): void {
    const { ending, counts } = this.#fold.now;
    const open = counts.pending + counts.ready + counts.running + counts.retrying + counts.waiting;
    if (open === 0) return;
    const reason = ending?.reason === 'cancelled_by_person' ? 'cancelled_by_person' : 'run_ended';
    for (const id of this.#fold.ids()) {
      if (!isSettled(this.#step(id).state)) this.#end(id, 'cancelled', reason);
    }
  }

  #hasFreePlace(): boolean {
    return this.#fold.now.in_work < this.#fold.outline.max_parallel;
  }

  #scope(stepId: string): TemplateScope {
    return stepScope(this.#fold, stepId);
  }

  #step(id: string): StepRunState {
    const step = this.#fold.step(id);
    invariant(step !== undefined, `the run has a step ${id}`);
    return step;
  }

  #about(step: StepRunState): OutlineStep {
    const about = this.#fold.about(step.id);
    invariant(about !== undefined, `the chain has a step ${step.id}`);
    return about;
  }

  #add(payload: Payload): void {
    const event = { seq: this.#fold.now.last_seq + 1, at: this.#at, ...payload } as RunEvent;
    this.events.push(event);
    this.#fold.apply(event);
  }
}

function failed(code: string, message: string, errorClass: TryError['class'] = 'other'): TryResult {
  return { kind: 'failed', error: { class: errorClass, code, message, hint: null, exit_code: null } };
}
