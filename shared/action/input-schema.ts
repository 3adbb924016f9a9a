import { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import type { TextParams } from '../text/texts.ts';
import type { Action, InputProperty, InputSchema, Scalar } from './manifest.ts';
import { type InputCode, inputProblemText } from './manifest-texts.ts';

/** What is wrong with one value; its text is `inputProblemText`. */
export interface InputProblem {
  readonly field: string;
  readonly code: InputCode;
  readonly params: TextParams;
}

export type InputValues = Readonly<Record<string, Scalar>>;

/** Longest text that is matched against a pattern. */
const patternInputLimit = 10_000;

/**
 * The values that an action runs with: those given, with defaults for those absent. One rule for the form, the services
 * and the local server. An empty text in an optional field counts as absent.
 */
export function checkInput(
  schema: InputSchema | undefined,
  input: Readonly<Record<string, unknown>>,
): { values: InputValues; problems: InputProblem[] } {
  const properties = propertiesOf(schema);
  const required = new Set(schema?.required ?? []);
  const problems: InputProblem[] = [];
  const values: Record<string, Scalar> = Object.create(null);
  for (const field of Object.keys(input)) {
    if (!properties.has(field) && input[field] !== undefined) problems.push({ field, code: 'unknown', params: {} });
  }
  for (const [field, property] of properties) {
    const given = Object.hasOwn(input, field) ? input[field] : undefined;
    const value = isAbsent(given) ? property.default : given;
    if (isAbsent(value)) {
      if (required.has(field)) problems.push({ field, code: 'required', params: {} });
      continue;
    }
    const found = checkValue(property, value);
    if (found === null) values[field] = value as Scalar;
    else problems.push({ field, ...found });
  }
  return { values: { ...values }, problems };
}

/** The same rules as a zod schema, for edges that validate with zod. Messages are English sentences. */
export function inputValidator(schema: InputSchema | undefined): z.ZodType<InputValues, Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).transform((input, context) => {
    const { values, problems } = checkInput(schema, input);
    for (const problem of problems) {
      context.addIssue({ code: 'custom', path: [problem.field], message: inputProblemText('en', problem) });
    }
    return values;
  });
}

/** Values with defaults. Errors: ACTION_INPUT_INVALID {field, detail, reason and its numbers}, for the first problem. */
export function validateInput(
  action: Pick<Action, 'inputSchema'>,
  input: Readonly<Record<string, unknown>>,
): InputValues {
  const { values, problems } = checkInput(action.inputSchema, input);
  const first = problems[0];
  if (first !== undefined) throw inputError(first);
  return values;
}

/** The sentence goes along in every language: whoever shows the error chooses. */
export function inputError(problem: InputProblem): AppError {
  const params = {
    ...problem.params,
    field: problem.field,
    reason: problem.code,
    detail: inputProblemText('en', problem),
    'detail:zh-CN': inputProblemText('zh-CN', problem),
  };
  return new AppError('ACTION_INPUT_INVALID', params, { field: problem.field });
}

/** Fields in the order of the manifest; safe for a field named like a property of every object. */
export function propertiesOf(schema: InputSchema | undefined): ReadonlyMap<string, InputProperty> {
  return new Map(Object.entries(schema?.properties ?? {}));
}

export function sensitiveFields(schema: InputSchema | undefined): string[] {
  return [...propertiesOf(schema)].filter(([, property]) => property.sensitive === true).map(([field]) => field);
}

/** Null when the value is fine. */
export function checkValue(property: InputProperty, value: unknown): Omit<InputProblem, 'field'> | null {
  const problem = (code: InputCode, params: TextParams = {}) => ({ code, params });
  if (property.type === 'boolean') return typeof value === 'boolean' ? inEnum(property, value) : problem('not_boolean');
  if (property.type === 'string') return typeof value === 'string' ? checkText(property, value) : problem('not_text');
  if (typeof value !== 'number' || !Number.isFinite(value)) return problem('not_number');
  if (property.type === 'integer' && !Number.isSafeInteger(value)) return problem('not_integer');
  if (property.minimum !== undefined && value < property.minimum)
    return problem('too_small', { limit: property.minimum });
  if (property.maximum !== undefined && value > property.maximum)
    return problem('too_big', { limit: property.maximum });
  return inEnum(property, value);
}

