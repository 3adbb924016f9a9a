import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import type { TextParams } from '../text/texts.ts';
import { type Chain, type ChainProblem, errorClasses, onExhaustValues, type Step, unresolvedRef } from './chain.ts';
import type { DetailCode, TypeWord } from './chain-texts.ts';
import { brokenAt, findProperty, type JsonSource, nodeAtPath, readJsonSource } from './json-source.ts';
import { isJsonObject } from './json-value.ts';
import { asInFile, withoutNulls } from './own-fields.ts';
import { ownChainFields, ownStepFields } from './step-fields.ts';
import { assignStepIds, isStepId } from './step-id.ts';

/** A chain file with all that is needed to write it again: the chain, and where each part of it stands. */
export interface ChainSource {
  readonly json: JsonSource;
  readonly chain: Chain;
  readonly problems: readonly ChainProblem[];
  /** One per step, in order. */
  readonly steps: readonly StepSource[];
}

export interface StepSource {
  readonly node: Node;
  /** The step as the file has it. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The number that dependencies use for it: its `index`, or its place from 1. */
  readonly number: number;
  /** Its dependencies as the file has them; null = not given. */
  readonly dependencies: readonly unknown[] | null;
}

/** Types only: what goes together, and how much is too much, is the business of the check. */
const FileStep = z.looseObject({
  index: z.int().nullish(),
  skill_name: z.string().nullish(),
  step_name: z.string().nullish(),
  action: z.string().nullish(),
  skill_instruction: z.string().nullish(),
  detail: z.string().nullish(),
  depends_on: z.array(z.union([z.number(), z.string()])).nullish(),
  condition: z.string().nullish(),
  variables: z
    .looseObject({
      inputs: z.record(z.string(), z.unknown()).nullish(),
      outputs: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
  retry_policy: z
    .looseObject({ max_retries: z.int().min(0).nullish(), error_types: z.array(z.enum(errorClasses)).nullish() })
    .nullish(),
  failure_mode: z
    .looseObject({ on_exhaust: z.enum(onExhaustValues).nullish(), is_milestone: z.boolean().nullish() })
    .nullish(),
  notes: z.string().nullish(),
  kind: z.string().nullish(),
  with: z.record(z.string(), z.unknown()).nullish(),
  timeout_seconds: z.number().positive().nullish(),
  idempotent: z.boolean().nullish(),
  ...asInFile(ownStepFields),
});

const FileChain = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  purpose: z.string().nullish(),
  user_intent: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  exec_count: z.number().nullish(),
  ...asInFile(ownChainFields),
  steps: z.array(FileStep).nullish(),
});
const knownOfChain = new Set(Object.keys(FileChain.shape));
const knownOfStep = new Set(Object.keys(FileStep.shape));
const knownOfPart: Readonly<Record<string, readonly string[]>> = {
  variables: ['inputs', 'outputs'],
  retry_policy: ['max_retries', 'error_types'],
  failure_mode: ['on_exhaust', 'is_milestone'],
};

/** Reads a chain file. Errors: CHAIN_FILE_BROKEN with line, column and field. */
export function readChainSource(text: string, fileName?: string): ChainSource {
  const json = readJsonSource(text, fileName);
  checkTypes(json);
  const raw = json.value as Record<string, unknown>;
  const rawSteps = (raw['steps'] ?? []) as Record<string, unknown>[];
  const stepsNode = findProperty(json.root, 'steps')?.children?.[1];
  const ids = assignStepIds(rawSteps.map((step) => ({ ownId: step['id'], name: textOf(step['step_name']) })));
  const steps = rawSteps.map(
    (step, place): StepSource => ({
      node: stepsNode!.children![place]!,
      raw: step,
      number: (step['index'] as number | null | undefined) ?? place + 1,
      dependencies: (step['depends_on'] as unknown[] | null | undefined) ?? null,
    }),
  );
  const problems = [...findDoubleKeys(json), ...findIdProblems(rawSteps, ids), ...findIndexProblems(steps, ids)];
  const resolver = createResolver(json, steps, ids, problems);
  const chain = Object.fromEntries([
    ['name', textOf(raw['name'])],
    ...fieldsOf(raw, knownOfChain, ['name', 'steps']),
    ['steps', steps.map((step, place) => stepOf(step, ids[place]!, resolver(place)))],
  ]) as Chain;
  return { json, chain, problems, steps };
}

