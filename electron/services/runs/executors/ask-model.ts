import { z } from 'zod';
import { AppError } from '../../../../shared/errors/app-error.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import type { TryWork } from '../../../../shared/run/event.ts';
import { countTokens } from '../../agents/count-tokens.ts';
import { type FinishReason, generateText, type TokenUsage } from '../../models/generate-text.ts';
import { apiKeyOf, findModel, type SecretStore } from '../../models/model-endpoint.ts';
import { refusedBefore } from '../../models/model-failure.ts';
import type { StepContext } from './executor.ts';

/** A template always gives text where there is any besides it; an empty one counts as absent. */
const NumberText = z
  .union([z.number(), z.string().trim()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === '' ? undefined : Number(value)));

const With = z.looseObject({
  model: z.string().trim().nullish(),
  max_tokens: NumberText.pipe(z.int().min(1).max(1_000_000).optional()),
  temperature: NumberText.pipe(z.number().min(0).max(2).optional()),
});

/** The fields that hold what a model is asked, in the order they are looked at; the later ones are other people's. */
const promptFields = ['input', 'prompt', 'task', 'text'] as const;
const systemFields = ['system_prompt', 'system'] as const;

export interface Question {
  readonly system: string;
  readonly prompt: string;
  /** What holds where the step says nothing; absent = the endpoint's. */
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export type ModelReply =
  | { readonly kind: 'answered'; readonly text: string; readonly finishReason: FinishReason; readonly work: TryWork }
  | Extract<TryResult, { kind: 'failed' }>;

/**
 * Puts a step's question to the model that the step or the settings name, the answer live in its log. Failures are
 * results: MODEL_NOT_FOUND, MODEL_KEY_MISSING, and those of the model. Errors: INPUT_INVALID, CANCELLED.
 */
export async function askModel(context: StepContext, secrets: SecretStore, question: Question): Promise<ModelReply> {
  const { settings, signal } = context;
  const fields = With.safeParse(context.step.with ?? {});
  if (!fields.success) {
    const issue = fields.error.issues[0];
    throw new AppError('INPUT_INVALID', { detail: issue?.message ?? '' }, { field: `with.${issue?.path.join('.')}` });
  }
  const { model, max_tokens, temperature } = fields.data;
  let endpoint: ReturnType<typeof findModel>;
  let apiKey: string | null;
  try {
    endpoint = findModel(model ?? '', settings);
    apiKey = await apiKeyOf(endpoint, secrets);
  } catch (thrown) {
    if (thrown instanceof AppError) return { kind: 'failed', error: refusedBefore(thrown) };
    throw thrown;
  }
  if (apiKey !== null) context.hide([apiKey]);
  const result = await generateText({
    endpoint,
    apiKey,
    system: question.system,
    prompt: question.prompt,
    maxTokens: max_tokens ?? question.maxTokens,
    temperature: temperature ?? question.temperature,
    signal,
    timeoutMs: context.ownTimeoutMs ?? endpoint.timeout_seconds * 1000,
    onText: (chunk) => context.write('stdout', chunk),
  });
  if (result.kind === 'cancelled') throw new AppError('CANCELLED');
  const by = `${endpoint.name}/${endpoint.model}`;
  if (result.kind === 'failed') {
    return { kind: 'failed', error: result.error, work: workOf(by, result.usage) };
  }
  const { text, finishReason, usage } = result;
  const work = workOf(by, usage ?? (await estimated(question, text)), usage === null);
  return { kind: 'answered', text, finishReason, work };
}

/** What the step asks in its `with`; null when it leaves that to the default. */
export function promptOf({ step }: Pick<StepContext, 'step'>): string | null {
  return firstText(step.with, promptFields);
}

/** What the step tells the model to be; null when it says nothing. */
export function systemOf({ step }: Pick<StepContext, 'step'>): string | null {
  return firstText(step.with, systemFields);
}

/** What the steps before gave, each under its name; one alone stands by itself. Empty when there are none. */
export function outputsBefore({ upstream }: Pick<StepContext, 'upstream'>): string {
  if (upstream.length === 1) return upstream[0]!.output.text;
  return upstream.map(({ step, output }) => `${step.step_name}:\n${output.text}`).join('\n\n');
}

/** Action and detail of the step, as far as there are any. */
export function taskOf({ step }: Pick<StepContext, 'step'>): string {
  return [step.action, step.detail ?? ''].filter((part) => part.trim() !== '').join('\n\n');
}

function firstText(fields: Readonly<Record<string, unknown>> | undefined, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields?.[name];
    if (value === undefined || value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    if (text.trim() !== '') return text;
  }
  return null;
}

async function estimated({ system, prompt }: Question, answer: string): Promise<TokenUsage> {
  const [input, output] = await Promise.all([countTokens(`${system}\n${prompt}`), countTokens(answer)]);
  return { input_tokens: input, output_tokens: output };
}

function workOf(by: string, usage: TokenUsage | null, isEstimated = false): TryWork {
  if (usage === null) return { by };
  return { by, layers: [{ layer: 1, ...usage, estimated: isEstimated, left: null }] };
}
