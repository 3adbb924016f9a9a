import { AppError, errorHint, errorMessage } from '../../../../shared/errors/app-error.ts';
import { classifyLabel } from '../../../../shared/run/classify-label.ts';
import type { SecretStore } from '../../models/model-endpoint.ts';
import { wellFormed } from '../../processes/well-formed.ts';
import { askModel, outputsBefore, promptOf, systemOf, taskOf } from './ask-model.ts';
import type { Executor, StepContext } from './executor.ts';

const strictSystem =
  'You are a strict classifier. Answer with exactly one of the options, written as it is given, and with nothing else.';
/** Longest part of a reply without a label that is shown. */
const shownLength = 120;

/**
 * Has a model choose one of the step's options (`with.options`, else `output_choices`) for a text: `with.input` (or
 * prompt, task, text), else what the steps before gave. The output is the option. Failures: INVALID_CLASSIFICATION,
 * INPUT_INVALID, MODEL_NOT_FOUND, MODEL_KEY_MISSING, those of the model.
 */
export function createLlmClassifyExecutor({ secrets }: { readonly secrets: SecretStore }): Executor {
  return async (context) => {
    const options = optionsOf(context);
    const reply = await askModel(context, secrets, {
      system: [systemOf(context), strictSystem].filter((part) => part !== null).join('\n\n'),
      prompt: promptWith(options, context),
      maxTokens: 32,
      temperature: 0,
    });
    if (reply.kind === 'failed') return reply;
    const { text, work } = reply;
    const label = classifyLabel(text, options);
    if (label !== null) return { kind: 'succeeded', output: { text: label, truncated: false }, work };
    const error = new AppError('INVALID_CLASSIFICATION', { detail: `${shown(text)} (${options.join(' | ')})` });
    return {
      kind: 'failed',
      work,
      error: {
        class: 'other',
        code: error.code,
        message: errorMessage(error.toWire(), 'en'),
        hint: errorHint(error, 'en'),
        exit_code: null,
      },
    };
  };
}

function optionsOf({ step }: StepContext): string[] {
  const written = step.with?.['options'] ?? step.output_choices;
  // A template inside a larger text gives text.
  const value = typeof written === 'string' ? listIn(written) : written;
  const options = Array.isArray(value)
    ? value.filter((option) => ['string', 'number', 'boolean'].includes(typeof option)).map(String)
    : [];
  const isWhole = Array.isArray(value) && options.length === value.length;
  if (!isWhole || !options.some((option) => option.trim() !== '')) {
    throw new AppError('INPUT_INVALID', { detail: 'a list of options is needed' }, { field: 'with.options' });
  }
  return options;
}

function listIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function promptWith(options: readonly string[], context: StepContext): string {
  const task = taskOf(context);
  const text = promptOf(context) ?? outputsBefore(context);
  return [task, text, `Options:\n${options.map((option) => `- ${option}`).join('\n')}`]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

function shown(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= shownLength ? `"${line}"` : `"${wellFormed(line.slice(0, shownLength))}…"`;
}
