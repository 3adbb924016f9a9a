import { invariant } from '../errors/invariant.ts';
import { type Chain, type ChainProblem, type Step, unresolvedIndex } from './chain.ts';
import { type ChainSource, dependencyNumber, readChainSource, type StepSource } from './chain-source.ts';
import { findProperty } from './json-source.ts';
import {
  createPage,
  isBroken,
  type JsonPage,
  type ListItem,
  type ObjectChange,
  rewriteArray,
  rewriteObject,
  sourceText,
} from './json-splice.ts';
import { formatJson, seedStyle } from './json-style.ts';
import { jsonKeys, sameJson } from './json-value.ts';
import { namedSteps } from './named-steps.ts';
import { ownChainFields, ownStepFields } from './step-fields.ts';
import { assignStepIds } from './step-id.ts';

export interface ParsedChain {
  readonly chain: Chain;
  /** What the file alone shows: doubled keys, ids and indexes, dependencies that lead nowhere. See also `checkChain`. */
  readonly problems: ChainProblem[];
}

/**
 * Reads the text of a chain file (the format of skill-sub 1.2 and our optional fields). An absent `depends_on` means
 * the step before; an index that no step has is kept as an unresolved reference, with a problem; a cycle loads.
 * A known field that is null counts as absent. Errors: CHAIN_FILE_BROKEN with line, column and field.
 */
export function parseChainFile(text: string, fileName?: string): ParsedChain {
  const { chain, problems } = readChainSource(text, fileName);
  return { chain, problems: [...problems] };
}

/**
 * The chain as the text of a file. With a base text only what differs from it is written: a chain that did not change
 * gives the same bytes, an untouched step keeps its text wherever it moves. Without one: indent 2, the seed's order of
 * fields, a line end at the end. Errors: CHAIN_FILE_BROKEN when the base text is no chain.
 */
export function serializeChain(chain: Chain, baseText: string | null): string {
  if (baseText === null) return formatNewChain(chain);
  const source = readChainSource(baseText);
  if (sameJson(source.chain, chain)) return baseText;
  const { json } = source;
  const page = createPage(json.text, json.root);
  const { set, remove } = changedFields(source.chain, chain, ['steps']);
  if (!sameJson(source.chain.steps, chain.steps)) {
    const node = findProperty(json.root, 'steps')?.children?.[1];
    const after = node?.type === 'array' ? null : fileSteps(chain);
    set.set('steps', {
      before: undefined,
      after,
      ...(node?.type === 'array' ? { text: rewriteSteps(page, node, source, chain) } : {}),
    });
  }
  const end = json.root.offset + json.root.length;
  const written = rewriteObject(page, json.root, { set, remove }, chainOrder);
  return json.bom + json.text.slice(0, json.root.offset) + written + json.text.slice(end);
}

/** The text of a chain that has no file yet. */
export function formatNewChain(chain: Chain): string {
  const known = chainOrder.filter((key) => key !== 'steps' && chain[key] !== undefined);
  const others = jsonKeys(chain).filter((key) => !chainOrder.includes(key));
  const file = Object.fromEntries([
    ...[...known, ...others].map((key) => [key, chain[key]] as const),
    ['steps', fileSteps(chain)],
  ]);
  return `${formatJson(file, seedStyle, '', true)}\n`;
}

const chainOrder: readonly string[] = [
  ...['name', 'description', 'purpose', 'user_intent', 'tags', 'created_at', 'updated_at', 'exec_count'],
  ...Object.keys(ownChainFields),
  'steps',
];
const stepOrder: readonly string[] = [
  ...['index', 'id', 'skill_name', 'step_name', 'action', 'skill_instruction', 'detail', 'depends_on', 'condition'],
  ...['variables', 'retry_policy', 'failure_mode', 'notes', 'kind', 'with', 'timeout_seconds', 'idempotent'],
  ...Object.keys(ownStepFields),
];

function fileSteps(chain: Chain): Record<string, unknown>[] {
  const numbers = new Map(chain.steps.map((step, place) => [step.id, place + 1]));
  return chain.steps.map((step) => newFileStep(step, numbers));
}

function newFileStep(step: Step, numbers: ReadonlyMap<string, number>): Record<string, unknown> {
  const values = new Map<string, unknown>(jsonKeys(step).map((key) => [key, step[key]]));
  values.set('index', numbers.get(step.id)!);
  values.set('depends_on', dependencyNumbers(step, numbers));
  const others = [...values.keys()].filter((key) => !stepOrder.includes(key));
  const keys = [...stepOrder.filter((key) => values.has(key)), ...others];
  return Object.fromEntries(keys.map((key) => [key, values.get(key)]));
}

function dependencyNumbers(step: Step, numbers: ReadonlyMap<string, number>): number[] {
  return step.depends_on.map((id) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const index = unresolvedIndex(id);
    invariant(index !== null, `a dependency is a step of the chain or an unresolved index, but "${id}" is neither`);
    // What led nowhere has to lead nowhere again, also when the chain has grown to that index since.
    const taken = [...numbers.values()];
    return taken.includes(index) ? taken.reduce((most, number) => Math.max(most, number), index) + 1 : index;
  });
}

