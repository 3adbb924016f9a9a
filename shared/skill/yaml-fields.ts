import { type ParseError, parse as parseJson } from 'jsonc-parser';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { notice } from './notice.ts';
import type { SkillNotice } from './skill.ts';

/** A value of the front matter. Scalars stay text as written (`1.10`, `yes`, `3000`); nothing is converted. */
export type FieldValue = string | null | readonly FieldValue[] | { readonly [key: string]: FieldValue };

export interface Field {
  readonly key: string;
  readonly value: FieldValue;
  /** The value as it stands in the file. */
  readonly raw: string;
  /** Line of the key, from 1 in the file. */
  readonly line: number;
  /** The value could not be read as the structure it has to be; `value` is its text. */
  readonly unreadable: boolean;
}

export interface Fields {
  readonly fields: readonly Field[];
  readonly notices: SkillNotice[];
}

const keyPattern = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]|$)/;
const maxDepth = 40;
const maxNodes = 20_000;
/** Levels of maps that the fast path reads. */
const simpleDepth = 8;
/** What the parsers' recursion bears many times over. */
const maxNesting = 400;
/** Keys whose value is a structure; read on their own when the whole is no YAML. */
const structured: readonly string[] = ['metadata', 'triggers', 'composition'];

/**
 * Reads the block between the fences. Simple blocks take a fast path that gives exactly what YAML 1.2 gives; the rest
 * goes through the `yaml` package, and where that fails each key is read by itself, so that no field that could be
 * read is lost. Aliases are never resolved; of two equal keys the first wins. `firstLine` is the block's line in the
 * file.
 */
export function readFields(block: string, firstLine: number): Fields {
  const simple = readSimple(block, firstLine);
  if (simple !== null) return { fields: simple, notices: [] };
  const conflict = /^(<{7}|={7}|>{7})/m.exec(block);
  if (conflict !== null) {
    const line = firstLine + countLines(block, conflict.index);
    // The marks are no part of any value; which side is right is not ours to say, the first is shown.
    const rest = block.replace(/^(<{7}|={7}|>{7}).*$/gm, '');
    return { ...readByKey(rest, firstLine, true), notices: [notice('error', 'merge_conflict', {}, line)] };
  }
  const whole = readYaml(block, firstLine);
  if (whole !== null) return whole;
  const indented = indentColumnZero(block, firstLine);
  if (indented !== null) {
    const again = readYaml(indented.text, firstLine);
    if (again !== null) return { fields: again.fields, notices: [...indented.notices, ...again.notices] };
  }
  return readByKey(block, firstLine, false);
}

