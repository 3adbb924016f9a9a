/**
 * The one table of error codes: who can do something about it, the exit code of the command line and the HTTP status.
 * Exit codes: 0 ok, 1 failed, 2 usage, 3 conflict, 4 not found, 5 refused by policy, 130 cancelled.
 */
export const errorCodes = {
  INPUT_INVALID: { who: 'user', exit: 2, http: 400 },
  USAGE: { who: 'user', exit: 2, http: 400 },
  TOO_LARGE: { who: 'user', exit: 2, http: 413 },
  CHAIN_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  CHAIN_EXISTS: { who: 'user', exit: 3, http: 409 },
  CHAIN_NAME_INVALID: { who: 'user', exit: 2, http: 400 },
  CHAIN_NAME_CLASH: { who: 'user', exit: 3, http: 409 },
  CHAIN_FILE_BROKEN: { who: 'user', exit: 1, http: 422 },
  CHAIN_CYCLE: { who: 'user', exit: 1, http: 422 },
  CHAIN_INVALID: { who: 'user', exit: 1, http: 422 },
  EDIT_REFUSED: { who: 'user', exit: 2, http: 400 },
  CONFLICT: { who: 'user', exit: 3, http: 409 },
  STEP_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  SKILL_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  SKILL_NOT_READY: { who: 'user', exit: 5, http: 409 },
  SCRIPT_NOT_FOUND: { who: 'author', exit: 4, http: 404 },
  ACTION_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  MANIFEST_INVALID: { who: 'author', exit: 1, http: 422 },
  ACTION_INPUT_INVALID: { who: 'user', exit: 2, http: 400 },
  ACTION_REFUSED: { who: 'author', exit: 5, http: 403 },
  CONFIRMATION_NEEDED: { who: 'user', exit: 5, http: 409 },
  JOB_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  RUN_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  RUN_ENDED: { who: 'user', exit: 3, http: 409 },
  RUN_ELSEWHERE: { who: 'user', exit: 3, http: 409 },
  RUN_JOURNAL_BROKEN: { who: 'environment', exit: 1, http: 422 },
  QUESTION_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  ANSWER_INVALID: { who: 'user', exit: 2, http: 400 },
  ANSWER_FIELD_INVALID: { who: 'user', exit: 2, http: 400 },
  AGENT_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  PROGRAM_NOT_FOUND: { who: 'environment', exit: 1, http: 422 },
  TOOL_NOT_FOUND: { who: 'user', exit: 4, http: 404 },
  TOOL_AMBIGUOUS: { who: 'user', exit: 2, http: 409 },
  TOOL_NOT_ALLOWLISTED: { who: 'author', exit: 5, http: 403 },
  TOOL_REFUSED: { who: 'user', exit: 5, http: 403 },
  TOOL_FAILED: { who: 'environment', exit: 1, http: 502 },
  TOOL_TIMEOUT: { who: 'environment', exit: 1, http: 504 },
  TOOL_SERVER_FAILED: { who: 'environment', exit: 1, http: 502 },
  INVALID_TOOL_ARGS: { who: 'author', exit: 2, http: 400 },
  SETTINGS_INVALID: { who: 'user', exit: 2, http: 400 },
  FILE_LOCKED: { who: 'environment', exit: 3, http: 423 },
  FILE_UNREADABLE: { who: 'environment', exit: 1, http: 500 },
  FILE_UNWRITABLE: { who: 'environment', exit: 1, http: 500 },
  NOT_AUTHORISED: { who: 'user', exit: 5, http: 401 },
  NOT_CONNECTED: { who: 'environment', exit: 1, http: 503 },
  FORBIDDEN: { who: 'user', exit: 5, http: 403 },
  CANCELLED: { who: 'user', exit: 130, http: 499 },
  INTERNAL: { who: 'bug', exit: 1, http: 500 },
} as const satisfies Record<string, { who: 'user' | 'author' | 'environment' | 'bug'; exit: number; http: number }>;

export type ErrorCode = keyof typeof errorCodes;

/** Whether a text names a code of the table; for input that comes over a wire. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
