import { readProgramOutput } from '../../../../shared/action/read-output.ts';
import type { Step } from '../../../../shared/chain/chain.ts';
import { AppError, errorHint, errorMessage } from '../../../../shared/errors/app-error.ts';
import type { SecretStore } from '../../models/model-endpoint.ts';
import { askModel, outputsBefore, promptOf, systemOf, taskOf } from './ask-model.ts';
import type { Executor, StepContext } from './executor.ts';

const defaultSystem = 'You do one step of a larger job. Answer with the result of the step alone.';

/**
 * Asks a model once: `with.input` (or prompt, task, text), else the step's action and detail with what the steps before
 * it gave. Failures: INPUT_INVALID, MODEL_NOT_FOUND, MODEL_KEY_MISSING, those of the model.
 */
export function createLlmChatExecutor({ secrets }: { readonly secrets: SecretStore }): Executor {
  return async (context) => {
    const prompt = [promptOf(context) ?? defaultPrompt(context), wantedForm(context.step)]
      .filter((part) => part !== '')
      .join('\n\n');
    if (prompt === '')
      throw new AppError('INPUT_INVALID', { detail: 'there is nothing to ask' }, { field: 'with.input' });
    const reply = await askModel(context, secrets, { system: systemOf(context) ?? defaultSystem, prompt });
    if (reply.kind === 'failed') return reply;
    const { text, finishReason, work } = reply;
    if (text.trim() === '' || finishReason === 'content-filter') {
      const detail =
        finishReason === 'content-filter' ? 'its provider held the answer back' : `it is empty (${finishReason})`;
      const error = new AppError('MODEL_ANSWER_BROKEN', { name: work.by ?? '', detail });
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
    }
    // Its text is a result and no program's output: `ERROR:` in it is something that it writes about.
    const { result: json } = readProgramOutput({ stdout: text, stderr: '', exitCode: 0 });
    return {
      kind: 'succeeded',
      output: { text: text.trim(), ...(json === null ? {} : { json }), truncated: finishReason === 'length' },
      work,
    };
  };
}

/** An action that says by templates which outputs it is about gets no others. */
function defaultPrompt(context: StepContext): string {
  const task = taskOf(context);
  const written = context.chain.steps.find((step) => step.id === context.step.id);
  const choosesOutputs = `${written?.action ?? ''}${written?.detail ?? ''}`.includes('{{');
  const parts = task === '' || !choosesOutputs ? [task, outputsBefore(context)] : [task];
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/** The form that later steps or the step's contract rely on. */
function wantedForm(step: Step): string {
  const names = [
    ...Object.keys(step.variables?.outputs ?? {}),
    ...(step.output_contract?.format === 'json' ? (step.output_contract.required_properties ?? []) : []),
  ];
  if (names.length > 0) {
    return `End your answer with one JSON object that has these fields: ${[...new Set(names)].join(', ')}`;
  }
  return step.output_contract?.format === 'json' ? 'Answer with one JSON object and nothing else.' : '';
}