/** Text of a value for display. */
export function valueText(value: FieldValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// ---- the fast path ---------------------------------------------------------------------------------------------------

/** Characters that give a plain scalar another meaning when it starts with them. */
const plainStart = /^[^\s\-?:,[\]{}#&*!|>'"%@`]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const oddCharacters = /[\t\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00a0\u200b-\u200f\u2028\u2029\ufeff]/;

/** A line of the fast path: `key:` with its place. */
interface SimpleKey {
  readonly key: string;
  /** What stands behind the colon, without blanks. */
  readonly raw: string;
}

interface SimpleBlock {
  readonly value: FieldValue;
  /** The first line behind it. */
  readonly next: number;
}

function readSimple(block: string, firstLine: number): Field[] | null {
  if (oddCharacters.test(block)) return null;
  const fields: Field[] = [];
  const seen = new Set<string>();
  const lines = block.split('\n');
  let i = 0;
  while (i < lines.length) {
    const line = lines[i]!;
    if (line === '') {
      i += 1;
      continue;
    }
    const found = simpleKey(line, 0);
    if (found === null || seen.has(found.key)) return null;
    const { key, raw } = found;
    seen.add(key);
    const read = simpleEntry(lines, i, 0, raw, 0);
    if (read === null) return null;
    const text = [raw, ...lines.slice(i + 1, read.next)].join('\n').trim();
    fields.push({ key, value: read.value, raw: text, line: firstLine + i, unreadable: false });
    i = read.next;
  }
  return fields.length === 0 ? null : fields;
}

/** The key of a line that starts at `indent`; null when the line is anything else. */
function simpleKey(line: string, indent: number): SimpleKey | null {
  const colon = line.indexOf(':', indent);
  if (colon <= indent) return null;
  const key = line.slice(indent, colon);
  if (!/^[A-Za-z][\w-]*$/.test(key)) return null;
  const raw = line.slice(colon + 1).trim();
  return raw !== '' && line[colon + 1] !== ' ' ? null : { key, raw };
}

/** The value of the key in line `at`: behind it, or in the lines that follow. Null when it is not simple. */
function simpleEntry(
  lines: readonly string[],
  at: number,
  indent: number,
  raw: string,
  depth: number,
): SimpleBlock | null {
  if (/^[|>]-?$/.test(raw)) return simpleText(lines, at + 1, indent, raw);
  if (raw !== '') {
    const value = simpleValue(raw);
    // A line that is indented more goes on with the value.
    if (value === undefined || indentOf(lines[at + 1]) > indent) return null;
    return { value, next: at + 1 };
  }
  const inner = indentOf(lines[at + 1]);
  const isList = lines[at + 1]?.startsWith('- ', inner) === true;
  if (isList && inner >= indent) return simpleList(lines, at + 1, inner);
  if (inner > indent) return depth >= simpleDepth ? null : simpleMap(lines, at + 1, inner, depth + 1);
  // A blank line may stand in front of the value.
  return lines[at + 1] === '' && at + 2 < lines.length ? null : { value: null, next: at + 1 };
}

function simpleMap(lines: readonly string[], start: number, indent: number, depth: number): SimpleBlock | null {
  const map = emptyMap();
  let i = start;
  while (indentOf(lines[i]) === indent) {
    const found = simpleKey(lines[i]!, indent);
    if (found === null || Object.hasOwn(map, found.key)) return null;
    const read = simpleEntry(lines, i, indent, found.raw, depth);
    if (read === null) return null;
    map[found.key] = read.value;
    i = read.next;
  }
  return isSimpleEnd(lines, i, indent) ? { value: map, next: i } : null;
}

function simpleList(lines: readonly string[], start: number, indent: number): SimpleBlock | null {
  const list: FieldValue[] = [];
  let i = start;
  while (indentOf(lines[i]) === indent && lines[i]!.startsWith('- ', indent)) {
    const raw = lines[i]!.slice(indent + 2).trim();
    const value = raw === '' ? undefined : simpleValue(raw);
    if (value === undefined) return null;
    list.push(value);
    i += 1;
  }
  return isSimpleEnd(lines, i, indent + 1) ? { value: list, next: i } : null;
}

/** A block scalar without blank lines; folded, it may have no line that is indented more than the first. */
function simpleText(lines: readonly string[], start: number, indent: number, header: string): SimpleBlock | null {
  const inner = indentOf(lines[start]);
  if (inner <= indent) return null;
  const folded = header[0] === '>';
  const texts: string[] = [];
  let i = start;
  for (; indentOf(lines[i]) >= inner; i += 1) {
    const line = lines[i]!;
    if (line.endsWith(' ') || (folded && indentOf(line) > inner)) return null;
    texts.push(line.slice(inner));
  }
  if (!isSimpleEnd(lines, i, indent + 1)) return null;
  const value = texts.join(folded ? ' ' : '\n');
  return { value: header.endsWith('-') ? value : `${value}\n`, next: i };
}

/** Whether a block may end before line `at`: what follows is indented less, with no blank line between. */
function isSimpleEnd(lines: readonly string[], at: number, indent: number): boolean {
  if (lines[at] === '') return at + 1 >= lines.length || /^[A-Za-z]/.test(lines[at + 1]!);
  return indentOf(lines[at]) < indent;
}

/** Number of blanks in front of a line; -1 for an empty line and behind the last one. */
function indentOf(line: string | undefined): number {
  return line === undefined ? -1 : line.search(/[^ ]/);
}

/** The value of one line, undefined when it is not simple. */
function simpleValue(raw: string): FieldValue | undefined {
  const first = raw[0];
  if (first === '{') return simpleJson(raw);
  if (first === '[') return simpleFlowList(raw) ?? simpleJson(raw);
  if (first === '"') {
    if (!raw.endsWith('"') || raw.length < 2) return undefined;
    try {
      return JSON.parse(raw) as string;
    } catch {
      return undefined;
    }
  }
  if (first === "'") {
    return /^'(?:[^']|'')*'$/.test(raw) ? raw.slice(1, -1).replaceAll("''", "'") : undefined;
  }
  if (!plainStart.test(raw) || raw.includes(': ') || raw.includes(' #') || raw.endsWith(':')) return undefined;
  return isNull(raw) ? null : raw;
}

