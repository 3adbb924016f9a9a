import { findFences } from './fences.ts';
import { notice } from './notice.ts';
import type { SkillNotice } from './skill.ts';
import { type Field, type FieldValue, readFields, readStructure, valueText } from './yaml-fields.ts';

/** What a skill says it needs. Empty lists = no such need. */
export interface SkillNeeds {
  readonly always: boolean;
  /** `darwin`, `linux`, `win32`, or as written. */
  readonly os: readonly string[];
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  readonly env: readonly string[];
  readonly primaryEnv: string | null;
  readonly config: readonly string[];
  /** The needs are there but can not be read: the skill is not ready, whatever it needs. */
  readonly unreadable: boolean;
}

/** What the head of a SKILL.md says. */
export interface SkillHead {
  /** As written, trimmed, NFC; the folder's name when there is none. Escaped when it holds control characters. */
  readonly name: string;
  readonly slug: string | null;
  /** For a file without front matter: its first paragraph, as a preview. */
  readonly description: string;
  readonly emoji: string | null;
  readonly version: string | null;
  readonly needs: SkillNeeds;
  /** Null = no limit; an empty list = none allowed. */
  readonly allowedTools: readonly string[] | null;
  readonly fields: readonly Field[];
  readonly notices: readonly SkillNotice[];
  /** No host can use it: at least one notice is an error. */
  readonly broken: boolean;
  /** Where the body starts in the text after `normalizeText`. */
  readonly bodyStart: number;
}

export interface HeadFacts {
  readonly folderName: string;
  /** Bytes that are not UTF-8 were replaced by U+FFFD. */
  readonly badBytes?: boolean;
  /** The text is only the start of the file. */
  readonly partial?: boolean;
}

/** Metadata blocks in order of precedence: one thing under the names it had over time. */
const namespaces = ['openclaw', 'clawdbot', 'moltbot', 'clawdis', 'opensquilla'] as const;
const noNeeds: SkillNeeds = {
  always: false,
  os: [],
  bins: [],
  anyBins: [],
  env: [],
  primaryEnv: null,
  config: [],
  unreadable: false,
};

/** Strips one byte order mark and makes every line end LF. */
export function normalizeText(text: string): string {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return bare.includes('\r') ? bare.replace(/\r\n?/g, '\n') : bare;
}

/**
 * Reads the head of a SKILL.md tolerantly: strict YAML first, recovery second, silence never. Whatever had to be
 * guessed is a notice with its line. Returns null when `partial` is set and the end of the front matter is not in the
 * given part: call again with the whole text. Never throws.
 */
export function readSkillHead(original: string, facts: HeadFacts): SkillHead | null {
  const text = normalizeText(original);
  const fences = findFences(text, facts.partial ?? false);
  if (fences.kind === 'more') return null;
  const notices: SkillNotice[] = [];
  if (original.charCodeAt(0) === 0xfeff) notices.push(notice('info', 'byte_order_mark'));
  if (facts.badBytes === true) notices.push(notice('warning', 'bad_bytes'));
  if (fences.kind === 'none') {
    notices.push(fences.notice);
    return {
      name: facts.folderName.normalize('NFC'),
      slug: null,
      description: fences.notice.code === 'no_front_matter' ? firstParagraph(text) : '',
      emoji: null,
      version: null,
      needs: noNeeds,
      allowedTools: null,
      fields: [],
      notices,
      broken: true,
      bodyStart: 0,
    };
  }
  notices.push(...fences.notices);
  const { fields, notices: found } = readFields(fences.block, fences.blockLine);
  notices.push(...found);
  const reader = new HeadReader(fields, notices, facts, fences.blockLine);
  const head = reader.read(fences.block);
  if (facts.partial !== true && /^\s*$/.test(text.slice(fences.bodyStart))) notices.push(notice('info', 'body_empty'));
  return {
    ...head,
    notices,
    broken: notices.some(({ severity }) => severity === 'error'),
    bodyStart: fences.bodyStart,
  };
}

