import type { ErrorClass } from '../../../shared/chain/chain.ts';
import { AppError, errorHint, errorMessage } from '../../../shared/errors/app-error.ts';
import type { ErrorCode } from '../../../shared/errors/error-codes.ts';
import type { TryError } from '../../../shared/run/event.ts';
import { classifyFailure } from '../../../shared/run/failure-policy.ts';
import type { ModelEndpoint } from '../../../shared/settings/settings.ts';
import type { TextParams } from '../../../shared/text/texts.ts';
import { wellFormed } from '../processes/well-formed.ts';

/** Longest part of what a server says that is shown. */
const detailLimit = 500;

export interface FailureContext {
  readonly endpoint: Pick<ModelEndpoint, 'name'>;
  readonly apiKey: string | null;
  /** What the answer consisted of until then. */
  readonly arrived: string;
  /** HTTP status of the response; null when none came. */
  readonly status: number | null;
}

/**
 * What a failed request means for the try that made it. `thrown` is what the AI SDK threw or put into its stream: an
 * error of the HTTP status, of the connection, or an error object that the server sent instead of an answer.
 */
export function modelFailure(thrown: unknown, context: FailureContext): TryError {
  const { status, headers, body } = responseOf(thrown);
  if (status !== null && isBad(status)) {
    if (context.status === null || isBad(context.status)) {
      return ofStatus(status, headers, serverMessage(body) ?? messageOf(thrown), context);
    }
    // A stream that begins with an error is given a status by the SDK; the error itself is its body.
    return ofAnswer(readJson(body) ?? thrown, context);
  }
  return ofAnswer(thrown, context);
}

/** The time limit of the try, in milliseconds, is over. */
export function modelTimeout(ms: number, context: FailureContext): TryError {
  return failure('MODEL_TIMEOUT', 'timeout', { seconds: Math.round(ms / 100) / 10 }, context);
}

/** An answer that came whole and is of no use; `detail` says why. */
export function unusableAnswer(detail: string, context: FailureContext): TryError {
  return failure('MODEL_ANSWER_BROKEN', 'other', { detail }, context);
}

/** An AppError that was thrown before there was a request. */
export function refusedBefore(error: AppError): TryError {
  return {
    // Nothing but a person can bring the key.
    class: error.code === 'MODEL_KEY_MISSING' ? 'auth_error' : 'other',
    code: error.code,
    message: errorMessage(error.toWire(), 'en'),
    hint: errorHint(error, 'en'),
    exit_code: null,
  };
}

function isBad(status: number): boolean {
  return status < 200 || status > 299;
}

/** A response that came with a good status, or no response. */
function ofAnswer(thrown: unknown, context: FailureContext): TryError {
  const event = eventOf(thrown);
  if (event !== null) return ofEvent(event, context);
  const system = systemErrorOf(thrown);
  if (system !== null) return ofConnection(system, context);
  if (context.arrived !== '' && isUnfinished(thrown)) return cutOff('the stream has no end', context);
  return failure('MODEL_ANSWER_BROKEN', 'other', { detail: messageOf(thrown) }, context);
}

function ofStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  said: string,
  context: FailureContext,
): TryError {
  const detail = said === '' ? `HTTP ${status}` : `HTTP ${status}, ${said}`;
  if (status === 401 || status === 403) return failure('MODEL_KEY_REFUSED', 'auth_error', { detail }, context);
  if (status === 429) return failure('MODEL_BUSY', 'network_error', { detail, ...waitOf(headers) }, context);
  if (status === 408 || status >= 500) return failure('MODEL_FAILED', 'network_error', { detail }, context);
  return failure('MODEL_REFUSED', 'other', { detail }, context);
}

/** What both protocols call the kinds of their errors, in `type` or `code`. */
const eventClasses: readonly (readonly [RegExp, ErrorCode, ErrorClass])[] = [
  [/rate_?limit|too_many|insufficient_quota|overloaded|(?:^| )429(?: |$)/, 'MODEL_BUSY', 'network_error'],
  [/authentication|permission|invalid_api_key|(?:^| )40[13](?: |$)/, 'MODEL_KEY_REFUSED', 'auth_error'],
  [/api_error|server_error|internal|timeout|unavailable|(?:^| )5\d\d(?: |$)/, 'MODEL_FAILED', 'network_error'],
];

function ofEvent({ kind, message }: { kind: string; message: string }, context: FailureContext): TryError {
  const [, code, errorClass] = eventClasses.find(([pattern]) => pattern.test(kind.toLowerCase())) ?? [
    null,
    'MODEL_REFUSED' as const,
    'other' as const,
  ];
  const detail = [kind, message].filter((part) => part !== '').join(', ');
  return failure(code, errorClass, { detail, wait: '' }, context);
}