/** `[a, b]` of words; every other list is JSON or not simple. */
function simpleFlowList(raw: string): FieldValue | undefined {
  if (!/^\[ *[A-Za-z0-9_][\w./-]*(?: *, *[A-Za-z0-9_][\w./-]*)* *\]$/.test(raw)) return undefined;
  return raw
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim())
    .map((item) => (isNull(item) ? null : item));
}

/** One-line JSON without numbers (their spelling would be lost) and without a doubled key (JSON takes the last). */
function simpleJson(raw: string): FieldValue | undefined {
  const colons = colonsOfSimpleJson(raw);
  if (colons < 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return undefined;
  }
  const counter = { keys: 0, nodes: 0 };
  const converted = convertJson(value, 0, counter);
  return counter.keys === colons ? converted : undefined;
}

/** Number of colons outside of strings; -1 when something else than JSON without numbers stands there. */
function colonsOfSimpleJson(raw: string): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < raw.length; i += 1) {
    const code = raw.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x3a) colons += 1;
    // Digits, a sign, or a bare word other than true, false and null (which JSON.parse refuses).
    else if ((code >= 0x30 && code <= 0x39) || code === 0x2d || code > 0x7e) return -1;
  }
  return colons;
}

/** Makes text of what is no text, in place: the value belongs to nobody else. */
function convertJson(value: unknown, depth: number, counter: { keys: number; nodes: number }): FieldValue | undefined {
  counter.nodes += 1;
  if (depth > maxDepth || counter.nodes > maxNodes) return undefined;
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  const bag = value as Record<string, unknown>;
  for (const key of Object.keys(bag)) {
    if (!Array.isArray(value)) counter.keys += 1;
    const item = bag[key];
    if (typeof item === 'string' || item === null) continue;
    const converted = convertJson(item, depth + 1, counter);
    if (converted === undefined) return undefined;
    if (converted !== item) bag[key] = converted;
  }
  return bag as { [key: string]: FieldValue };
}

// ---- YAML ------------------------------------------------------------------------------------------------------------

/** The block through the `yaml` package; null when it is no YAML mapping. */
function readYaml(block: string, firstLine: number): Fields | null {
  const lines = new LineCounter();
  const document = parseQuietly(block, lines);
  if (document === null || document.errors.length > 0 || !isMap(document.contents)) return null;
  const notices: SkillNotice[] = [];
  const fields: Field[] = [];
  const seen = new Set<string>();
  for (const pair of document.contents.items as Pair<Node | null, Node | null>[]) {
    const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value ?? '') : '';
    const at = pair.key?.range?.[0] ?? 0;
    const line = firstLine + lines.linePos(at).line - 1;
    if (key === '') {
      notices.push(notice('warning', 'line_not_read', {}, line));
      continue;
    }
    if (seen.has(key)) {
      notices.push(notice('warning', 'duplicate_key', { key }, line));
      continue;
    }
    seen.add(key);
    const range = pair.value?.range;
    const raw = range === undefined || range === null ? '' : block.slice(range[0], range[1]).trim();
    const state: Conversion = { nodes: 0, anchored: false, cut: false, duplicates: [] };
    let value = convertNode(pair.value, block, 0, state);
    // An anchor's name is not part of what `yaml` gives as the value's range.
    if (state.anchored) {
      notices.push(notice('warning', 'alias_as_text', { key }, line));
      value = isMap(pair.value) || isSeq(pair.value) ? value : textAfterKey(block, at);
    }
    if (state.cut) notices.push(notice('warning', 'too_deep', {}, line));
    for (const duplicate of state.duplicates) {
      notices.push(notice('warning', 'duplicate_key', { key: `${key}.${duplicate}` }, line));
    }
    if (isScalar(pair.value) && pair.value.type === 'PLAIN' && pair.value.comment && pair.value.range) {
      const behind = block.slice(pair.value.range[1], endOfLine(block, pair.value.range[1]));
      if (behind.includes('#')) notices.push(notice('warning', 'comment_cuts_value', { key }, line));
    }
    fields.push({ key, value, raw, line, unreadable: false });
  }
  return { fields, notices };
}