/** Makes control and direction characters visible: `a\u{202e}b`. */
export function escapeUnsafe(text: string): string {
  return text.replace(new RegExp(unsafe.source, 'gu'), (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const invisible = '\\u00a0\\u200b-\\u200d\\u2060\\ufeff';
const invisibleEnds = new RegExp(`^[\\s${invisible}]+|[\\s${invisible}]+$`, 'g');
const invisibleAny = new RegExp(`[${invisible}]`, 'g');
const plainKey = /^[A-Za-z][\w-]*$/;
const longName = 200;
const longDescription = 1024;

class HeadReader {
  private readonly byKey = new Map<string, Field>();

  constructor(
    private readonly fields: readonly Field[],
    private readonly notices: SkillNotice[],
    private readonly facts: HeadFacts,
    private readonly blockLine: number,
  ) {
    for (const field of fields) {
      const key = plainKey.test(field.key) ? field.key : this.cleanKey(field);
      if (!this.byKey.has(key)) this.byKey.set(key, field);
    }
  }

  private cleanKey(field: Field): string {
    const key = field.key.replace(invisibleAny, '');
    if (key !== field.key) this.warn('invisible_in_key', { key }, field.line);
    const wide = /^([A-Za-z][\w-]*)\s*：/.exec(key);
    if (wide !== null) this.warn('fullwidth_colon', { key: wide[1]! }, field.line);
    return key;
  }

  read(block: string): Omit<SkillHead, 'notices' | 'broken' | 'bodyStart'> {
    const control = controls.exec(block);
    if (control !== null) this.warn('control_characters', {}, this.blockLine + lineOf(block, control.index));
    if (this.fields.length === 0) {
      const wide = /^[A-Za-z][\w-]*[ \t]*：/m.exec(block);
      if (wide !== null)
        this.warn('fullwidth_colon', { key: wide[0].slice(0, -1) }, this.blockLine + lineOf(block, wide.index));
      this.error('not_a_mapping', {}, this.blockLine);
    }
    const name = this.name();
    const description = this.description();
    const metadata = this.metadata();
    const needs = this.needs(metadata);
    const own = (key: string) => (metadata.block === null ? null : text(metadata.block[key] ?? null));
    return {
      name,
      slug: own('slug') ?? this.text('slug'),
      description,
      emoji: own('emoji') ?? this.text('emoji'),
      version: this.text('version') ?? own('version'),
      needs,
      allowedTools: this.allowedTools(),
      fields: this.fields,
    };
  }

  private name(): string {
    const field = this.byKey.get('name');
    const folder = this.facts.folderName.normalize('NFC');
    const written =
      field === undefined
        ? null
        : typeof field.value === 'string'
          ? field.value
          : field.value === null
            ? field.raw
            : null;
    const name = written === null ? '' : written.replace(invisibleEnds, '').normalize('NFC');
    if (name === '') {
      this.warn('name_missing', {}, field?.line ?? this.blockLine);
      return escapeUnsafe(folder);
    }
    if (unsafe.test(name)) {
      const shown = escapeUnsafe(name);
      this.error('name_unsafe', { name: shown.slice(0, longName) }, field!.line);
      return shown;
    }
    if (name.length > longName) this.warn('name_long', { length: name.length }, field!.line);
    if (/^[“‘„«]/.test(name)) this.info('curly_quotes', { key: 'name' }, field!.line);
    if (name !== folder) this.info('name_not_folder', { folder }, field!.line);
    return name;
  }

  private description(): string {
    const field = this.byKey.get('description');
    const value = field?.value ?? null;
    if (field !== undefined && value !== null && typeof value !== 'string') {
      this.warn('description_not_text', {}, field.line);
      return field.raw;
    }
    const description = value === null ? '' : (value as string).replace(invisibleEnds, '');
    if (description === '') this.error('description_missing', {}, field?.line ?? this.blockLine);
    if (description.length > longDescription) {
      this.info('description_long', { length: description.length }, field!.line);
    }
    if (/^[“‘„«]/.test(description)) this.info('curly_quotes', { key: 'description' }, field!.line);
    return description;
  }

  /** The block that holds slug, emoji and needs. */
  private metadata(): { block: Block | null; unreadable: boolean } {
    const field = this.byKey.get('metadata');
    if (field === undefined || field.value === null) return { block: null, unreadable: false };
    // YAML takes a `//` comment for the start of a key.
    const commented = field.raw.startsWith('{') && /^\s*\/[/*]/m.test(field.raw);
    const source = commented ? field.raw : field.value;
    const value = typeof source === 'string' && !field.unreadable ? readStructure(source) : field.value;
    if (field.unreadable || !isBlock(value)) {
      this.warn('metadata_unreadable', {}, field.line);
      return { block: null, unreadable: true };
    }
    const present = namespaces.filter((name) => Object.hasOwn(value, name));
    const used = present[0];
    if (used !== undefined) {
      if (present.length > 1) this.info('two_namespaces', { names: present.join(', '), used }, field.line);
      const block = typeof value[used] === 'string' ? readStructure(value[used]) : value[used];
      if (block === null) return { block: null, unreadable: false };
      if (isBlock(block)) return { block, unreadable: false };
      this.warn('metadata_unreadable', {}, field.line);
      return { block: null, unreadable: true };
    }
    if (['requires', 'os', 'always', 'primaryEnv'].some((key) => Object.hasOwn(value, key))) {
      this.warn('flat_metadata', {}, field.line);
    }
    return { block: value, unreadable: false };
  }

  private needs({ block, unreadable }: { block: Block | null; unreadable: boolean }): SkillNeeds {
    const line = this.byKey.get('metadata')?.line ?? this.blockLine;
    const osField = this.byKey.get('os')?.value ?? null;
    const requires = block?.['requires'] ?? null;
    const bag = isBlock(requires) ? requires : {};
    let broken = unreadable;
    if (Array.isArray(requires)) this.warn('requires_list', {}, line);
    else if (requires !== null && !isBlock(requires)) {
      this.warn('metadata_unreadable', {}, line);
      broken = true;
    }
    const list = (source: FieldValue | undefined, key: string): string[] => {
      const { items, objects, readable } = textList(source ?? null);
      if (objects) this.warn('requires_objects', { key }, line);
      // What a skill needs of the host's settings is shown and not checked, so nothing hangs on it.
      if (!readable && key !== 'config') {
        this.warn('metadata_unreadable', {}, line);
        broken = true;
      }
      return items;
    };
    const needs = {
      always: text(block?.['always'] ?? null) === 'true',
      os: list(block?.['os'] ?? (block === null ? osField : null), 'os').map(osName),
      bins: list(bag['bins'], 'bins'),
      anyBins: list(bag['anyBins'], 'anyBins'),
      env: list(bag['env'], 'env'),
      config: list(bag['config'], 'config'),
      primaryEnv: text(block?.['primaryEnv'] ?? null),
    };
    return { ...needs, unreadable: broken };
  }

  private allowedTools(): readonly string[] | null {
    const key = ['allowed-tools', 'allowed_tools'].find((name) => this.byKey.has(name));
    if (key === undefined) return null;
    const field = this.byKey.get(key)!;
    if (field.value === null) return [];
    if (typeof field.value === 'string') return splitTools(field.value);
    if (Array.isArray(field.value) && field.value.every((item) => typeof item === 'string')) {
      return field.value as readonly string[];
    }
    this.warn('tools_unreadable', { key }, field.line);
    return [];
  }

  private text(key: string): string | null {
    return text(this.byKey.get(key)?.value ?? null);
  }

  private warn(code: Parameters<typeof notice>[1], params: SkillNotice['params'], line: number): void {
    if (
      !this.notices.some((other) => other.code === code && other.line === line && other.params['key'] === params['key'])
    ) {
      this.notices.push(notice('warning', code, params, line));
    }
  }

  private error(code: Parameters<typeof notice>[1], params: SkillNotice['params'], line: number): void {
    this.notices.push(notice('error', code, params, line));
  }

  private info(code: Parameters<typeof notice>[1], params: SkillNotice['params'], line: number): void {
    this.notices.push(notice('info', code, params, line));
  }
}

type Block = Readonly<Record<string, FieldValue>>;

function isBlock(value: FieldValue | undefined): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: FieldValue): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** A list of texts; a text with commas is a list too; an object counts by its `name` or its only key, a map by its keys. */
function textList(value: FieldValue): { items: string[]; objects: boolean; readable: boolean } {
  if (value === null) return { items: [], objects: false, readable: true };
  if (typeof value === 'string') {
    return {
      items: value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
      objects: false,
      readable: true,
    };
  }
  if (isBlock(value)) return { items: Object.keys(value), objects: true, readable: true };
  if (!Array.isArray(value)) return { items: [], objects: false, readable: false };
  let objects = false;
  let readable = true;
  const items: string[] = [];
  for (const item of value as readonly FieldValue[]) {
    if (typeof item === 'string') {
      if (item.trim() !== '') items.push(item.trim());
    } else if (isBlock(item) && (typeof item['name'] === 'string' || Object.keys(item).length === 1)) {
      objects = true;
      items.push(typeof item['name'] === 'string' ? item['name'].trim() : Object.keys(item)[0]!);
    } else if (item !== null) readable = false;
  }
  return { items, objects, readable };
}

/** Names of systems as Node spells them. */
function osName(name: string): string {
  const lower = name.toLowerCase();
  if (lower === 'macos' || lower === 'mac' || lower === 'osx') return 'darwin';
  return lower === 'windows' || lower === 'win' ? 'win32' : lower;
}

/** Splits at commas and spaces outside brackets: `Read, Bash(git commit:*)`. */
export function splitTools(value: string): string[] {
  const tools: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of value) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      if (current !== '') tools.push(current);
      current = '';
    } else current += character;
  }
  if (current !== '') tools.push(current);
  return tools;
}

/** First paragraph that is no heading, at most 200 characters. */
function firstParagraph(body: string): string {
  const paragraph = body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .find((part) => part !== '' && !/^(#|```|---|<|\|)/.test(part));
  return (paragraph ?? '').replace(/\s+/g, ' ').slice(0, 200);
}

function lineOf(block: string, at: number): number {
  let count = 0;
  for (let i = block.indexOf('\n'); i >= 0 && i < at; i = block.indexOf('\n', i + 1)) count += 1;
  return count;
}

/** Fields as text, for display. */
export function displayFields(head: Pick<SkillHead, 'fields'>): { key: string; value: string }[] {
  return head.fields.map(({ key, value }) => ({ key, value: valueText(value) }));
}