function changedFields(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  except: readonly string[],
): { set: Map<string, ObjectChange>; remove: string[] } {
  const set = new Map<string, ObjectChange>();
  const has = (object: Record<string, unknown>, key: string): boolean =>
    Object.hasOwn(object, key) && object[key] !== undefined;
  for (const key of jsonKeys(after)) {
    if (except.includes(key)) continue;
    const old = has(before, key) ? before[key] : undefined;
    if (!sameJson(old, after[key])) set.set(key, { before: old, after: after[key] });
  }
  return { set, remove: jsonKeys(before).filter((key) => !except.includes(key) && !has(after, key)) };
}

/** The text of the list of steps: old steps with their changes, wherever they are now, and new ones. */
function rewriteSteps(
  page: JsonPage,
  node: Parameters<typeof rewriteArray>[1],
  source: ChainSource,
  chain: Chain,
): string {
  const places = new Map(source.chain.steps.map((step, place) => [step.id, place]));
  const numbering = numberSteps(source, chain);
  const ownIds = stepsThatNeedIds(source, chain, places);
  const siblings = node.children ?? [];
  const expand = siblings.length === 0 || siblings.some((sibling) => isBroken(sourceText(page, sibling)));
  const items = chain.steps.map((step, place): ListItem => {
    const old = places.get(step.id);
    if (old === undefined) return { added: newFileStep(step, numbering.numbers) };
    const stepSource = source.steps[old]!;
    const before = source.chain.steps[old]!;
    const { set, remove } = changedFields(before, step, ['id', 'index', 'depends_on']);
    if (ownIds.has(step.id)) set.set('id', { before: stepSource.raw['id'], after: step.id });
    const number = numbering.numbers.get(step.id)!;
    if (numbering.renumbered && typeof stepSource.raw['index'] === 'number' && stepSource.raw['index'] !== number) {
      set.set('index', { before: stepSource.raw['index'], after: number });
    }
    const dependencies = changedDependencies(step, before, stepSource, chain.steps[place - 1]?.id, numbering);
    if (dependencies !== null)
      set.set('depends_on', { before: stepSource.dependencies ?? undefined, after: dependencies });
    if (set.size === 0 && remove.length === 0) return { kept: old };
    return { kept: old, text: rewriteObject(page, stepSource.node, { set, remove }, stepOrder) };
  });
  return rewriteArray(page, node, items, expand);
}

interface Numbering {
  readonly numbers: ReadonlyMap<string, number>;
  /** False = every step keeps the number that the file gives it. */
  readonly renumbered: boolean;
}

/** Steps keep their numbers as long as the same ones are there in the same order and no number means two of them. */
function numberSteps(source: ChainSource, chain: Chain): Numbering {
  const old = source.chain.steps;
  const sameOrder = old.length === chain.steps.length && old.every((step, place) => step.id === chain.steps[place]!.id);
  const unique = new Set(source.steps.map((step) => step.number)).size === source.steps.length;
  const sameWires = sameOrder && old.every((step, place) => sameJson(step.depends_on, chain.steps[place]!.depends_on));
  if (sameOrder && (unique || sameWires)) {
    return { numbers: new Map(old.map((step, place) => [step.id, source.steps[place]!.number])), renumbered: false };
  }
  return { numbers: new Map(chain.steps.map((step, place) => [step.id, place + 1])), renumbered: true };
}

/** What `depends_on` has to become in the file; null when what is there still means the same. */
function changedDependencies(
  step: Step,
  before: Step,
  source: StepSource,
  previousId: string | undefined,
  numbering: Numbering,
): number[] | null {
  if (source.dependencies === null) {
    const implied = previousId === undefined ? [] : [previousId];
    return sameJson(step.depends_on, implied) ? null : dependencyNumbers(step, numbering.numbers);
  }
  if (!numbering.renumbered && sameJson(step.depends_on, before.depends_on)) return null;
  const wanted = dependencyNumbers(step, numbering.numbers);
  const meansTheSame =
    wanted.length === source.dependencies.length &&
    source.dependencies.every((entry, at) => {
      const number = dependencyNumber(entry);
      return number === null ? entry === step.depends_on[at] : number === wanted[at];
    });
  return meansTheSame ? null : wanted;
}

/**
 * The old steps whose id has to be written: those that are named by it somewhere in the chain, and those that would get
 * another one from the file as it is going to be.
 */
function stepsThatNeedIds(source: ChainSource, chain: Chain, places: ReadonlyMap<string, number>): Set<string> {
  const named = namedSteps(chain);
  const written = new Set(chain.steps.map((step) => step.id).filter((id) => places.has(id) && named.has(id)));
  // Each round can only add ids; writing one may free or take the name of another.
  for (let round = 0; round < 3; round += 1) {
    const ids = assignStepIds(
      chain.steps.map((step) => {
        const old = places.get(step.id);
        const own = old === undefined || written.has(step.id) ? step.id : source.steps[old]!.raw['id'];
        return { ownId: own, name: step.step_name };
      }),
    );
    const wrong = chain.steps.filter((step, place) => ids[place] !== step.id && places.has(step.id));
    if (wrong.length === 0) return written;
    for (const step of wrong) written.add(step.id);
  }
  return new Set(chain.steps.filter((step) => places.has(step.id)).map((step) => step.id));
}
