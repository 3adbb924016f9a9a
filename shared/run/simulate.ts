import { type Chain, type ErrorClass, errorClasses, type Step, stepKind } from '../chain/chain.ts';
import { AppError } from '../errors/app-error.ts';
import { decideOn, needsExecutor, type RunInput, type TryResult } from './decide.ts';
import type { EndReason, Question, RunEvent, RunHeader, StepOutput, StepStateName } from './event.ts';
import { initialRunState, RunFold, type RunState } from './run-state.ts';
import { VirtualTime } from './virtual-time.ts';

/** What is made up for a simulated run. Steps are named by id; a child of a `fan_out` by its own (`step_1`). */
export interface Faults {
  /** Tries that fail, in order: `times` of them with one class; what is behind them succeeds. */
  readonly failures: readonly { readonly step_id: string; readonly class: ErrorClass; readonly times: number }[];
  /** What a person answers when asked about a step, in order. What is asked without an answer stays open. */
  readonly answers: readonly { readonly step_id: string; readonly answer: string }[];
  /** What a step gives; made up where nothing is said. A text that is a JSON object counts as one. */
  readonly outputs: Readonly<Record<string, string>>;
  /** How long each try takes; default 1000. */
  readonly try_ms?: Readonly<Record<string, number>> | undefined;
  /** The moment at which a person stops the run; absent = never. */
  readonly cancel_at_ms?: number | undefined;
}

export interface SimulationOptions {
  readonly settings: RunHeader['settings'];
  readonly input?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Given at the start, as in a real run. */
  readonly start_answers?: Readonly<Record<string, string>>;
}

export interface Simulation {
  readonly header: RunHeader;
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** Sum of the delays before repetitions. */
  readonly retry_wait_ms: number;
  /** From the first event to the last. */
  readonly duration_ms: number;
  /** Questions to which the faults hold no answer. */
  readonly open_questions: readonly Question[];
  readonly steps: readonly SimulatedStep[];
}

export interface SimulatedStep {
  readonly step_id: string;
  readonly state: StepStateName;
  /** Why it ended so; null for a step that did not end. */
  readonly reason: EndReason | null;
  readonly tries: number;
  readonly last_error: ErrorClass | null;
}

/**
 * What would happen if the steps failed and people answered as `faults` says: the same decisions as in a real run,
 * without a process, a clock or a file. A run that waits for an answer that nobody gives ends there, in state `waiting`.
 * The chain must have no cycle. Errors: STEP_NOT_FOUND for a fault of a step that can not be in the run.
 */