function ofConnection(system: SystemError, context: FailureContext): TryError {
  const { code, message } = system;
  // These are the limits of Node's own client for a server that sends nothing.
  const isSilent = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const isOurs = code.startsWith('UND_ERR_') || code === 'EPIPE';
  const errorClass = isSilent
    ? 'timeout'
    : isOurs
      ? 'network_error'
      : classifyFailure({ errno: code, platform: process.platform });
  const detail = message.includes(code) || message === '' ? message || code : `${code}, ${message}`;
  if (context.arrived !== '') return cutOff(detail, context, errorClass);
  return failure('MODEL_UNREACHABLE', errorClass, { detail }, context);
}

function cutOff(detail: string, context: FailureContext, errorClass: ErrorClass = 'network_error'): TryError {
  return failure('MODEL_CUT_OFF', errorClass, { count: context.arrived.length, detail }, context);
}

function failure(code: ErrorCode, errorClass: ErrorClass, params: TextParams, context: FailureContext): TryError {
  const name = context.endpoint.name;
  const shown = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string' ? presentable(value, context) : value,
    ]),
  );
  const error = new AppError(code, { name, ...shown });
  return {
    class: errorClass,
    code,
    message: errorMessage(error.toWire(), 'en'),
    hint: errorHint(error, 'en'),
    exit_code: null,
  };
}

/** Servers like to repeat what they were sent, the key among it. */
function presentable(text: string, { apiKey }: FailureContext): string {
  const hidden = apiKey === null ? text : text.replaceAll(apiKey, '***');
  if (hidden.length <= detailLimit) return hidden;
  return wellFormed(`${hidden.slice(0, detailLimit)} ...`);
}

/** `Retry-After`, in seconds or as a date, as a sentence for the hint. */
function waitOf(headers: Readonly<Record<string, string>>): { wait: string } {
  const asked = headers['retry-after']?.trim();
  if (!asked || !/^[\w ,:.+-]{1,40}$/.test(asked)) return { wait: '' };
  if (/^\d+(\.\d+)?$/.test(asked)) return { wait: ` The server asks to wait ${asked} s.` };
  return { wait: ` The server asks to wait until ${asked}.` };
}

function responseOf(thrown: unknown): {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  body: string;
} {
  const { statusCode, responseHeaders, responseBody } = fieldsOf(thrown);
  return {
    status: typeof statusCode === 'number' ? statusCode : null,
    headers: fieldsOf(responseHeaders) as Record<string, string>,
    body: textOf(responseBody),
  };
}

/** The sentence in an error response, by the forms that servers use; null when there is none to be read. */
function serverMessage(body: string): string | null {
  const text = body.trim();
  if (text === '') return null;
  const value = readJson(text);
  if (value === null) return text.startsWith('<') ? null : oneLine(text);
  const { error, message, detail } = fieldsOf(value);
  for (const said of [fieldsOf(error)['message'], error, message, detail]) {
    if (typeof said === 'string' && said.trim() !== '') return oneLine(said);
  }
  return null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** An error object that came as a part of the stream. */
function eventOf(thrown: unknown): { kind: string; message: string } | null {
  if (typeof thrown === 'string') return { kind: '', message: oneLine(thrown) };
  if (thrown instanceof Error) return null;
  const { type, code, message } = fieldsOf(thrown);
  const kind = [type, code].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  return kind === '' && typeof message !== 'string' ? null : { kind, message: oneLine(textOf(message)) };
}

interface SystemError {
  readonly code: string;
  readonly message: string;
}

/** The innermost error of the system or of Node's client among the causes. */
function systemErrorOf(thrown: unknown): SystemError | null {
  let found: SystemError | null = null;
  for (let [error, depth] = [thrown, 0]; error instanceof Error && depth < 10; depth += 1) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) found = { code, message: oneLine(error.message) };
    error = error.cause;
  }
  return found;
}

/** The stream ended as if it were whole, without the part that ends an answer. */
function isUnfinished(thrown: unknown): boolean {
  const { name } = fieldsOf(thrown);
  return name === 'AI_InvalidResponseDataError' || name === 'AI_NoOutputGeneratedError';
}

function messageOf(thrown: unknown): string {
  const { name, message } = fieldsOf(thrown);
  // The text of a parse error holds all of what could not be read.
  const isSafe = thrown instanceof Error && name !== 'AI_JSONParseError' && name !== 'AI_TypeValidationError';
  return isSafe ? oneLine(textOf(message)) : 'a part of the stream is not what the protocol says';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
