import { fillText, type Locale, type TextParams } from '../text/texts.ts';
import { type ErrorCode, errorCodes, isErrorCode } from './error-codes.ts';
import { errorTexts, hintTexts } from './error-texts.ts';

const brand: unique symbol = Symbol.for('skill-chain-studio.app-error') as never;

/** Where in a file, or in what was sent, the fault is. Lines and columns count from 1. */
export interface ErrorPlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
}

/** What crosses a process or a network instead of an AppError. */
export interface WireError {
  readonly code: ErrorCode;
  readonly params: TextParams;
  readonly place: ErrorPlace;
}

/**
 * An expected failure: something that a person, an author or the environment can cause. Bugs are `invariant` instead.
 * The text is made from the code's entry in `error-texts.ts`, in the language of whoever reads it.
 */
export class AppError extends Error {
  /** The command line's first file and its parts each have a copy of this class; an error of one is one of the other. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }

  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly params: TextParams;
  readonly place: ErrorPlace;

  constructor(code: ErrorCode, params: TextParams = {}, place: ErrorPlace = {}, options?: { cause?: unknown }) {
    super(errorMessage({ code, params, place }, 'en'), options);
    this.name = 'AppError';
    this.code = code;
    this.params = params;
    this.place = place;
  }

  toWire(): WireError {
    return { code: this.code, params: this.params, place: this.place };
  }

  static fromWire(wire: WireError): AppError {
    return new AppError(wire.code, wire.params, wire.place);
  }
}

/** The error's sentence, with its place in front when it has one: `chains/a.json:3:5: ...`. */
export function errorMessage(error: WireError, locale: Locale): string {
  const { file, line, column, field } = error.place;
  const position = [file, line, column].filter((part) => part !== undefined).join(':');
  const place = [position, field].filter((part) => part !== undefined && part !== '').join(' ');
  const sentence = fillText(errorTexts[locale][error.code], paramsIn(error.params, locale));
  return place === '' ? sentence : `${place}: ${sentence}`;
}

/** The next step that the person can take. */
export function errorHint(error: Pick<WireError, 'code' | 'params'>, locale: Locale): string {
  return fillText(hintTexts[locale][error.code], paramsIn(error.params, locale));
}

/** A param that is a sentence itself may come in other languages too, as `<name>:<locale>`. */
function paramsIn(params: TextParams, locale: Locale): TextParams {
  const ending = `:${locale}`;
  const own = Object.entries(params).filter(([key]) => key.endsWith(ending));
  if (own.length === 0) return params;
  return { ...params, ...Object.fromEntries(own.map(([key, value]) => [key.slice(0, -ending.length), value])) };
}

/** Any thrown value as an AppError; what is none becomes `INTERNAL` with the original as its cause. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError('INTERNAL', { detail }, {}, { cause: thrown });
}

/** Reads a WireError out of unknown data; null when it is none. */
export function readWireError(data: unknown): WireError | null {
  if (typeof data !== 'object' || data === null) return null;
  const { code, params, place } = data as Partial<WireError>;
  if (typeof code !== 'string' || !isErrorCode(code)) return null;
  return { code, params: params ?? {}, place: place ?? {} };
}

/** The process exit code that belongs to an error. */
export function exitCodeOf(code: ErrorCode): number {
  return errorCodes[code].exit;
}