function stepOf({ raw }: StepSource, id: string, dependsOn: string[]): Step {
  return Object.fromEntries([
    ['id', id],
    ['skill_name', textOf(raw['skill_name'])],
    ['step_name', textOf(raw['step_name'])],
    ['action', textOf(raw['action'])],
    ['depends_on', dependsOn],
    ...fieldsOf(raw, knownOfStep, ['index', 'id', 'skill_name', 'step_name', 'action', 'depends_on']),
  ]) as Step;
}

/** The other fields as they are; a known one that is null counts as absent. */
function fieldsOf(raw: Record<string, unknown>, known: ReadonlySet<string>, handled: string[]): [string, unknown][] {
  return Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    if (handled.includes(key) || (known.has(key) && value === null)) return [];
    if (Object.hasOwn(ownStepFields, key)) {
      return [[key, withoutNulls(ownStepFields[key as keyof typeof ownStepFields], value)]];
    }
    const parts = Object.hasOwn(knownOfPart, key) ? knownOfPart[key]! : null;
    if (!known.has(key) || parts === null || !isJsonObject(value)) return [[key, value]];
    return [
      [
        key,
        Object.fromEntries(Object.entries(value).filter(([part, inner]) => inner !== null || !parts.includes(part))),
      ],
    ];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Gives, per step, the ids that its dependencies mean. */
function createResolver(
  json: JsonSource,
  steps: readonly StepSource[],
  ids: readonly string[],
  problems: ChainProblem[],
): (place: number) => string[] {
  const byNumber = new Map<number, string>();
  const ownIds = new Set<string>();
  steps.forEach((step, place) => {
    if (!byNumber.has(step.number)) byNumber.set(step.number, ids[place]!);
    if (step.raw['id'] === ids[place]) ownIds.add(ids[place]!);
  });
  return (place) => {
    const step = steps[place]!;
    const about = { step_id: ids[place]!, field: 'depends_on' };
    if (step.dependencies === null) {
      if (step.raw['depends_on'] === null) {
        problems.push({ severity: 'warning', code: 'depends_on_null', ...about, params: { step: place + 1 } });
      }
      return place === 0 ? [] : [ids[place - 1]!];
    }
    return step.dependencies.map((entry, at) => {
      const own = typeof entry === 'string' && ownIds.has(entry.trim()) ? entry.trim() : null;
      if (own !== null) return own;
      const index = dependencyNumber(entry);
      if (index === null) {
        const node = nodeAtPath(json.root, ['steps', place, 'depends_on', at]);
        const params = { found: String(entry).slice(0, 100) };
        throw brokenAt(json, node.offset, 'dependency_text', params, `steps[${place}].depends_on[${at}]`);
      }
      if (typeof entry === 'string') {
        const params = { step: place + 1, found: entry };
        problems.push({ severity: 'info', code: 'dependency_as_text', ...about, params });
      }
      const id = byNumber.get(index);
      if (id !== undefined) return id;
      problems.push({ severity: 'error', code: 'dependency_missing', ...about, params: { step: place + 1, index } });
      return unresolvedRef(index);
    });
  };
}

/** The index that a dependency means; skill-sub's `update-step --depends-on` writes numbers as text. */
export function dependencyNumber(entry: unknown): number | null {
  const text = typeof entry === 'string' ? entry.trim() : '';
  const index = /^-?\d{1,15}$/.test(text) ? Number(text) : entry;
  return typeof index === 'number' && Number.isSafeInteger(index) ? index + 0 : null;
}

function findIdProblems(rawSteps: readonly Record<string, unknown>[], ids: readonly string[]): ChainProblem[] {
  const problems: ChainProblem[] = [];
  const places = new Map(ids.map((id, place) => [id, place]));
  rawSteps.forEach((step, place) => {
    const own = step['id'];
    if (own === undefined || own === null || own === ids[place]) return;
    const about = { severity: 'warning' as const, step_id: ids[place]!, field: 'id' };
    if (isStepId(own)) {
      const params = { id: own, first: (places.get(own) ?? 0) + 1, step: place + 1 };
      problems.push({ ...about, severity: 'error', code: 'duplicate_id', params });
    } else {
      const shown = typeof own === 'object' ? (Array.isArray(own) ? '[…]' : '{…}') : JSON.stringify(own).slice(0, 100);
      problems.push({ ...about, code: 'id_unusable', params: { id: shown, step: place + 1 } });
    }
  });
  return problems;
}

function findIndexProblems(steps: readonly StepSource[], ids: readonly string[]): ChainProblem[] {
  const places = new Map<number, number>();
  const problems: ChainProblem[] = [];
  steps.forEach(({ number }, place) => {
    const first = places.get(number);
    if (first === undefined) places.set(number, place);
    else {
      const params = { first: first + 1, step: place + 1, index: number };
      problems.push({ severity: 'error', code: 'duplicate_index', step_id: ids[place]!, field: 'index', params });
    }
  });
  return problems;
}

function findDoubleKeys(json: JsonSource): ChainProblem[] {
  const problems: ChainProblem[] = [];
  const stack: Node[] = [json.root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'object') {
      const seen = new Set<string>();
      for (const property of node.children ?? []) {
        const key = String(property.children![0]!.value);
        if (seen.has(key)) problems.push({ severity: 'warning', code: 'duplicate_key', field: key, params: { key } });
        seen.add(key);
      }
    }
    // Not spread into one call: a list may be longer than a call can have arguments.
    for (const child of (node.children ?? []).toReversed()) stack.push(child);
  }
  return problems;
}