export function simulate(chain: Chain, faults: Faults, options: SimulationOptions): Simulation {
  checkFaults(chain, faults);
  const time = new VirtualTime();
  const header = simulatedHeader(chain, options);
  const fold = new RunFold(initialRunState(header, chain));
  const script = new FaultScript(chain, faults);
  const events: RunEvent[] = [];
  const timers = new Map<string, () => void>();

  const handle = (input: RunInput): void => {
    const decided = decideOn(fold, input, time.nowMs);
    for (const event of decided) events.push(event);
    for (const event of decided) perform(event);
    // A person reacts to what has happened, after the program has.
    for (const event of decided) {
      if (event.kind === 'question_asked' && fold.now.ending === null) {
        planAnswer(event.question.id, event.question.step_id);
      }
    }
    if (decided.length > 0 && fold.now.ending !== null && fold.now.ended_at === null) {
      // Whatever still runs is stopped at once.
      for (const callOff of timers.values()) callOff();
      timers.clear();
      handle({ kind: 'stopped', started: 0, left: 0, duration_ms: 0 });
    }
  };
  const plan = (key: string, input: RunInput, delayMs: number): void => {
    timers.set(
      key,
      time.plan(() => {
        timers.delete(key);
        handle(input);
      }, delayMs),
    );
  };
  const perform = (event: RunEvent): void => {
    if (fold.now.ending !== null) return;
    if (event.kind === 'step_started') {
      const kind = fold.about(event.step_id)!.kind;
      if (!needsExecutor(kind)) return;
      const result = script.result(event.step_id, event.try);
      const input = { kind: 'try_ended', step_id: event.step_id, try: event.try, result } as const;
      plan(`try ${event.step_id} ${event.try}`, input, script.tryMs(event.step_id));
    } else if (event.kind === 'retry_scheduled') {
      const input = { kind: 'retry_due', step_id: event.step_id, try: event.try } as const;
      plan(`retry ${event.step_id} ${event.try}`, input, event.delay_ms);
    } else if (event.kind === 'question_asked') {
      const { id, input } = event.question;
      if (input?.timeout_ms) plan(`due ${id}`, { kind: 'question_due', question_id: id }, input.timeout_ms);
    }
  };
  /** A wrong answer is refused and the next one given, as a person would. */
  const planAnswer = (id: string, stepId: string): void => {
    const answer = script.answer(stepId);
    if (answer === null) return;
    timers.set(
      `answer ${id}`,
      time.plan(() => {
        timers.delete(`answer ${id}`);
        if (!fold.now.questions.has(id)) return;
        try {
          handle({ kind: 'answer', question_id: id, answer });
        } catch (thrown) {
          if (!isRefusal(thrown)) throw thrown;
          planAnswer(id, stepId);
        }
      }, answerMs),
    );
  };

  if (faults.cancel_at_ms !== undefined) time.plan(() => handle({ kind: 'cancel' }), faults.cancel_at_ms);
  handle({ kind: 'start' });
  while (fold.now.ended_at === null && time.next());
  const state = fold.snapshot();
  return {
    header,
    events,
    state,
    retry_wait_ms: events.reduce((sum, event) => sum + (event.kind === 'retry_scheduled' ? event.delay_ms : 0), 0),
    duration_ms: (events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0),
    open_questions: [...state.questions.values()],
    steps: [...state.steps.values()].map((step) => ({
      step_id: step.id,
      state: step.state,
      reason: step.reason,
      tries: step.tries.length,
      last_error: step.tries.findLast(({ error }) => error !== undefined)?.error?.class ?? null,
    })),
  };
}

/** Whether an answer was refused, so that the question is still open. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof AppError && (thrown.code === 'ANSWER_INVALID' || thrown.code === 'ANSWER_FIELD_INVALID');
}

/** How long a person takes to answer in a simulated run. */
export const answerMs = 1000;
const defaultTryMs = 1000;

/** What is made up, try by try; the engine's own tests give it to scripted executors. */
export class FaultScript {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #faults: Faults;
  readonly #failing = new Map<string, ErrorClass[]>();
  readonly #answers = new Map<string, string[]>();
  readonly #listNeeded: ReadonlySet<string>;

  constructor(chain: Chain, faults: Faults) {
    this.#steps = new Map(chain.steps.map((step) => [step.id, step]));
    this.#faults = faults;
    for (const { step_id, class: errorClass, times } of faults.failures) {
      const list = this.#failing.get(step_id) ?? [];
      for (let at = 0; at < times; at += 1) list.push(errorClass);
      this.#failing.set(step_id, list);
    }
    for (const { step_id, answer } of faults.answers) {
      this.#answers.set(step_id, [...(this.#answers.get(step_id) ?? []), answer]);
    }
    this.#listNeeded = listNeeded(chain);
  }

