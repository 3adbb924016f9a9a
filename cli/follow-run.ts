import { createInterface } from 'node:readline/promises';
import type { Services } from '../electron/services/create-services.ts';
import { parseChainFile } from '../shared/chain/chain-file.ts';
import type { ClarifyField } from '../shared/chain/step-fields.ts';
import { AppError, errorMessage, toAppError } from '../shared/errors/app-error.ts';
import type { Question, RunEvent } from '../shared/run/event.ts';
import { applyEvent, initialRunState, type RunState } from '../shared/run/run-state.ts';
import { answerText, endReasonText, errorClassText, runStateText, stepStateText } from '../shared/run/run-texts.ts';
import type { Output } from './output.ts';

export type OnQuestion = 'ask' | 'retry' | 'skip' | 'abort';

/**
 * Tells what happens in a run of this process until its end, and answers its questions: by asking when a person is at the
 * terminal, as `onQuestion` says otherwise. Resolves with the exit code: 0 when it succeeded, 1 when it failed or was
 * aborted, 130 when it was stopped. The first SIGINT or SIGTERM stops it in order, the second at once.
 */
export async function followRun(
  services: Services,
  runId: string,
  onQuestion: OnQuestion | undefined,
  output: Output,
): Promise<number> {
  const unhook = stopOnSignal(services, runId, output);
  try {
    const state = await follow(services, runId, onQuestion ?? (process.stdin.isTTY ? 'ask' : 'abort'), output);
    const { header, events } = await services.runs.get(runId);
    const { chain_name, started_at } = header;
    output.value({ run_id: runId, chain_name, ...jsonOf(state), started_at, events });
    return exitCodeOf(state);
  } finally {
    unhook();
  }
}

function exitCodeOf(state: RunState): number {
  if (state.state === 'succeeded') return 0;
  return state.state === 'cancelled' ? 130 : 1;
}

function stopOnSignal(services: Services, runId: string, output: Output): () => void {
  let asked = 0;
  const stop = () => {
    asked += 1;
    if (asked === 1) output.note(output.text('stopping'));
    // A run that has ended by itself meanwhile needs no stop; its end is on the way to the follower.
    services.runs.cancel(runId, { force: asked > 1 }).catch(() => undefined);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
}

/** Prints events as they come and answers questions; resolves with the last state. */
async function follow(services: Services, runId: string, onQuestion: OnQuestion, output: Output): Promise<RunState> {
  const { header } = await services.runs.get(runId);
  const { chain } = parseChainFile(header.chain_text);
  const names = new Map(chain.steps.map((step, at) => [step.id, `${at + 1} ${step.step_name}`]));
  let state = initialRunState(header, chain);
  let asking = Promise.resolve();
  const ended = new AbortController();
  for await (const batch of services.runs.watch(runId, -1)) {
    for (const event of batch.events) {
      state = applyEvent(state, event);
      printEvent(event, state, names, output);
      if (event.kind === 'question_asked') {
        const { question } = event;
        // One question at a time: a person has one keyboard.
        asking = asking.then(() => answer(services, runId, question, onQuestion, names, output, ended.signal));
      }
    }
    if (batch.end) break;
  }
  ended.abort();
  await asking;
  return state;
}

async function answer(
  services: Services,
  runId: string,
  question: Question,
  onQuestion: OnQuestion,
  names: ReadonlyMap<string, string>,
  output: Output,
  ended: AbortSignal,
): Promise<void> {
  try {
    if (question.input !== undefined) {
      if (onQuestion === 'ask') await askForInput(services, runId, question, names, output, ended);
      // Nobody is there who could say it, and no word stands for it.
      else await services.runs.cancel(runId);
      return;
    }
    const chosen =
      onQuestion === 'ask' ? await askPerson(question, names, output, ended) : fixedAnswer(question, onQuestion);
    if (chosen !== null) await services.runs.answer({ run_id: runId, question_id: question.id, answer: chosen });
  } catch (thrown) {
    // Somebody else, the window for instance, was faster; or the run has ended.
    const { code } = toAppError(thrown);
    if (code !== 'QUESTION_NOT_FOUND' && code !== 'RUN_ENDED') throw thrown;
  }
}

function fixedAnswer(question: Question, onQuestion: Exclude<OnQuestion, 'ask'>): string {
  if (question.choices.includes(onQuestion)) return onQuestion;
  // A step that a person does can not be retried or aborted, only be called failed.
  return question.choices.includes('failed') ? 'failed' : (question.choices.at(-1) ?? 'abort');
}

async function askPerson(
  question: Question,
  names: ReadonlyMap<string, string>,
  output: Output,
  ended: AbortSignal,
): Promise<string | null> {
  const step = names.get(question.step_id) ?? question.step_id;
  if (question.error !== null) output.note(output.text('question_failed', { step, message: question.error.message }));
  const offered = question.choices.map((choice) => `${choice} = ${answerText(output.locale, choice)}`).join(', ');
  // On the standard error, so that `--json` stays JSON.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.on('SIGINT', () => process.emit('SIGINT'));
  try {
    while (!ended.aborted) {
      const given = (
        await terminal.question(output.text('question', { step, choices: offered }), { signal: ended })
      ).trim();
      const chosen = question.choices.find((choice) => choice === given || answerText(output.locale, choice) === given);
      if (chosen !== undefined) return chosen;
      output.note(output.text('choice_unknown', { given, choices: question.choices.join(', ') }));
    }
    return null;
  } catch (thrown) {
    if (ended.aborted) return null;
    throw new AppError('CANCELLED', {}, {}, { cause: thrown });
  } finally {
    terminal.close();
  }
}

/** Asks for a text or for each field, until the run takes the answer. */
async function askForInput(
  services: Services,
  runId: string,
  question: Question,
  names: ReadonlyMap<string, string>,
  output: Output,
  ended: AbortSignal,
): Promise<void> {
  const { prompt, fields } = question.input!;
  const step = names.get(question.step_id) ?? question.step_id;
  output.note(output.text('asks_for_input', { step, prompt }));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.on('SIGINT', () => process.emit('SIGINT'));
  try {
    while (!ended.aborted) {
      let answer = '';
      if (fields.length === 0) answer = await terminal.question('> ', { signal: ended });
      else {
        const values: Record<string, unknown> = {};
        for (const field of fields) {
          const offered = field.type === 'enum' ? ` (${(field.options ?? []).join(' | ')})` : '';
          const standard = field.default === undefined ? '' : ` [${field.default}]`;
          const given = await terminal.question(`${field.label ?? field.name}${offered}${standard}: `, {
            signal: ended,
          });
          if (given !== '') values[field.name] = typedValue(field, given);
        }
        answer = JSON.stringify(values);
      }
      try {
        await services.runs.answer({ run_id: runId, question_id: question.id, answer });
        return;
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.code !== 'ANSWER_FIELD_INVALID') throw thrown;
        output.note(errorMessage(error, output.locale));
      }
    }
  } catch (thrown) {
    if (ended.aborted) return;
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('CANCELLED', {}, {}, { cause: thrown });
  } finally {
    terminal.close();
  }
}

