import { kindOf, lengthOf, ownKeys, ownValue } from './data.ts';
import { templateLimits, type WorkMeter } from './limits.ts';

/** Texts that mean no (OpenClaw.NET's list), whatever their case. */
const falseWords: ReadonlySet<string> = new Set(['', 'false', '0', 'no', 'off', 'null', 'none', 'undefined']);
const longestFalseWord = 9;
const numberText = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const longestNumber = 64;

/** Whether a value counts as true in a condition. Text is taken without the blanks at its ends. */
export function isTrue(value: unknown): boolean {
  const kind = kindOf(value);
  if (kind === 'text') {
    const text = (value as string).trim();
    return text.length > longestFalseWord || !falseWords.has(text.toLowerCase());
  }
  if (kind === 'number') return value !== 0;
  return kind === 'boolean' ? value === true : !isEmpty(value);
}

/** Whether there is nothing in a value that a template could show: `or` takes its other side then. */
export function isEmpty(value: unknown): boolean {
  switch (kindOf(value)) {
    case 'nothing':
      return true;
    case 'text':
      return (value as string).trim() === '';
    case 'number':
      return value === 0;
    case 'boolean':
      return value === false;
    case 'list':
      return lengthOf(value) === 0;
    case 'object':
      return ownKeys(value).length === 0;
  }
}

/**
 * Whether two values are equal. Nothing equals nothing and blank text. A number and a text are compared as numbers, a
 * boolean and a text as the words true and false; texts exactly; lists and objects by what is in them (the order of keys
 * does not count), strictly.
 */
export function areEqual(left: unknown, right: unknown, meter: WorkMeter): boolean {
  const kinds = [kindOf(left), kindOf(right)] as const;
  if (kinds.includes('nothing')) return isNothing(left) && isNothing(right);
  if (kinds[0] === kinds[1]) return areSame(left, right, meter, 0);
  if (!kinds.includes('text')) return false;
  const [text, other] = kinds[0] === 'text' ? [left as string, right] : [right as string, left];
  if (typeof other === 'number') return numberOf(text) === other;
  return typeof other === 'boolean' && text.trim().toLowerCase() === String(other);
}

/**
 * -1, 0 or 1 as `left` stands before, at or behind `right`; null when the two have no order. Numbers and texts that are
 * numbers go by their size, other texts by their code units (so dates of ISO 8601 are in order).
 */
export function orderOf(left: unknown, right: unknown): -1 | 0 | 1 | null {
  const numbers = [numberOf(left), numberOf(right)] as const;
  if (numbers[0] !== null && numbers[1] !== null) return before(numbers[0], numbers[1]);
  return typeof left === 'string' && typeof right === 'string' ? before(left, right) : null;
}

/**
 * Whether a list has the value, an object the key, or a text the other text in it. Empty text is in no text. `itemOf` is
 * what a list's items are compared as.
 */
export function isIn(
  needle: unknown,
  container: unknown,
  meter: WorkMeter,
  itemOf: (item: unknown) => unknown = (item) => item,
): boolean {
  const kind = kindOf(container);
  if (kind === 'list') {
    const count = lengthOf(container);
    for (let index = 0; index < count && meter.spend(templateLimits.lookWork); index += 1) {
      if (areEqual(needle, itemOf(ownValue(container, String(index))), meter)) return true;
    }
    return false;
  }
  const needleKind = kindOf(needle);
  if (needleKind !== 'text' && needleKind !== 'number' && needleKind !== 'boolean') return false;
  const text = String(needle);
  if (kind === 'object') return text !== '__proto__' && ownValue(container, text) !== undefined;
  return kind === 'text' && text !== '' && hasText(container as string, text, meter);
}

/** The number that a value is or spells; null when it is none. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text.length <= longestNumber && numberText.test(text) ? numberOf(Number(text)) : null;
}

function before<T extends number | string>(left: T, right: T): -1 | 0 | 1 {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function isNothing(value: unknown): boolean {
  const kind = kindOf(value);
  return kind === 'nothing' || (kind === 'text' && (value as string).trim() === '');
}

/** Equality without any conversion. Without work left nothing is equal. */
function areSame(left: unknown, right: unknown, meter: WorkMeter, depth: number): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right) || !meter.spend(templateLimits.lookWork) || depth > templateLimits.dataDepth) return false;
  if (kind === 'nothing') return true;
  if (kind !== 'list' && kind !== 'object') return left === right;
  const same = (key: string) => areSame(ownValue(left, key), ownValue(right, key), meter, depth + 1);
  if (kind === 'list') {
    const count = lengthOf(left);
    if (count !== lengthOf(right)) return false;
    for (let index = 0; index < count; index += 1) if (!same(String(index))) return false;
    return true;
  }
  const keys = ownKeys(left);
  return keys.length === ownKeys(right).length && keys.every((key) => ownValue(right, key) !== undefined && same(key));
}

/** A needle up to this length is looked for by the engine, whose work is at worst the product of both lengths. */
const shortNeedle = 64;

/** Whether `text` holds `needle`, in a time that is linear in both (Knuth, Morris and Pratt). */
function hasText(text: string, needle: string, meter: WorkMeter): boolean {
  if (needle.length > text.length || !meter.spend(text.length + needle.length)) return false;
  if (needle.length <= shortNeedle) return text.includes(needle);
  const borders = new Int32Array(needle.length);
  for (let at = 1, border = 0; at < needle.length; at += 1) {
    while (border > 0 && needle.charCodeAt(at) !== needle.charCodeAt(border)) border = borders[border - 1]!;
    if (needle.charCodeAt(at) === needle.charCodeAt(border)) border += 1;
    borders[at] = border;
  }
  for (let at = 0, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== needle.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (text.charCodeAt(at) === needle.charCodeAt(matched)) matched += 1;
    if (matched === needle.length) return true;
  }
  return false;
}