  result(stepId: string, number: number): TryResult {
    const errorClass = this.#failing.get(stepId)?.[number - 1];
    if (errorClass !== undefined) {
      return {
        kind: 'failed',
        error: { class: errorClass, code: 'SIMULATED', message: '', hint: null, exit_code: null },
      };
    }
    return { kind: 'succeeded', output: this.#output(stepId) };
  }

  tryMs(stepId: string): number {
    return this.#faults.try_ms?.[stepId] ?? defaultTryMs;
  }

  /** The next answer to a question about the step; null when there is none left. */
  answer(stepId: string): string | null {
    return this.#answers.get(stepId)?.shift() ?? null;
  }

  #output(stepId: string): StepOutput {
    const given = this.#faults.outputs[stepId];
    if (given !== undefined) return { text: given, ...jsonOf(given), truncated: false };
    const step = this.#steps.get(stepId);
    const contract = step?.output_contract;
    if (contract?.format === 'json') {
      const json = Object.fromEntries((contract.required_properties ?? []).map((name) => [name, '']));
      return { text: JSON.stringify(json), json, truncated: false };
    }
    const choice = step?.output_choices?.[0] ?? firstOption(step);
    const text = choice ?? (this.#listNeeded.has(stepId) ? JSON.stringify(['item 1', 'item 2', 'item 3']) : '');
    return { text, truncated: false };
  }
}

function firstOption(step: Step | undefined): string | undefined {
  const options = step?.with?.['options'];
  return Array.isArray(options) && typeof options[0] === 'string' ? options[0] : undefined;
}

/** Steps whose output a `fan_out` goes through: a text that is no list would only end the simulation there. */
function listNeeded(chain: Chain): Set<string> {
  const ids = new Set<string>();
  for (const step of chain.steps) {
    if (stepKind(step) !== 'fan_out' || typeof step.iterable !== 'string') continue;
    for (const match of step.iterable.matchAll(/outputs\.([a-z][a-z0-9_-]*)/g)) ids.add(match[1]!);
  }
  return ids;
}

function jsonOf(text: string): { json?: unknown } {
  if (!text.trim().startsWith('{')) return {};
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

function checkFaults(chain: Chain, faults: Faults): void {
  const known = new Set(chain.steps.map((step) => step.id));
  const fans = chain.steps.filter((step) => stepKind(step) === 'fan_out').map((step) => step.id);
  const named = [...faults.failures, ...faults.answers].map(({ step_id }) => step_id);
  for (const id of [...named, ...Object.keys(faults.outputs), ...Object.keys(faults.try_ms ?? {})]) {
    const isChild = fans.some((fan) => id.startsWith(`${fan}_`) && /^\d+$/.test(id.slice(fan.length + 1)));
    if (!known.has(id) && !isChild) throw new AppError('STEP_NOT_FOUND', { step: id });
  }
}

function simulatedHeader(chain: Chain, options: SimulationOptions): RunHeader {
  return {
    kind: 'run_header',
    version: 1,
    run_id: 'simulation',
    chain_name: chain.name,
    chain_text: '',
    chain_revision: '',
    settings: options.settings,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.inputs === undefined ? {} : { inputs: { ...options.inputs } }),
    ...(options.start_answers === undefined ? {} : { answers: { ...options.start_answers } }),
    started_at: new Date(0).toISOString(),
    source: 'api',
    process: { pid: 0, started_at_ms: 0, host: '' },
  };
}

/**
 * Reads `STEP:CLASS`, `STEP:CLASS xN` or `STEP:CLASS*N`; STEP is a number from 1 as on the screen, or an id. Errors:
 * USAGE, STEP_NOT_FOUND.
 */
export function readFailure(chain: Chain, text: string): Faults['failures'][number] {
  const match = /^\s*([^:]+?)\s*:\s*([a-z_]+)\s*(?:[x*×]\s*(\d{1,3}))?\s*$/i.exec(text);
  const errorClass = errorClasses.find((one) => one === match?.[2]?.toLowerCase());
  if (match === null || errorClass === undefined) {
    const detail = `"${text}": STEP:CLASS [xN], CLASS = ${errorClasses.join(' | ')}`;
    throw new AppError('USAGE', { detail }, { field: 'fail' });
  }
  return { step_id: namedStep(chain, match[1]!), class: errorClass, times: Number(match[3] ?? 1) };
}

/** Reads `STEP=ANSWER`. Errors: USAGE, STEP_NOT_FOUND. */
export function readStepValue(chain: Chain, text: string, field: string): { step_id: string; value: string } {
  const at = text.indexOf('=');
  if (at <= 0) throw new AppError('USAGE', { detail: `"${text}": STEP=VALUE` }, { field });
  return { step_id: namedStep(chain, text.slice(0, at).trim()), value: text.slice(at + 1) };
}

/** The id of a step that was named by its number from 1, its id or its name; of a fan-out's child by its id. Errors: STEP_NOT_FOUND. */
export function namedStep(chain: Chain, name: string): string {
  const byNumber = /^\d+$/.test(name) ? chain.steps[Number(name) - 1]?.id : undefined;
  const found = byNumber ?? chain.steps.find((step) => step.id === name || step.step_name === name)?.id;
  const isChild = chain.steps.some((step) => stepKind(step) === 'fan_out' && name.startsWith(`${step.id}_`));
  if (found === undefined && !isChild) throw new AppError('STEP_NOT_FOUND', { step: name });
  return found ?? name;
}
