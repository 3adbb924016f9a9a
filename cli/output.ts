import { AppError, errorHint, errorMessage, exitCodeOf, toAppError } from '../shared/errors/app-error.ts';
import type { Locale, TextParams } from '../shared/text/texts.ts';
import { type CliText, cliText } from './cli-texts.ts';

/** Where a command writes: human text or, with `--json`, one JSON value and nothing else on the standard output. */
export interface Output {
  readonly locale: Locale;
  readonly json: boolean;
  /** One of the command line's texts. */
  text(key: CliText, params?: TextParams): string;
  /** A line of human text; nothing with `--json`. */
  line(text?: string): void;
  /** A line beside the result, on the standard error. */
  note(text: string): void;
  /** The result of a command for a program. */
  value(value: unknown): void;
}

export function createOutput(locale: Locale, json: boolean): Output {
  return {
    locale,
    json,
    text: (key, params) => cliText(locale, key, params),
    line(text = '') {
      if (!json) process.stdout.write(`${printable(text)}\n`);
    },
    note(text) {
      process.stderr.write(`${printable(text)}\n`);
    },
    value(value) {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
  };
}

/**
 * Prints a failure as `ERROR:<CODE>: message` and `HINT: next step` on the standard error; returns the exit code. A bug
 * prints its stack too.
 */
export function reportFailure(thrown: unknown, locale: Locale): number {
  const error = toAppError(thrown);
  process.stderr.write(`ERROR:${error.code}: ${printable(errorMessage(error, locale))}\n`);
  const { hint } = error.params;
  process.stderr.write(`HINT: ${printable(typeof hint === 'string' ? hint : errorHint(error, locale))}\n`);
  if (error.code === 'INTERNAL' && error.cause instanceof Error) process.stderr.write(`${error.cause.stack}\n`);
  return exitCodeOf(error.code);
}

/** A mistake in how the command was called. */
export function usageError(detail: string, hint?: string): AppError {
  return new AppError('USAGE', { detail, ...(hint === undefined ? {} : { hint }) });
}

/** Texts from files go to a terminal without the characters that would steer it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : '\ufffd',
  );
}

/** Rows as columns that line up, also with Chinese text; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - displayWidth(cell))))
      .join('  ')
      .trimEnd(),
  );
}

function displayWidth(text: string): number {
  let width = 0;
  for (const sign of text) {
    if (/\p{Mn}/u.test(sign)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u.test(
        sign,
      )
        ? 2
        : 1;
  }
  return width;
}