function parseQuietly(text: string, lines?: LineCounter) {
  if (mayBeTooDeep(text)) return null;
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'silent',
      prettyErrors: false,
      keepSourceTokens: false,
      ...(lines === undefined ? {} : { lineCounter: lines }),
    });
  } catch {
    // A fault of the parser; the lines are then read one by one.
    return null;
  }
}

interface Conversion {
  nodes: number;
  anchored: boolean;
  cut: boolean;
  duplicates: string[];
}

function convertNode(node: Node | null, block: string, depth: number, state: Conversion): FieldValue {
  state.nodes += 1;
  if (depth > maxDepth || state.nodes > maxNodes) {
    state.cut = true;
    return null;
  }
  if (node === null) return null;
  if (isAlias(node)) {
    state.anchored = true;
    return `*${node.source}`;
  }
  if (node.anchor !== undefined) state.anchored = true;
  if (isScalar(node)) {
    const text = node.type === 'PLAIN' ? String(node.source ?? node.value ?? '') : String(node.value ?? '');
    return node.type === 'PLAIN' && isNull(text) ? null : text;
  }
  if (isSeq(node)) return node.items.map((item) => convertNode(item as Node | null, block, depth + 1, state));
  if (isMap(node)) {
    const result = emptyMap();
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      const key = isScalar(pair.key)
        ? String(pair.key.source ?? pair.key.value ?? '')
        : valueText(convertNode(pair.key, block, depth + 1, state));
      if (Object.hasOwn(result, key)) {
        state.duplicates.push(key);
        continue;
      }
      result[key] = convertNode(pair.value, block, depth + 1, state);
    }
    return result;
  }
  return null;
}

/** The text behind `key:` at `at`, over its indented lines. */
function textAfterKey(block: string, at: number): string {
  const [first = '', ...rest] = block.slice(at).split('\n');
  const end = rest.findIndex((line) => !/^[ \t]/.test(line));
  const behind = first.slice(first.indexOf(':') + 1);
  return foldLines([behind, ...(end < 0 ? rest : rest.slice(0, end))]);
}

// ---- recovery --------------------------------------------------------------------------------------------------------

