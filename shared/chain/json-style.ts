import type { Node } from 'jsonc-parser';
import { isJsonObject, jsonKeys } from './json-value.ts';

/** How a JSON text is laid out, so that what is added looks like what is there. */
export interface JsonStyle {
  /** One level of indent; null = everything stands on one line. */
  readonly indent: string | null;
  readonly lineEnd: string;
  /** Between a key and its value. */
  readonly colon: string;
  /** Between two items that stand on one line. */
  readonly comma: string;
  /** Whether short lists and objects inside a step stand on one line. */
  readonly inlineInside: boolean;
  /** Whether signs outside ASCII are written as escapes. */
  readonly ascii: boolean;
}

/** What Python's `json.dump(indent=2, ensure_ascii=False)` writes, as skill-sub does. */
export const seedStyle: JsonStyle = {
  indent: '  ',
  lineEnd: '\n',
  colon: ': ',
  comma: ', ',
  inlineInside: false,
  ascii: false,
};

/** Reads the style of a text. */
export function detectStyle(text: string, root: Node): JsonStyle {
  const lineEnd = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const first = root.children?.[0];
  if (first === undefined) return { ...seedStyle, lineEnd };
  const lead = text.slice(root.offset + 1, first.offset);
  const indent = /[\r\n]/.test(lead) ? indentOfLead(lead) : null;
  const key = first.children?.[0];
  const value = first.children?.[1];
  const colon = key && value ? text.slice(key.offset + key.length, value.offset) : ': ';
  const inline = findInline(text, root);
  return {
    indent,
    lineEnd,
    colon: /[\r\n]/.test(colon) ? ': ' : colon,
    comma: inline.comma ?? (/\s$/.test(colon) ? ', ' : ','),
    inlineInside: inline.found,
    ascii: /\\u(?!00[0-7])[0-9a-f]{4}/i.test(text) && !/[^\0-\x7f]/.test(text),
  };
}

/** The blanks behind the last line end of what stands before an item. */
export function indentOfLead(lead: string): string {
  return /[^\r\n]*$/.exec(lead)![0];
}

/**
 * A value as text. `indent` is the indent of the line on which it begins; `expand` puts its items on lines of their own
 * (and the items of its items, where the style does so).
 */
export function formatJson(value: unknown, style: JsonStyle, indent: string, expand: boolean): string {
  if (typeof value === 'string') return formatString(value, style);
  if (typeof value === 'number') return formatNumber(value);
  const items = Array.isArray(value)
    ? value.map((item) => (inner: string, spread: boolean) => formatJson(item ?? null, style, inner, spread))
    : isJsonObject(value)
      ? jsonKeys(value).map(
          (key) => (inner: string, spread: boolean) =>
            formatString(key, style) + style.colon + formatJson(value[key], style, inner, spread),
        )
      : null;
  if (items === null) return JSON.stringify(value) ?? 'null';
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  if (!expand || style.indent === null) return open + items.map((item) => item('', false)).join(style.comma) + close;
  const inner = indent + style.indent;
  const lines = items.map((item) => style.lineEnd + inner + item(inner, !style.inlineInside));
  return open + lines.join(',') + style.lineEnd + indent + close;
}

function formatString(text: string, style: JsonStyle): string {
  const quoted = JSON.stringify(text);
  if (!style.ascii) return quoted;
  return quoted.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A number that JSON.parse could not hold reads back the same. */
function formatNumber(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  return value > 0 ? '1e999' : '-1e999';
}

/** Looks for a list or object with items on one line, below the first level; and how its items are parted. */
function findInline(text: string, root: Node): { found: boolean; comma: string | null } {
  const stack = (root.children ?? []).flatMap((property) => property.children?.slice(1) ?? []);
  let found = false;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const children = node.children ?? [];
    if (children.length === 0) continue;
    if (node.type !== 'property' && !/[\r\n]/.test(text.slice(node.offset, node.offset + node.length))) {
      found = true;
      const [first, second] = children;
      if (second !== undefined) return { found, comma: text.slice(first!.offset + first!.length, second.offset) };
      continue;
    }
    for (const child of children.toReversed()) stack.push(child);
  }
  return { found, comma: null };
}
