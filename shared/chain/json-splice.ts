import type { Node } from 'jsonc-parser';
import { findProperty } from './json-source.ts';
import { detectStyle, formatJson, indentOfLead, type JsonStyle } from './json-style.ts';
import { isJsonObject, jsonKeys, sameJson } from './json-value.ts';

/** A text that is being written anew from its own pieces. */
export interface JsonPage {
  readonly text: string;
  readonly style: JsonStyle;
  /** Offsets at which lines begin, ascending. */
  readonly lineStarts: readonly number[];
}

export function createPage(text: string, root: Node): JsonPage {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)];
  return { text, style: detectStyle(text, root), lineStarts };
}

/** One item of a list that is written anew: an old one (by its place), perhaps with new text, or a new value. */
export type ListItem = { readonly kept: number; readonly text?: string } | { readonly added: unknown };

export function sourceText(page: JsonPage, node: Node): string {
  return page.text.slice(node.offset, node.offset + node.length);
}

/** The text of `node` when its value became `after`; what did not change keeps its bytes. */
export function rewriteValue(page: JsonPage, node: Node, before: unknown, after: unknown): string {
  if (sameJson(before, after)) return sourceText(page, node);
  if (node.type === 'object' && isJsonObject(before) && isJsonObject(after)) {
    const remove = jsonKeys(before).filter((key) => !Object.hasOwn(after, key) || after[key] === undefined);
    const set = new Map<string, ObjectChange>();
    for (const key of jsonKeys(after)) {
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      if (!sameJson(old, after[key])) set.set(key, { before: old, after: after[key] });
    }
    return rewriteObject(page, node, { set, remove }, []);
  }
  if (node.type === 'array' && Array.isArray(before) && Array.isArray(after)) {
    return rewriteArray(page, node, alignItems(page, node, before, after));
  }
  const expand = node.length > 2 && isBroken(sourceText(page, node));
  return formatJson(after, page.style, lineIndent(page, node.offset), expand || opensLines(page, node, after));
}

/** What a key becomes; `text` is the value's text where it is ready and the key is there already. */
export interface ObjectChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly text?: string;
}

/**
 * The text of an object with some keys set and some removed. A new key goes behind the nearest key that comes before it
 * in `order`; a key that `order` does not know goes last.
 */
export function rewriteObject(
  page: JsonPage,
  node: Node,
  changes: { readonly set: ReadonlyMap<string, ObjectChange>; readonly remove: Iterable<string> },
  order: readonly string[],
): string {
  const properties = node.children ?? [];
  const remove = new Set(changes.remove);
  const replaced = new Map<Node, string>();
  const added: [string, unknown][] = [];
  for (const [key, change] of changes.set) {
    const property = findProperty(node, key);
    const valueNode = property?.children?.[1];
    if (property === undefined || valueNode === undefined) added.push([key, change.after]);
    else {
      const value = change.text ?? rewriteValue(page, valueNode, change.before, change.after);
      replaced.set(property, page.text.slice(property.offset, valueNode.offset) + value);
    }
  }
  const items: (ListItem & { key: string })[] = [];
  properties.forEach((property, index) => {
    const key = String(property.children![0]!.value);
    if (remove.has(key)) return;
    const text = replaced.get(property);
    items.push(text === undefined ? { kept: index, key } : { kept: index, text, key });
  });
  for (const [key, value] of added) items.splice(placeFor(key, items, order), 0, { key, added: value });
  return rewriteContainer(page, node, items, (item, indent) => {
    const { key, added: value } = item as { key: string; added: unknown };
    const expand = key === 'steps' || !page.style.inlineInside;
    return formatJson(key, page.style, '', false) + page.style.colon + formatJson(value, page.style, indent, expand);
  });
}

/** The text of a list from old items, in any order, and new ones. */
export function rewriteArray(page: JsonPage, node: Node, items: readonly ListItem[], expandItems = false): string {
  return rewriteContainer(page, node, items, (item, indent) =>
    formatJson((item as { added: unknown }).added, page.style, indent, expandItems || !page.style.inlineInside),
  );
}