/** Indents a `{` or `[` block that starts at the first column under an empty key; null when there is none. */
function indentColumnZero(block: string, firstLine: number): { text: string; notices: SkillNotice[] } | null {
  const lines = block.split('\n');
  const notices: SkillNotice[] = [];
  for (let i = 1; i < lines.length; i += 1) {
    const key = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*$/.exec(lines[i - 1]!);
    if (key === null || !/^[{[]/.test(lines[i]!)) continue;
    notices.push(notice('warning', 'column_zero_json', { key: key[1]! }, firstLine + i - 1));
    for (let j = i; j < lines.length && !keyPattern.test(lines[j]!); j += 1) lines[j] = `  ${lines[j]}`;
  }
  return notices.length === 0 ? null : { text: lines.join('\n'), notices };
}

/** Reads key by key: a value runs to the next line that starts with a key. */
function readByKey(block: string, firstLine: number, quiet: boolean): Fields {
  const notices: SkillNotice[] = [];
  const fields: Field[] = [];
  const seen = new Set<string>();
  const lines = block.split('\n');
  let i = 0;
  while (i < lines.length) {
    const key = keyPattern.exec(lines[i]!)?.[1];
    const line = firstLine + i;
    if (key === undefined) {
      const text = lines[i]!.trim();
      const wide = /^([A-Za-z][\w-]*)[ \t]*：/.exec(lines[i]!);
      if (wide !== null) notices.push(notice('warning', 'fullwidth_colon', { key: wide[1]! }, line));
      else if (text !== '' && !text.startsWith('#')) notices.push(notice('warning', 'line_not_read', {}, line));
      i += 1;
      continue;
    }
    let end = i + 1;
    while (end < lines.length && !keyPattern.test(lines[end]!)) end += 1;
    const segment = lines.slice(i, end);
    i = end;
    const wide = segment.findIndex((text, index) => index > 0 && /^[A-Za-z][\w-]*[ \t]*：/.test(text));
    if (wide > 0) {
      const name = /^[A-Za-z][\w-]*/.exec(segment[wide]!)![0];
      notices.push(notice('warning', 'fullwidth_colon', { key: name }, line + wide));
    }
    if (seen.has(key)) {
      notices.push(notice('warning', 'duplicate_key', { key }, line));
      continue;
    }
    seen.add(key);
    fields.push(readSegment(key, segment, line, notices));
  }
  return { fields, notices: quiet ? [] : notices };
}

function readSegment(key: string, segment: readonly string[], line: number, notices: SkillNotice[]): Field {
  const behind = segment[0]!.slice(segment[0]!.indexOf(':') + 1).trim();
  const raw = [behind, ...segment.slice(1)].join('\n').trim();
  const own = readYaml(segment.join('\n'), line);
  if (own !== null && own.fields.length === 1) {
    notices.push(...own.notices);
    return own.fields[0]!;
  }
  if (structured.includes(key)) {
    const value = readStructure(raw);
    const readable = value !== undefined && typeof value !== 'string';
    if (readable) notices.push(notice('warning', 'recovered', { key }, line));
    return { key, value: readable ? value : raw, raw, line, unreadable: !readable };
  }
  notices.push(notice('warning', 'recovered', { key }, line));
  const text = /^[|>][+-]?\d?$/.test(behind)
    ? segment
        .slice(1)
        .map((part) => part.trim())
        .join('\n')
        .trim()
    : withoutQuotes(foldLines([behind, ...segment.slice(1)]));
  return { key, value: text, raw, line, unreadable: false };
}

/**
 * A structure out of text: JSON, JSON with comments and trailing commas, or YAML flow style (which covers the rest of
 * JSON5 that is in use: bare keys, single quotes). Undefined when it is none of them.
 */
export function readStructure(text: string): FieldValue | undefined {
  const counter = { keys: 0, nodes: 0 };
  const errors: ParseError[] = [];
  if (mayBeTooDeep(text)) return undefined;
  const json: unknown = parseJson(text, errors, { allowTrailingComma: true });
  if (json !== undefined && json !== null && typeof json === 'object' && errors.length === 0) {
    const value = convertJson(json, 0, counter);
    if (value !== undefined) return value;
  }
  const document = parseQuietly(text.replace(/^\s*\/\/.*$/gm, ''));
  if (document === null || document.errors.length > 0 || !document.contents) return undefined;
  const state: Conversion = { nodes: 0, anchored: false, cut: false, duplicates: [] };
  const value = convertNode(document.contents as Node, text, 0, state);
  return state.anchored || state.cut ? undefined : value;
}

/**
 * Whether a text may be nested deeper than a recursive parser can bear. Asked before parsing: a stack that runs out while
 * the engine compiles an expression ends the whole process, and no `catch` sees it. An upper bound: brackets in strings
 * count too, and nothing is taken back for the closing ones.
 */
function mayBeTooDeep(text: string): boolean {
  let brackets = 0;
  for (const character of text) if (character === '{' || character === '[') brackets += 1;
  if (brackets > maxNesting) return true;
  const open: { indent: number; levels: number }[] = [];
  let levels = brackets;
  for (const line of text.split('\n')) {
    const [, spaces = '', marks = ''] = /^([ \t]*)((?:[-?:][ \t]+)*)/.exec(line) ?? [];
    if (spaces.length === line.length) continue;
    for (let top = open.at(-1); top !== undefined && top.indent >= spaces.length; top = open.at(-1)) {
      levels -= top.levels;
      open.pop();
    }
    const more = 1 + (marks.match(/[-?:]/g)?.length ?? 0);
    open.push({ indent: spaces.length, levels: more });
    levels += more;
    if (levels > maxNesting) return true;
  }
  return false;
}

function foldLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replace(/([^\n])\n(?=[^\n])/g, '$1 ')
    .trim();
}

function withoutQuotes(text: string): string {
  const quote = text[0];
  if ((quote !== '"' && quote !== "'") || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  return quote === '"' ? inner.replaceAll('\\"', '"') : inner.replaceAll("''", "'");
}

function isNull(text: string): boolean {
  return text === '' || text === '~' || text === 'null' || text === 'Null' || text === 'NULL';
}

function emptyMap(): Record<string, FieldValue> {
  return Object.create(null) as Record<string, FieldValue>;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function countLines(text: string, at: number): number {
  let count = 0;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) count += 1;
  return count;
}
