import { templateLimits, type WorkMeter } from './limits.ts';
import type { TemplateObject, TemplateValue } from './template.ts';

/**
 * What a value is to a template. Everything that JSON does not have (functions, symbols, big integers, numbers that are
 * none) is nothing.
 */
export type DataKind = 'nothing' | 'text' | 'number' | 'boolean' | 'list' | 'object';

export function kindOf(value: unknown): DataKind {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return Number.isFinite(value) ? 'number' : 'nothing';
    case 'boolean':
      return 'boolean';
    case 'object':
      if (value === null) return 'nothing';
      return isList(value) ? 'list' : 'object';
    default:
      return 'nothing';
  }
}

/**
 * The own value of a list's place or an object's key; undefined when there is none. Nothing inherited is seen, and no
 * getter is called.
 */
export function ownValue(container: unknown, key: string): unknown {
  const kind = kindOf(container);
  if (kind !== 'object' && (kind !== 'list' || !/^(?:0|[1-9][0-9]*)$/.test(key))) return undefined;
  try {
    return Object.getOwnPropertyDescriptor(container, key)?.value;
  } catch {
    return undefined;
  }
}

/** The keys of an object in their order. `__proto__` is none: code that copies objects would set their prototype. */
export function ownKeys(object: unknown): string[] {
  try {
    return Object.keys(object as object).filter((key) => key !== '__proto__');
  } catch {
    return [];
  }
}

export function lengthOf(list: unknown): number {
  try {
    const length: unknown = Object.getOwnPropertyDescriptor(list, 'length')?.value;
    return typeof length === 'number' ? length : 0;
  } catch {
    return 0;
  }
}

/** A value as text: nothing is "", text is itself, everything else is compact JSON. */
export function textOf(value: unknown, meter: WorkMeter): string {
  const kind = kindOf(value);
  if (kind === 'nothing') return '';
  return kind === 'text' ? (value as string) : jsonText(value, meter);
}

/** Compact JSON, at most a little longer than a rendered text may be. What is too deep or too much is null. */
export function jsonText(value: unknown, meter: WorkMeter): string {
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string): void => {
    pieces.push(piece);
    length += piece.length;
  };
  const write = (part: unknown, depth: number): void => {
    const kind = kindOf(part);
    const isContainer = kind === 'list' || kind === 'object';
    const isTooMuch = !meter.spend(templateLimits.lookWork + (kind === 'text' ? (part as string).length : 0));
    if (kind === 'nothing' || isTooMuch || (isContainer && depth >= templateLimits.dataDepth)) put('null');
    else if (!isContainer) put(JSON.stringify(part));
    else if (kind === 'list') {
      put('[');
      const count = lengthOf(part);
      for (let index = 0; index < count && length <= templateLimits.rendered; index += 1) {
        if (index > 0) put(',');
        write(ownValue(part, String(index)), depth + 1);
      }
      put(']');
    } else {
      put('{');
      let isFirst = true;
      for (const key of ownKeys(part)) {
        if (length > templateLimits.rendered) break;
        const member = ownValue(part, key);
        if (member === undefined) continue;
        put(isFirst ? JSON.stringify(key) : `,${JSON.stringify(key)}`);
        put(':');
        write(member, depth + 1);
        isFirst = false;
      }
      put('}');
    }
  };
  write(value, 0);
  return pieces.join('');
}

/** A copy in which there is JSON and nothing else. What is too deep or too much is null. */
export function jsonCopy(value: unknown, meter: WorkMeter, depth = 0): TemplateValue {
  const kind = kindOf(value);
  if (!meter.spend(templateLimits.copyWork) || kind === 'nothing') return null;
  if (kind !== 'list' && kind !== 'object') return value as TemplateValue;
  if (depth >= templateLimits.dataDepth) return null;
  if (kind === 'list') {
    const list: TemplateValue[] = [];
    const count = lengthOf(value);
    for (let index = 0; index < count && meter.steps <= meter.limit; index += 1) {
      list.push(jsonCopy(ownValue(value, String(index)), meter, depth + 1));
    }
    return list;
  }
  const object: Record<string, TemplateValue> = {};
  for (const key of ownKeys(value)) {
    const member = ownValue(value, key);
    if (member !== undefined) object[key] = jsonCopy(member, meter, depth + 1);
  }
  return object satisfies TemplateObject;
}

/** The first `length` units of a text, without half of a character at its end. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, length > 0 && last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