function checkTypes(json: JsonSource): void {
  const result = FileChain.safeParse(json.value);
  if (result.success) return;
  const issue = result.error.issues[0]!;
  let found: unknown = json.value;
  for (const part of issue.path) found = (found as Record<PropertyKey, unknown>)[part];
  const [detail, params] = faultOf(issue, found);
  throw brokenAt(json, nodeAtPath(json.root, issue.path).offset, detail, params, pathText(issue.path) || undefined);
}

function faultOf(issue: z.core.$ZodIssue, found: unknown): [DetailCode, TextParams] {
  const { path } = issue;
  if (path.length === 0) return ['chain_not_object', { found: typeWord(found) }];
  if (path.length === 2 && path[0] === 'steps') return ['step_not_object', { found: typeWord(found) }];
  const plain = typeof found === 'string' || typeof found === 'number';
  const shown = plain ? String(JSON.stringify(found)).slice(0, 60) : typeWord(found);
  if (issue.code === 'invalid_value') return ['wrong_value', { allowed: issue.values.join(', '), found: shown }];
  if (issue.code === 'too_small' && issue.origin === 'string') return ['text_empty', {}];
  if (issue.code === 'too_small') {
    const minimum = Number(issue.minimum);
    return [issue.inclusive === false ? 'not_above' : 'out_of_range', { minimum, found: shown }];
  }
  const wanted =
    issue.code === 'invalid_union' ? unionWord(issue) : issue.code === 'invalid_type' ? issue.expected : 'int';
  const expected = `type:${wanted === 'record' ? 'object' : wanted}`;
  return ['wrong_type', { expected, found: wanted === 'int' ? shown : typeWord(found) }];
}

/** What may stand where a value has one of several types. */
function unionWord(issue: z.core.$ZodIssueInvalidUnion): TypeWord {
  const expected = new Set(
    issue.errors.flatMap((errors) => errors.map((error) => (error.code === 'invalid_type' ? error.expected : ''))),
  );
  if (expected.has('array')) return 'list_or_template';
  return expected.has('number') ? 'scalar' : 'switch';
}

function typeWord(value: unknown): string {
  if (value === null) return 'type:null';
  return `type:${Array.isArray(value) ? 'array' : typeof value}`;
}

/** `steps[2].retry_policy.max_retries`, counted from 0 as in every JSON path. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');
}