/** Equal items at both ends stay; what is between them is rewritten pair by pair. */
function alignItems(page: JsonPage, node: Node, before: readonly unknown[], after: readonly unknown[]): ListItem[] {
  let start = 0;
  while (start < before.length && start < after.length && sameJson(before[start], after[start])) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && sameJson(before[before.length - 1 - end], after[after.length - 1 - end])) end += 1;
  return after.map((value, index): ListItem => {
    if (index < start) return { kept: index };
    if (index >= after.length - end) return { kept: index - after.length + before.length };
    if (index >= before.length - end) return { added: value };
    return { kept: index, text: rewriteValue(page, node.children![index]!, before[index], value) };
  });
}

function rewriteContainer(
  page: JsonPage,
  node: Node,
  items: readonly ListItem[],
  format: (item: ListItem, indent: string) => string,
): string {
  const { text, style } = page;
  const children = node.children ?? [];
  const open = text[node.offset]!;
  const close = text[node.offset + node.length - 1]!;
  if (items.length === 0) return children.length === 0 ? sourceText(page, node) : open + close;
  const pieces = piecesOf(page, node);
  const outer = lineIndent(page, node.offset);
  const lines = children.length === 0 ? opensLines(page, node, items) : isBroken(pieces.leads[0]!);
  const fresh = lines ? style.lineEnd + outer + (style.indent ?? '') : '';
  const firstLead = pieces.leads[0] ?? fresh;
  // Behind the first place an item stands as the second one stood.
  const laterLead = pieces.leads[1] ?? (lines ? firstLead : style.comma.slice(style.comma.indexOf(',') + 1));
  const written = items.map((item, place) => {
    const old = 'kept' in item ? item.kept : null;
    const lead = place === 0 ? firstLead : old === null || old === 0 ? laterLead : pieces.leads[old]!;
    if (old === null) return lead + format(item, lines ? indentOfLead(lead) : outer);
    const body = (item as { text?: string }).text ?? sourceText(page, children[old]!);
    return lead + body + (place === items.length - 1 ? '' : pieces.trails[old]!);
  });
  const tail = children.length === 0 ? (lines ? style.lineEnd + outer : '') : pieces.tail;
  return open + written.join(',') + tail + close;
}

/** The blanks before each item, between it and its comma, and before the closing bracket. */
function piecesOf(page: JsonPage, node: Node): { leads: string[]; trails: string[]; tail: string } {
  const children = node.children ?? [];
  const leads: string[] = [];
  const trails: string[] = [];
  let from = node.offset + 1;
  children.forEach((child, index) => {
    leads.push(page.text.slice(from, child.offset));
    const end = child.offset + child.length;
    const next = children[index + 1];
    if (next === undefined) {
      trails.push('');
      from = end;
      return;
    }
    const comma = page.text.indexOf(',', end);
    trails.push(page.text.slice(end, comma));
    from = comma + 1;
  });
  return { leads, trails, tail: page.text.slice(from, node.offset + node.length - 1) };
}

/** Whether a container that was empty gets its items on lines of their own. */
function opensLines(page: JsonPage, node: Node, after: unknown): boolean {
  if (page.style.indent === null) return false;
  if (!page.style.inlineInside) return true;
  // In a file that keeps short things on one line, only a list of steps is long.
  return node.parent?.children?.[0]?.value === 'steps' && Array.isArray(after);
}

/** Whether a text goes over more than one line. */
export function isBroken(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** The blanks at the beginning of the line on which an offset lies. */
function lineIndent(page: JsonPage, offset: number): string {
  let low = 0;
  let high = page.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (page.lineStarts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  let end = page.lineStarts[low]!;
  const start = end;
  while (end < offset && (page.text[end] === ' ' || page.text[end] === '\t')) end += 1;
  return page.text.slice(start, end);
}

/** Where a new key goes among the others. */
function placeFor(key: string, items: readonly { readonly key: string }[], order: readonly string[]): number {
  const rank = order.indexOf(key);
  if (rank === -1) return items.length;
  for (let place = items.length; place > 0; place -= 1) {
    const other = order.indexOf(items[place - 1]!.key);
    if (other !== -1 && other < rank) return place;
  }
  return 0;
}
