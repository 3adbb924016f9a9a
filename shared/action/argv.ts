import { type InputValues, inputError, sensitiveFields } from './input-schema.ts';
import type { Action, Scalar } from './manifest.ts';

const placeholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;
const wholePlaceholder = /^\{\{\s*([^{}\s]+)\s*\}\}$/;
const longFlag = /^--[A-Za-z][\w-]*$/;
const shortFlag = /^-[A-Za-z]$/;
/** What stands for a sensitive value wherever an argv is shown. */
export const mask = '***';

/**
 * The arguments of an action: its command, then `args`, one argument per element; nothing here ever goes through a
 * shell. `values` come from `validateInput`.
 *
 * An element that is exactly `{{field}}` (or `--flag={{field}}`) of an absent field drops out, and with the former the
 * flag before it; elsewhere an absent field is an empty text. A value is never expanded again. A text that starts with a
 * dash can not become an option: behind `--flag` both become `--flag=value`; behind a literal `--` it stays; else it is
 * refused. `{ mask: true }` shows sensitive values as `***`. Errors: ACTION_INPUT_INVALID.
 */
export function actionArgv(
  action: Pick<Action, 'entrypoint' | 'inputSchema'>,
  values: InputValues,
  options: { readonly mask?: boolean } = {},
): string[] {
  const hidden = new Set(options.mask === true ? sensitiveFields(action.inputSchema) : []);
  const argv: string[] = [action.entrypoint.command];
  let onlyPositional = false;
  let flagBefore: 'long' | 'short' | null = null;
  for (const element of action.entrypoint.args ?? []) {
    const text = scalarText(element);
    const field = typeof element === 'string' ? wholePlaceholder.exec(text)?.[1] : undefined;
    if (field === undefined) {
      const rendered = renderParts(text, values, hidden);
      flagBefore = onlyPositional ? null : longFlag.test(text) ? 'long' : shortFlag.test(text) ? 'short' : null;
      if (rendered === null) continue;
      if (text === '--') onlyPositional = true;
      if (!onlyPositional && rendered.startsWith('-') && !text.startsWith('-')) {
        throw inputError({ field: firstField(text), code: 'leading_dash', params: {} });
      }
      argv.push(rendered);
      continue;
    }
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    if (value === undefined) {
      if (flagBefore !== null) argv.pop();
    } else {
      const shown = hidden.has(field) ? mask : scalarText(value);
      const dashed = typeof value === 'string' && value.startsWith('-') && !onlyPositional;
      if (!dashed) argv.push(shown);
      else if (flagBefore === 'long') argv.push(`${argv.pop()}=${shown}`);
      else throw inputError({ field, code: 'leading_dash', params: {} });
    }
    flagBefore = null;
  }
  return argv;
}

/** Fields that an argument refers to. */
export function fieldsOf(argument: string): string[] {
  return [...argument.matchAll(placeholder)].map((match) => match[1]!);
}

/** `true`/`false`; numbers without an exponent; texts as they are. */
export function scalarText(value: Scalar): string {
  if (typeof value !== 'number') return String(value);
  const text = Object.is(value, -0) ? '0' : String(value);
  return text.includes('e') ? plainNumber(text) : text;
}

/** Null when the element drops out. */
function renderParts(text: string, values: InputValues, hidden: ReadonlySet<string>): string | null {
  const assigned = /^--?[A-Za-z][\w-]*=\{\{\s*([^{}\s]+)\s*\}\}$/.exec(text)?.[1];
  if (assigned !== undefined && !Object.hasOwn(values, assigned)) return null;
  return text.replace(placeholder, (_whole, field: string) => {
    if (!Object.hasOwn(values, field)) return '';
    return hidden.has(field) ? mask : scalarText(values[field]!);
  });
}

function firstField(text: string): string {
  return fieldsOf(text)[0] ?? text;
}

/** `1e+21` and `1e-7` as digits. */
function plainNumber(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