function checkText(property: InputProperty, value: string): Omit<InputProblem, 'field'> | null {
  if (value.includes('\0')) return { code: 'nul', params: {} };
  const { minLength, maxLength, pattern } = property;
  // JSON Schema counts characters, not UTF-16 units.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) return { code: 'too_short', params: { limit: minLength } };
  if (maxLength !== undefined && length > maxLength) return { code: 'too_long', params: { limit: maxLength } };
  if (pattern !== undefined) {
    if (value.length > patternInputLimit) return { code: 'too_long', params: { limit: patternInputLimit } };
    const expression = compilePattern(pattern);
    if (expression === null || !expression.test(value)) return { code: 'no_match', params: { pattern } };
  }
  return inEnum(property, value);
}

function inEnum(property: InputProperty, value: Scalar): Omit<InputProblem, 'field'> | null {
  if (property.enum === undefined || property.enum.includes(value)) return null;
  return { code: 'not_in_enum', params: { values: property.enum.join(', ') } };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A pattern as a regular expression; null when it is none or could run for ever. */
export function compilePattern(pattern: string): RegExp | null {
  if (isRiskyPattern(pattern)) return null;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return null;
  }
}

/** Whether a pattern of an unknown author could take for ever to match, or all memory to compile. */
export function isRiskyPattern(pattern: string): boolean {
  return pattern.length > 1000 || repeatsRepetition(pattern) || expandedSize(pattern) > 5000;
}

/**
 * How large a pattern is when its counted repetitions are written out, as engines do: `(a{100}){100}` is 10 000. Beyond
 * some size the engine ends the whole process.
 */
function expandedSize(pattern: string): number {
  const groups = [{ before: 0, last: 0 }];
  const add = (size: number) => {
    const group = groups.at(-1)!;
    group.before += group.last;
    group.last = size;
  };
  let inClass = false;
  for (let i = 0; i < pattern.length; i += 1) {
    const character = pattern[i]!;
    const count = !inClass && character === '{' ? /^\{(\d*),?(\d*)\}/.exec(pattern.slice(i)) : null;
    if (count !== null) {
      groups.at(-1)!.last *= Math.max(Number(count[1] || 0), Number(count[2] || 0), 1);
      i += count[0].length - 1;
    } else if (character === '\\') {
      i += 1;
      if (!inClass) add(1);
    } else if (inClass) inClass = character !== ']';
    else if (character === '(') groups.push({ before: 0, last: 0 });
    else if (character === ')' && groups.length > 1) {
      const { before, last } = groups.pop()!;
      add(before + last);
    } else {
      inClass = character === '[';
      add(1);
    }
  }
  return groups.reduce((size, { before, last }) => size + before + last, 0);
}

/**
 * Whether a group that can match in several ways (it holds a repetition or a choice) is itself repeated without a
 * bound, as in `(a+)+` or `(a|aa)*`: such a pattern can take exponential time, and it comes from an unknown author.
 */
function repeatsRepetition(pattern: string): boolean {
  const groups: boolean[] = [];
  let inClass = false;
  for (let i = 0; i < pattern.length; i += 1) {
    const character = pattern[i]!;
    if (character === '\\') i += 1;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') groups.push(false);
    else if (character === ')') {
      const ambiguous = groups.pop() ?? false;
      const repeated = /^(?:[*+]|\{\d*,\d*\})/.test(pattern.slice(i + 1, i + 24));
      if (ambiguous && repeated) return true;
      if ((ambiguous || repeated) && groups.length > 0) groups[groups.length - 1] = true;
    } else if (/[*+|]/.test(character) || (character === '{' && /^\{\d*,\d*\}/.test(pattern.slice(i, i + 24)))) {
      if (groups.length > 0) groups[groups.length - 1] = true;
    }
  }
  return false;
}
