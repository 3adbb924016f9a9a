import type { ErrorClass, OnExhaust } from '../chain/chain.ts';
import { errorClasses } from '../chain/chain.ts';
import type { Answer } from './event.ts';

/**
 * Milliseconds before a class is tried again; null = never by itself, a person is asked at once. The numbers are
 * skill-sub's.
 */
export const retryDelaysMs: Readonly<Record<ErrorClass, number | null>> = {
  file_locked: 0,
  network_error: 5000,
  auth_error: null,
  timeout: 5000,
  other: 2000,
};

/** What a step's fields say about its failures, defaults filled in. */
export interface FailurePolicy {
  /** Further tries after the first; 0..10. */
  readonly max_retries: number;
  /** Classes that are retried; empty = all. */
  readonly error_types: readonly ErrorClass[];
  readonly on_exhaust: OnExhaust;
  readonly is_milestone: boolean;
  readonly continue_on_error: boolean;
  /** False for a step that a person does: it is asked about, never repeated by itself. */
  readonly retries_by_itself: boolean;
}

export type AfterFailure =
  | { readonly kind: 'retry'; readonly delay_ms: number }
  | { readonly kind: 'ask'; readonly choices: readonly Answer[] }
  | { readonly kind: 'skip' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'end_run'; readonly reason: 'failed_milestone' | 'failed_abort' };

/**
 * What follows a failed try. `retries_used` counts the repetitions since the step started or a person asked for it
 * again. A milestone ends the run whatever its other fields say; an authentication failure of any other step is
 * asked about at once, because repeating it can only lock an account.
 */
export function afterFailure(errorClass: ErrorClass, retriesUsed: number, policy: FailurePolicy): AfterFailure {
  const delay = retryDelaysMs[errorClass];
  const chosen = policy.error_types.length === 0 || policy.error_types.includes(errorClass);
  if (policy.retries_by_itself && delay !== null && chosen && retriesUsed < policy.max_retries) {
    return { kind: 'retry', delay_ms: delay };
  }
  if (policy.is_milestone) return { kind: 'end_run', reason: 'failed_milestone' };
  if (policy.continue_on_error) return { kind: 'continue' };
  if (delay === null || policy.on_exhaust === 'ask') return { kind: 'ask', choices: ['retry', 'skip', 'abort'] };
  if (policy.on_exhaust === 'skip') return { kind: 'skip' };
  return { kind: 'end_run', reason: 'failed_abort' };
}

/** What is known about a try that failed. */
export interface FailureFacts {
  /** The executor ended it because its time was over. */
  readonly timedOut?: boolean;
  /** System error of the spawn, such as `ENOENT`. */
  readonly errno?: string | null;
  /** The `<CODE>` of the program's `ERROR:<CODE>`. */
  readonly reportedCode?: string | null;
  /** End of the program's output. */
  readonly text?: string;
  /** Node's name of the system: `win32` says "not permitted" for a file that is in use. */
  readonly platform?: string;
}

/**
 * The class of a failure. First answer wins: what the executor itself saw (its time limit, the system's error), the
 * code that the program reported, words in its output.
 */
export function classifyFailure(facts: FailureFacts): ErrorClass {
  if (facts.timedOut === true) return 'timeout';
  const errno = facts.errno?.toUpperCase();
  if (errno) return classOfErrno(errno, facts.platform);
  const byCode = facts.reportedCode ? classOfCode(facts.reportedCode) : null;
  return byCode ?? classOfText(facts.text ?? '');
}

const errnoClasses: Readonly<Record<string, ErrorClass>> = {
  EBUSY: 'file_locked',
  ETXTBSY: 'file_locked',
  EACCES: 'auth_error',
  EPERM: 'auth_error',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'network_error',
  ECONNRESET: 'network_error',
  ECONNABORTED: 'network_error',
  EHOSTUNREACH: 'network_error',
  ENETUNREACH: 'network_error',
  ENETDOWN: 'network_error',
  ENOTFOUND: 'network_error',
  EAI_AGAIN: 'network_error',
};

function classOfErrno(errno: string, platform: string | undefined): ErrorClass {
  if (platform === 'win32' && errno === 'EPERM') return 'file_locked';
  return errnoClasses[errno] ?? 'other';
}

/** Short forms that programs use for the classes; the class names themselves work too. */
const codeClasses: Readonly<Record<string, ErrorClass>> = {
  TIMED_OUT: 'timeout',
  DEADLINE_EXCEEDED: 'timeout',
  AUTH: 'auth_error',
  AUTH_REQUIRED: 'auth_error',
  AUTH_FAILED: 'auth_error',
  AUTHENTICATION: 'auth_error',
  UNAUTHORIZED: 'auth_error',
  UNAUTHENTICATED: 'auth_error',
  FORBIDDEN: 'auth_error',
  PERMISSION_DENIED: 'auth_error',
  LOGIN_REQUIRED: 'auth_error',
  NETWORK: 'network_error',
  NETWORK_UNREACHABLE: 'network_error',
  CONNECTION: 'network_error',
  CONNECTION_REFUSED: 'network_error',
  DNS: 'network_error',
  LOCKED: 'file_locked',
  FILE_IN_USE: 'file_locked',
  FILE_BUSY: 'file_locked',
};

function classOfCode(reported: string): ErrorClass | null {
  const code = reported
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');
  const named = errorClasses.find((name) => name.toUpperCase() === code);
  return named ?? codeClasses[code] ?? errnoClasses[code] ?? null;
}

const busy = words(
  'in use|being used|file is busy|text file busy|resource busy|resource temporarily unavailable',
  'locked|file lock|lock file|filelocked|sharing violation|EBUSY|ETXTBSY|WinError 3[23]',
  '占用|锁定',
);

/** Rows in the order they are tested. */
const wordClasses: readonly (readonly [ErrorClass, RegExp])[] = [
  ['timeout', words('timeout|timeouts|timed out|time out|deadline exceeded|ETIMEDOUT', '超时')],
  [
    'auth_error',
    words(
      'auth|oauth|unauthorized|unauthorised|unauthenticated|authentication|authorization|authorisation|forbidden',
      '401|403|access denied|login required|not logged in|log in first|credential|credentials|EACCES',
      '(?:api|access) key|(?:invalid|expired|missing|bad|revoked|access|auth|bearer) token|token (?:is )?(?:invalid|expired)',
      '未授权|未登录|认证|鉴权|令牌|凭据|权限',
    ),
  ],
  [
    'network_error',
    words(
      'network|connection|dns|socket|sockets|refused|unreachable|offline|getaddrinfo|name resolution',
      'ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH',
      '网络|无法连接|连接失败|连接被',
    ),
  ],
  ['file_locked', busy],
];
const permissionDenied = words('permission denied|operation not permitted', '拒绝访问');

function classOfText(text: string): ErrorClass {
  for (const [errorClass, pattern] of wordClasses) {
    if (pattern.test(text)) return errorClass;
    // Windows and some editors say "permission denied" for a file that somebody holds open.
    if (errorClass === 'auth_error' && permissionDenied.test(text))
      return busy.test(text) ? 'file_locked' : 'auth_error';
  }
  return 'other';
}

/** Whole words, case ignored; the last argument is Chinese, where words have no spaces between them. */
function words(...alternatives: string[]): RegExp {
  const chinese = alternatives.pop();
  return new RegExp(`(?<![A-Za-z0-9])(?:${alternatives.join('|')})(?![A-Za-z0-9])|${chinese}`, 'i');
}