/** What was typed, as the field's type; what does not fit stays text, and the run says so. */
function typedValue(field: ClarifyField, given: string): unknown {
  if (field.type === 'boolean')
    return /^(true|yes|y|是)$/i.test(given) || (/^(false|no|n|否)$/i.test(given) ? false : given);
  if (field.type !== 'integer' && field.type !== 'number') return given;
  const number = Number(given);
  return given.trim() === '' || Number.isNaN(number) ? given : number;
}

function printEvent(event: RunEvent, state: RunState, names: ReadonlyMap<string, string>, output: Output): void {
  if (event.kind === 'processes_stopped') {
    const { duration_ms: ms, started, left } = event;
    // The proof matters where something was stopped; a run that ended by itself has nothing to prove.
    if (state.ending?.state !== 'succeeded' || left > 0) output.note(output.text('stopped', { ms, started, left }));
    return;
  }
  const line = eventLine(event, state, names, output);
  if (line !== null) output.line(line);
}

function eventLine(
  event: RunEvent,
  state: RunState,
  names: ReadonlyMap<string, string>,
  { locale, text }: Output,
): string | null {
  const step = 'step_id' in event && event.step_id !== null ? (names.get(event.step_id) ?? event.step_id) : '';
  switch (event.kind) {
    case 'step_started':
      return text('step_started', { step, try: event.try });
    case 'try_failed': {
      const { class: errorClass, code } = event.error;
      const message = event.error.message || code;
      return text('step_failed', { step, class: errorClassText(locale, errorClass), message });
    }
    case 'retry_scheduled': {
      const seconds = event.delay_ms / 1000;
      return text('step_retry', { step, class: errorClassText(locale, event.class), seconds });
    }
    case 'question_answered':
      return text('answered', { step, answer: answerText(locale, event.answer) });
    case 'step_ended': {
      const reason = endReasonText(locale, event.reason);
      return text('step_ended', { step, state: stepStateText(locale, event.state), reason });
    }
    case 'run_ended': {
      const seconds = ((event.at - (state.started_at ?? event.at)) / 1000).toFixed(1);
      const reason = endReasonText(locale, event.reason);
      return text('run_ended', { id: state.run_id, state: runStateText(locale, event.state), reason, seconds });
    }
    default:
      return null;
  }
}

function jsonOf(state: RunState): Record<string, unknown> {
  return {
    state: state.state,
    steps: [...state.steps].map(([id, step]) => ({ step_id: id, ...step })),
  };
}
