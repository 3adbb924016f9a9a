import { readProgramOutput } from '../../../../shared/action/read-output.ts';
import { AppError, errorHint, errorMessage, toAppError } from '../../../../shared/errors/app-error.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import type { StepOutput, TryError } from '../../../../shared/run/event.ts';
import { classifyFailure } from '../../../../shared/run/failure-policy.ts';
import type { ProcessResult } from '../../processes/run-process.ts';
import { wellFormed } from '../../processes/well-formed.ts';

/** Lines at the end of an output that are searched for words about the failure. */
const searchedLines = 40;

/** What a program's end means for the try that ran it. */
export function tryResultOf(result: ProcessResult, program: string): TryResult {
  const said = readProgramOutput({
    stdout: result.stdout.text,
    stderr: result.stderr.text,
    exitCode: result.exitCode,
  });
  if (result.exitCode === 0 && said.error === null && !result.timedOut) {
    return { kind: 'succeeded', output: stepOutput(said.text, said.result, result.stdout.truncated) };
  }
  return { kind: 'failed', error: errorOf(result, said.error, program) };
}

/** An executor's own failure, or a bug in it, as a failed try. */
export function failedBy(thrown: unknown): TryResult {
  const error = toAppError(thrown);
  const errno = (thrown as NodeJS.ErrnoException | null)?.code;
  const facts = thrown instanceof AppError ? {} : { errno: typeof errno === 'string' ? errno : null };
  return {
    kind: 'failed',
    error: {
      class: classifyFailure({ ...facts, platform: process.platform }),
      code: error.code,
      message: errorMessage(error.toWire(), 'en'),
      hint: errorHint(error, 'en'),
      exit_code: null,
    },
  };
}

function stepOutput(text: string, json: unknown, truncated: boolean): StepOutput {
  return { text: wellFormed(text), ...(json === null ? {} : { json }), truncated };
}

function errorOf(
  result: ProcessResult,
  reported: { code: string; message: string; hint: string | null } | null,
  program: string,
): TryError {
  const printed = result.stderr.text.trim() === '' ? result.stdout.text : result.stderr.text;
  const lines = printed.trimEnd().split(/\r?\n/).slice(-searchedLines);
  const errorClass = classifyFailure({
    timedOut: result.timedOut,
    errno: result.spawnError?.code ?? null,
    reportedCode: reported?.code ?? null,
    text: lines.join('\n'),
    platform: process.platform,
  });
  const base = { class: errorClass, exit_code: result.exitCode, hint: reported?.hint ?? null };
  if (result.spawnError?.code === 'ENOENT') {
    const missing = { code: 'PROGRAM_NOT_FOUND', params: { program }, place: {} } as const;
    return { ...base, code: missing.code, message: errorMessage(missing, 'en'), hint: errorHint(missing, 'en') };
  }
  if (result.spawnError !== null) return { ...base, code: 'SPAWN', message: result.spawnError.message };
  if (result.timedOut) return { ...base, code: 'TIMEOUT', message: reported?.message ?? '' };
  if (reported !== null) return { ...base, code: reported.code, message: reported.message };
  const lastLine = lines.at(-1)?.slice(0, 2000) ?? '';
  if (result.exitCode === null) return { ...base, code: 'SIGNAL', message: result.exitSignal ?? lastLine };
  return { ...base, code: 'EXIT', message: lastLine };
}
