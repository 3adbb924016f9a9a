import { findTooDeep } from '../text/json-depth.ts';
import { cutText, jsonText, kindOf, textOf } from './data.ts';
import { templateLimits, WorkMeter } from './limits.ts';
import type { FilterName } from './template.ts';

/**
 * The value that a filter gives; undefined = nothing. A text is cut to `templateLimits.rendered` first, so that filters
 * after each other can not let one grow without end. Without work left the value is nothing.
 */
export function applyFilter(name: FilterName, argument: number | null, value: unknown, meter: WorkMeter): unknown {
  if (name === 'from_json') return kindOf(value) === 'text' ? fromJson(value as string, meter) : value;
  if (name === 'tojson') return toJson(value, meter);
  const text = cutText(textOf(value, meter), templateLimits.rendered);
  if (!meter.spend(text.length)) return undefined;
  switch (name) {
    case 'xml_escape':
      return xmlEscape(text);
    case 'slugify':
      return slugify(text);
    case 'truncate':
      return truncate(text, argument ?? undefined);
  }
}

/** Text that can stand between the tags and in the attributes of XML. */
export function xmlEscape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/**
 * Lower case; letters (with their marks) and digits of every script stay, every run of anything else is one `-`, and none
 * is at an end.
 */
export function slugify(text: string): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .match(/(?:[\p{L}\p{Nd}\p{Nl}]\p{M}*)+/gu);
  return words === null ? '' : words.join('-');
}

/**
 * At most `length` UTF-16 units: longer text is cut three before that, without blanks at its end, and has `...` behind it;
 * there are only dots when `length` is 3 or less. 0 and less = 80. No character is cut in half.
 */
export function truncate(text: string, length = 80): string {
  const limit = length <= 0 ? 80 : length;
  if (text.length <= limit) return text;
  return limit <= 3 ? '.'.repeat(limit) : `${cutText(text, limit - 3).trimEnd()}...`;
}

/** Compact JSON; nothing is `null`. `<`, `>` and `&` are escaped, as Jinja does, so that it can not close a tag around it. */
export function toJson(value: unknown, meter: WorkMeter = new WorkMeter()): string {
  const text = cutText(jsonText(value, meter), templateLimits.rendered);
  if (!meter.spend(text.length)) return 'null';
  return text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
}

/** The JSON in a text, also in one that is fenced as code; undefined when it is none. Keys `__proto__` are left out. */
export function fromJson(text: string, meter: WorkMeter = new WorkMeter()): unknown {
  if (text.length > templateLimits.rendered || !meter.spend(text.length)) return undefined;
  const json = withoutFence(text.trim());
  if (findTooDeep(json, templateLimits.dataDepth) !== -1) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    if (json.includes('proto') || json.includes('\\u')) dropProto(value);
    return value;
  } catch {
    return undefined;
  }
}

function withoutFence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```')) return text;
  const line = text.indexOf('\n');
  return line === -1 || line > text.length - 3 ? text : text.slice(line + 1, -3).trim();
}

function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) dropProto(member);
}
