import { readProgramOutput } from '../../../shared/action/read-output.ts';
import type { TryResult } from '../../../shared/run/decide.ts';
import { classifyFailure } from '../../../shared/run/failure-policy.ts';
import type { ModelEndpoint } from '../../../shared/settings/settings.ts';
import { generateText } from '../models/generate-text.ts';
import type { StepContext } from '../runs/executors/executor.ts';
import type { Agent } from './agent.ts';
import { endsWithError } from './ends-with-error.ts';

/** About the context of a million tokens that the largest models have; a smaller one says itself that it is too much. */
const promptLimit = 1_000_000;

/** A model as an agent: it has no tools and can only answer. */
export function modelAgent(
  endpoint: ModelEndpoint,
  apiKey: string | null,
  context: Pick<StepContext, 'write' | 'hide' | 'signal' | 'settings'>,
): Agent {
  if (apiKey !== null) context.hide([apiKey]);
  return {
    name: endpoint.name,
    timeoutMs: context.settings.step_timeout_seconds * 1000,
    promptLimitBytes: promptLimit,
    async ask(prompt, timeoutMs) {
      const { signal } = context;
      const onText = (text: string) => context.write('stdout', text);
      const answer = await generateText({ endpoint, apiKey, prompt, signal, timeoutMs, onText });
      context.write('engine', '\n');
      const said = answer.text;
      if (answer.kind === 'answered') return { result: resultOf(said), said, usage: answer.usage };
      if (answer.kind === 'failed')
        return { result: { kind: 'failed', error: answer.error }, said, usage: answer.usage };
      return { result: failed('CANCELLED', '', null), said, usage: null };
    },
  };
}

/** A model has no exit status: what it can say of a failure is its last line, or `ok: false`. */
function resultOf(text: string): TryResult {
  const exitCode = endsWithError(text) ? 1 : 0;
  const { text: trimmed, result, error } = readProgramOutput({ stdout: text, stderr: '', exitCode });
  if (error !== null) return failed(error.code, error.message, error.hint);
  return {
    kind: 'succeeded',
    output: { text: trimmed, ...(result === null ? {} : { json: result }), truncated: false },
  };
}

function failed(code: string, message: string, hint: string | null): TryResult {
  const errorClass = classifyFailure({ reportedCode: code, text: message, platform: process.platform });
  return { kind: 'failed', error: { class: errorClass, code, message, hint, exit_code: null } };
}
