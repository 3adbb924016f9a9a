import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { z } from 'zod';
import { findTooDeep } from '../text/json-depth.ts';
import { fieldsOf } from './argv.ts';
import { effectivePlacements } from './effective-placements.ts';
import { checkValue, compilePattern, isRiskyPattern } from './input-schema.ts';
import {
  Action,
  type ActionManifest,
  InputProperty,
  type ManifestProblem,
  placements,
  reservedPlacements,
} from './manifest.ts';
import { inputProblemText, type ManifestCode } from './manifest-texts.ts';

/** Largest manifest that is read. */
export const manifestLimit = 1_000_000;

/** What is known about the skill that the manifest lies in. */
export interface ManifestFacts {
  readonly slug?: string | null;
  readonly name?: string;
  readonly folder?: string;
  /** The application's own manifest: the entrypoint type `app` is allowed. */
  readonly own?: boolean;
}

export interface LintedManifest {
  /** The usable actions; null when the file as a whole can not be used. */
  readonly manifest: ActionManifest | null;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Reads and checks `assets/actions.json`. Every finding has its JSON path, line and column (from 1). An action with an
 * error is left out and the others stay. Fields of a type that is not supported are left out of the form, with a
 * warning. Rules: the Skill Action Manifest, version 1; what is ours is marked in `manifest.ts`. Never throws.
 */
export function lintManifest(original: string, facts: ManifestFacts = {}): LintedManifest {
  const text = original.charCodeAt(0) === 0xfeff ? original.slice(1) : original;
  const linter = new Linter(text);
  if (text.length > manifestLimit) {
    const params = { size_kb: Math.ceil(text.length / 1000), limit_kb: manifestLimit / 1000 };
    return { manifest: null, problems: [linter.problem('error', 'too_large', [], params)] };
  }
  const errors: ParseError[] = [];
  const root = parseQuietly(text, errors);
  const first = errors[0];
  if (root === undefined || first !== undefined) {
    const detail = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
    return { manifest: null, problems: [linter.problemAt('error', 'json_broken', '', first?.offset ?? 0, { detail })] };
  }
  return linter.lint(root, facts);
}

type Path = (string | number)[];
type Params = ManifestProblem['params'];

const entry = Action.shape.entrypoint;
const unsupportedKeywords = ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', 'items', 'format', 'const', 'multipleOf'];
const propertyTypes: readonly string[] = InputProperty.shape.type.options;
const knownPlacements: readonly string[] = [...placements, ...reservedPlacements];

class Linter {
  private readonly problems: ManifestProblem[] = [];
  private readonly lineStarts: number[] = [0];
  private root: Node | undefined;

  constructor(text: string) {
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.lineStarts.push(i + 1);
  }

  lint(root: Node, facts: ManifestFacts): LintedManifest {
    this.root = root;
    if (root.type !== 'object') {
      this.error('not_object', []);
      return { manifest: null, problems: this.problems };
    }
    this.findDuplicateKeys(root, []);
    const value = getNodeValue(root) as Record<string, unknown>;
    let usable = true;
    if (value['schemaVersion'] !== 1) {
      this.error('schema_version', ['schemaVersion'], { found: show(value['schemaVersion']) });
      usable = false;
    }
    const skill = value['skill'];
    if (typeof skill !== 'string' || skill.trim() === '') {
      this.error('skill_missing', ['skill']);
      usable = false;
    } else this.checkSkill(skill, facts);
    if (!Array.isArray(value['actions'])) {
      this.error('actions_missing', ['actions']);
      usable = false;
    }
    if (!usable) return { manifest: null, problems: this.problems };
    const actions: Action[] = [];
    const ids = new Set<string>();
    for (const [index, action] of (value['actions'] as unknown[]).entries()) {
      const checked = this.checkAction(action, ['actions', index], facts, ids);
      if (checked !== null) actions.push(checked);
    }
    const manifest = { ...value, schemaVersion: 1 as const, skill: (skill as string).trim(), actions };
    return { manifest, problems: this.problems };
  }

