import type { TryError } from '../../../shared/run/event.ts';
import type { ModelEndpoint } from '../../../shared/settings/settings.ts';
import { Redactor } from '../processes/redactor.ts';
import { wellFormed } from '../processes/well-formed.ts';
import { modelFailure, modelTimeout, unusableAnswer } from './model-failure.ts';

/** Longest answer that is taken, in characters; what a step may keep of a program's output. */
const answerLimit = 4 * 1024 * 1024;
/** Most bytes of one response. A part of the stream is not looked at before it is there as a whole. */
const responseLimit = 64 * 1024 * 1024;
/** A longer time would be over at once. */
const longestTimer = 2 ** 31 - 1;

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface GenerateOptions {
  readonly endpoint: ModelEndpoint;
  /** Null = the endpoint asks for none. */
  readonly apiKey: string | null;
  readonly system?: string | undefined;
  /** What is asked: one text, or a conversation whose last message is the user's. */
  readonly prompt: string | readonly ModelMessage[];
  /** Absent = the endpoint's; where it has none, the provider's. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Each piece of the answer as it comes; the key never stands in one. */
  readonly onText?: ((chunk: string) => void) | undefined;
}

export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** `text` of a failure is what had arrived. Usage is null when the server does not say. */
export type GenerateResult =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly usage: TokenUsage | null;
      readonly finishReason: FinishReason;
    }
  | { readonly kind: 'failed'; readonly error: TryError; readonly text: string; readonly usage: TokenUsage | null }
  | { readonly kind: 'cancelled'; readonly text: string };

/**
 * Asks a model once and takes its answer as it comes. Nothing is repeated here, and nothing is thrown: a failure is a
 * result with the class that decides what follows. Aborting ends the request at once.
 */
export async function generateText(options: GenerateOptions): Promise<GenerateResult> {
  const { endpoint, apiKey, signal, timeoutMs, onText } = options;
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(), Math.min(timeoutMs, longestTimer));
  // Ends the request also when the answer is of no use before it is whole.
  const enough = new AbortController();
  const ends = AbortSignal.any([tooLate.signal, enough.signal, ...(signal === undefined ? [] : [signal])]);
  const answer = new ArrivingText(apiKey, onText);
  let status: number | null = null;
  let usage: TokenUsage | null = null;
  const about = () => ({ endpoint, apiKey, arrived: answer.text, status });
  const failed = (error: TryError): GenerateResult => ({ kind: 'failed', error, text: answer.text, usage });
  const ended = (thrown: unknown): GenerateResult => {
    answer.end();
    if (signal?.aborted) return { kind: 'cancelled', text: answer.text };
    if (tooLate.signal.aborted) return failed(modelTimeout(timeoutMs, about()));
    return failed(modelFailure(thrown, about()));
  };

  try {
    const { streamText } = await import('ai');
    // Its warnings would go to the standard output, which belongs to results.
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const stream = streamText({
      model: await createModel(endpoint, apiKey, async (...request) => {
        const response = await limitedFetch(...request);
        status = response.status;
        return response;
      }),
      ...(options.system ? { system: options.system } : {}),
      ...(typeof options.prompt === 'string' ? { prompt: options.prompt } : { messages: [...options.prompt] }),
      ...given('maxOutputTokens', options.maxTokens ?? endpoint.max_tokens),
      ...given('temperature', options.temperature ?? endpoint.temperature),
      maxRetries: 0,
      abortSignal: ends,
      onError: () => undefined,
    });
    for await (const part of stream.fullStream) {
      if (part.type === 'text-delta') {
        answer.write(part.text);
        if (answer.text.length > answerLimit)
          return failed(unusableAnswer('it is longer than 4 million characters', about()));
      } else if (part.type === 'error') return ended(part.error);
      else if (part.type === 'abort') return ended(null);
      else if (part.type === 'finish') {
        const { inputTokens, outputTokens } = part.totalUsage;
        if (inputTokens !== undefined && outputTokens !== undefined) {
          usage = { input_tokens: inputTokens, output_tokens: outputTokens };
        }
        // Without the provider's own word for the end, the end did not come.
        if (part.rawFinishReason === undefined) return ended(new UnfinishedError());
        answer.end();
        return { kind: 'answered', text: answer.text, usage, finishReason: part.finishReason };
      }
    }
    return ended(new UnfinishedError());
  } catch (thrown) {
    return ended(thrown);
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

/** The answer as far as it has come: the key hidden also where it lies across pieces, no half character passed on. */
class ArrivingText {
  text = '';
  #half = '';
  readonly #redactor: Redactor;
  readonly #onText: ((chunk: string) => void) | undefined;

  constructor(apiKey: string | null, onText: ((chunk: string) => void) | undefined) {
    this.#redactor = new Redactor(apiKey === null ? [] : [apiKey]);
    this.#onText = onText;
  }

  write(piece: string): void {
    this.#take(this.#redactor.write(piece));
  }

  end(): void {
    this.#take(this.#redactor.end());
    const half = this.#half;
    this.#half = '';
    if (half !== '') this.#pass(wellFormed(half));
  }

  #take(piece: string): void {
    const all = this.#half + piece;
    const whole = /[\ud800-\udbff]$/.test(all) ? all.slice(0, -1) : all;
    this.#half = all.slice(whole.length);
    if (whole !== '') this.#pass(wellFormed(whole));
  }

  #pass(chunk: string): void {
    this.text += chunk;
    this.#onText?.(chunk);
  }
}

/** Same name as the error by which the SDK says it. */
class UnfinishedError extends Error {
  override name = 'AI_InvalidResponseDataError';
  constructor() {
    super('the answer has no end');
  }
}

async function createModel(endpoint: ModelEndpoint, apiKey: string | null, fetch: typeof globalThis.fetch) {
  const { name, provider, base_url, model } = endpoint;
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({
      // Both are given in any case, or the SDK would look for them in the environment by itself.
      baseURL: base_url || 'https://api.anthropic.com/v1',
      apiKey: apiKey ?? '',
      fetch,
    })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name,
    baseURL: base_url,
    ...(apiKey === null ? {} : { apiKey }),
    includeUsage: true,
    fetch,
  })(model);
}

/** Follows no redirect, which would carry the key to another server, and takes no response without end. */
async function limitedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > responseLimit) controller.error(new Error('the response is longer than 64 MB'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, response);
}

function given<Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, number>);
}