  problem(severity: ManifestProblem['severity'], code: ManifestCode, path: Path, params: Params = {}): ManifestProblem {
    return this.problemAt(severity, code, pathText(path), this.offsetOf(path), params);
  }

  problemAt(
    severity: ManifestProblem['severity'],
    code: ManifestCode,
    path: string,
    offset: number,
    params: Params,
  ): ManifestProblem {
    return { severity, code, path, ...this.position(offset), params };
  }

  private checkSkill(skill: string, facts: ManifestFacts): void {
    if (facts.own === true) return;
    const same = (other: string | null | undefined) => other != null && fold(other) === fold(skill);
    if (same(facts.slug)) return;
    const expected = facts.slug ?? facts.name ?? facts.folder;
    if (expected === undefined) return;
    if (!same(facts.name) && !same(facts.folder)) this.warn('skill_mismatch', ['skill'], { skill, expected });
    else if (facts.slug == null) this.warn('slug_missing', ['skill'], { with: same(facts.name) ? 'name' : 'folder' });
    else this.warn('skill_mismatch', ['skill'], { skill, expected });
  }

  /** Null when the action has an error. */
  private checkAction(value: unknown, path: Path, facts: ManifestFacts, ids: Set<string>): Action | null {
    const before = this.errorCount();
    if (!isRecord(value)) {
      this.error('action_not_object', path);
      return null;
    }
    const action: Record<string, unknown> = { ...value };
    const id = action['id'];
    if (typeof id !== 'string' || id === '') this.error('id_missing', [...path, 'id']);
    else if (ids.has(id)) this.error('id_duplicate', [...path, 'id'], { id });
    else ids.add(id);
    if (action['title'] === undefined) this.warn('title_missing', path);
    this.checkEntrypoint(action['entrypoint'], [...path, 'entrypoint'], facts);
    action['placements'] = this.checkPlacements(action['placements'], [...path, 'placements']);
    const declared = declaredFields(action['inputSchema']);
    if (action['inputSchema'] !== undefined) {
      action['inputSchema'] = this.checkInputSchema(action['inputSchema'], [...path, 'inputSchema']);
    }
    this.checkTemplates(action, path, declared);
    if (this.errorCount() > before) return null;
    const parsed = Action.safeParse(action);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) this.zodIssue(issue, path);
      return null;
    }
    this.checkPolicy(parsed.data, path);
    return parsed.data;
  }

  private checkEntrypoint(value: unknown, path: Path, facts: ManifestFacts): void {
    if (!isRecord(value)) {
      this.error('entrypoint_missing', path);
      return;
    }
    const type = value['type'];
    if (!entry.shape.type.options.includes(type as 'cli')) {
      this.error('entrypoint_type', [...path, 'type'], { found: show(type) });
    } else if (type === 'app' && facts.own !== true) this.error('app_not_allowed', [...path, 'type']);
    const command = value['command'];
    if (typeof command !== 'string' || command.trim() === '') this.error('command_missing', [...path, 'command']);
    else if (/^-|\s/.test(command)) this.warn('command_not_plain', [...path, 'command'], { command });
    const args = value['args'];
    if (args === undefined) return;
    if (!Array.isArray(args)) {
      this.error('args_not_list', [...path, 'args']);
      return;
    }
    for (const [index, argument] of args.entries()) {
      if (!['string', 'number', 'boolean'].includes(typeof argument)) {
        this.error('arg_not_scalar', [...path, 'args', index], { found: kindOf(argument) });
      }
    }
  }

  private checkPlacements(value: unknown, path: Path): string[] {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) {
      this.warn('placements_missing', value === undefined ? path.slice(0, -1) : path);
      return [];
    }
    if (!Array.isArray(value)) {
      this.error('field_invalid', path, { field: 'placements', detail: 'not a list' });
      return [];
    }
    return value.filter((placement: unknown, index): placement is string => {
      const known = typeof placement === 'string' && knownPlacements.includes(placement);
      if (!known) this.warn('placement_unknown', [...path, index], { placement: show(placement) });
      else if ((reservedPlacements as readonly string[]).includes(placement)) {
        this.warn('placement_reserved', [...path, index], { placement });
      }
      return known;
    });
  }

  /** The schema without the fields that this host does not support. */
  private checkInputSchema(value: unknown, path: Path): unknown {
    if (!isRecord(value)) {
      this.error('field_invalid', path, { field: 'inputSchema', detail: 'not an object' });
      return value;
    }
    this.checkKeywords(value, path);
    if (value['type'] !== undefined && value['type'] !== 'object') {
      this.error('field_invalid', [...path, 'type'], { field: 'inputSchema.type', detail: 'not "object"' });
    }
    const given = value['properties'];
    if (given !== undefined && !isRecord(given)) {
      this.error('field_invalid', [...path, 'properties'], { field: 'properties', detail: 'not an object' });
      return value;
    }
    const properties: [string, unknown][] = [];
    for (const [field, property] of Object.entries(given ?? {})) {
      if (this.checkProperty(field, property, [...path, 'properties', field])) properties.push([field, property]);
    }
    const required = value['required'];
    const kept = new Set(properties.map(([field]) => field));
    if (Array.isArray(required)) {
      for (const [index, field] of required.entries()) {
        if (typeof field === 'string' && !kept.has(field))
          this.error('required_not_declared', [...path, 'required', index], { field });
      }
    }
    return { ...value, type: 'object', properties: Object.fromEntries(properties) };
  }

  /** Whether the field can be used. */
  private checkProperty(field: string, value: unknown, path: Path): boolean {
    if (!isRecord(value)) {
      this.error('field_invalid', path, { field, detail: 'not an object' });
      return false;
    }
    this.checkKeywords(value, path);
    if (typeof value['type'] !== 'string' || !propertyTypes.includes(value['type'])) {
      this.warn('type_not_supported', value['type'] === undefined ? path : [...path, 'type'], {
        field,
        found: show(value['type']),
      });
      return false;
    }
    const parsed = InputProperty.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) this.zodIssue(issue, path, field);
      return false;
    }
    this.checkRules(field, parsed.data, path);
    return true;
  }

  private checkRules(field: string, property: InputProperty, path: Path): void {
    const { minimum, maximum, minLength, maxLength, pattern } = property;
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      this.error('range_empty', [...path, 'minimum'], { field, low: minimum, high: maximum });
    }
    if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
      this.error('range_empty', [...path, 'minLength'], { field, low: minLength, high: maxLength });
    }
    if (pattern !== undefined && compilePattern(pattern) === null) {
      this.error(isRiskyPattern(pattern) ? 'pattern_slow' : 'pattern_invalid', [...path, 'pattern'], { field });
      return;
    }
    const { enum: choices, default: standard, ...plain } = property;
    for (const [index, choice] of (choices ?? []).entries()) {
      if (checkValue(plain, choice) !== null) this.error('enum_invalid', [...path, 'enum', index], { field });
    }
    const wrong = standard === undefined || standard === '' ? null : checkValue(property, standard);
    if (wrong !== null) {
      this.error('default_invalid', [...path, 'default'], { field, detail: inputProblemText('en', wrong) });
    }
  }

  private checkKeywords(value: Record<string, unknown>, path: Path): void {
    for (const keyword of unsupportedKeywords) {
      if (value[keyword] !== undefined) this.warn('keyword_not_supported', [...path, keyword], { keyword });
    }
  }

  private checkTemplates(action: Record<string, unknown>, path: Path, declared: ReadonlySet<string>): void {
    const entrypoint = action['entrypoint'];
    const args = isRecord(entrypoint) && Array.isArray(entrypoint['args']) ? (entrypoint['args'] as unknown[]) : [];
    const usable = declaredFields(action['inputSchema']);
    for (const [index, argument] of args.entries()) {
      if (typeof argument !== 'string') continue;
      const at = [...path, 'entrypoint', 'args', index];
      for (const field of new Set(fieldsOf(argument))) {
        // A field that is declared with a type we leave out can not be filled either.
        if (!declared.has(field) || !usable.has(field)) this.error('template_not_declared', at, { field });
      }
      const rest = argument.replace(/\{\{\s*[^{}\s]+\s*\}\}/g, '');
      if (rest.includes('{{') || rest.includes('}}')) this.warn('template_not_closed', at, { text: argument });
    }
  }

  private checkPolicy(action: Action, path: Path): void {
    for (const { placement, code } of effectivePlacements(action).refused) {
      if (code === 'placement_reserved') continue;
      const index = action.placements?.indexOf(placement) ?? -1;
      this.warn(code, this.placementPath(path, placement, index), { placement });
    }
    if ((action.risk === 'high' || action.risk === 'medium') && action.confirmation === undefined) {
      this.warn('confirmation_advised', [...path, 'risk'], { risk: action.risk });
    }
  }

  /** Unknown placements were left out of the action, so its index may differ from the file's. */
  private placementPath(path: Path, placement: string, fallback: number): Path {
    const list = this.root === undefined ? undefined : findNodeAtLocation(this.root, [...path, 'placements']);
    const index = list?.children?.findIndex((child) => child.value === placement) ?? fallback;
    return [...path, 'placements', index];
  }

  private zodIssue(issue: z.core.$ZodIssue, path: Path, field?: string): void {
    const at = [...path, ...(issue.path as Path)];
    this.error('field_invalid', at, { field: field ?? pathText(issue.path as Path), detail: issue.message });
  }

  private findDuplicateKeys(node: Node, path: Path): void {
    const stack: { node: Node; path: Path }[] = [{ node, path }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (next.node.type === 'array') {
        for (const [index, child] of (next.node.children ?? []).entries())
          stack.push({ node: child, path: [...next.path, index] });
      }
      if (next.node.type !== 'object') continue;
      const seen = new Set<string>();
      for (const property of next.node.children ?? []) {
        const [keyNode, valueNode] = property.children ?? [];
        const key = keyNode?.value as string;
        const at = [...next.path, key];
        if (seen.has(key))
          this.problems.push(this.problemAt('warning', 'duplicate_key', pathText(at), property.offset, { key }));
        seen.add(key);
        if (valueNode !== undefined) stack.push({ node: valueNode, path: at });
      }
    }
  }

  private error(code: ManifestCode, path: Path, params: Params = {}): void {
    this.problems.push(this.problem('error', code, path, params));
  }

  private warn(code: ManifestCode, path: Path, params: Params = {}): void {
    this.problems.push(this.problem('warning', code, path, params));
  }

  private errorCount(): number {
    return this.problems.filter(({ severity }) => severity === 'error').length;
  }

  /** Start of the value at a path, or of the nearest one around it. */
  private offsetOf(path: Path): number {
    if (this.root === undefined) return 0;
    for (let length = path.length; length > 0; length -= 1) {
      const node = findNodeAtLocation(this.root, path.slice(0, length));
      if (node !== undefined) return node.offset;
    }
    return this.root.offset;
  }

  private position(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.lineStarts[low]! + 1 };
  }
}

/** Deeper than any manifest, and far from what the parser's recursion bears. */
const maxDepth = 200;

function parseQuietly(text: string, errors: ParseError[]): Node | undefined {
  if (findTooDeep(text, maxDepth) !== -1) return undefined;
  return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
}

function declaredFields(schema: unknown): ReadonlySet<string> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return new Set(isRecord(properties) ? Object.keys(properties) : []);
}

/** `actions[0].entrypoint.args[1]`. */
function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

function show(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value).slice(0, 60);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function fold(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
