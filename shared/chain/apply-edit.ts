import { AppError } from '../errors/app-error.ts';
import { assertNever } from '../errors/invariant.ts';
import { findCycle } from '../graph/find-cycle.ts';
import { cycleError } from '../graph/topological-order.ts';
import { wouldCycle } from '../graph/would-cycle.ts';
import type { TextParams } from '../text/texts.ts';
import { type Chain, type Step, unresolvedIndex } from './chain.ts';
import { chainGraph } from './chain-graph.ts';
import { type DetailCode, detailParams } from './chain-texts.ts';
import { ChainEdit, type StepDraft } from './edit.ts';
import { checkChainName } from './file-name.ts';
import { isJsonValue, jsonKeys, sameJson } from './json-value.ts';
import { createIdMaker } from './step-id.ts';

/**
 * The chain after an edit; the given one is never changed, steps that the edit does not touch keep their identity, and
 * an edit that changes nothing gives the same chain. This is the only way a chain changes.
 * Errors: EDIT_REFUSED (with `reason`), CHAIN_CYCLE (with the path, by step names), STEP_NOT_FOUND, CHAIN_NAME_INVALID.
 */
export function applyEdit(chain: Chain, edit: ChainEdit): Chain {
  const parsed = ChainEdit.safeParse(edit);
  if (!parsed.success) {
    const field = parsed.error.issues[0]!.path.map(String).join('.');
    throw field === '' || field === 'kind' ? refusal('edit_unknown') : refusal('edit_field', { field });
  }
  const next = perform(chain, edit, parsed.data.kind === 'remove_steps' ? parsed.data.bridge : true);
  return sameJson(chain, next) ? chain : next;
}

function perform(chain: Chain, edit: ChainEdit, bridge: boolean): Chain {
  switch (edit.kind) {
    case 'add_step':
      return addStep(chain, edit);
    case 'remove_steps':
      return removeSteps(chain, edit.ids, bridge);
    case 'update_step':
      return updateStep(chain, edit.id, edit.patch);
    case 'connect':
      return connect(chain, edit.from, edit.to);
    case 'disconnect':
      return disconnect(chain, edit.from, edit.to);
    case 'move_step':
      return moveStep(chain, edit.id, edit.to_index);
    case 'duplicate_steps':
      return duplicateSteps(chain, edit.ids);
    case 'update_chain':
      return updateChain(chain, edit.patch);
    case 'paste_steps':
      return pasteSteps(chain, edit.steps);
    case 'replace':
      return replaceChain(chain, edit.chain);
    default:
      return assertNever(edit);
  }
}

function addStep(chain: Chain, edit: Extract<ChainEdit, { kind: 'add_step' }>): Chain {
  const { after, insert_between: wire } = edit;
  if (edit.step.id !== undefined && chain.steps.some((step) => step.id === edit.step.id)) {
    throw refusal('edit_id_taken', { id: edit.step.id });
  }
  const id = edit.step.id ?? createIdMaker(chain.steps.map((step) => step.id))(edit.step.step_name);
  const before = after === undefined || after === null ? null : findStep(chain, after);
  const ownDependencies = edit.step.depends_on;
  if (wire !== undefined) {
    findStep(chain, wire.from);
    if (!findStep(chain, wire.to).depends_on.includes(wire.from)) {
      throw refusal('edit_not_linked', namesOf(chain, wire.from, wire.to));
    }
  }
  const implied = wire !== undefined ? [wire.from] : before === null ? [] : [before.id];
  const step = newStep(edit.step, id, edit.depends_on ?? ownDependencies ?? implied);
  checkDependencies(chain, id, step.depends_on, []);
  const place =
    wire !== undefined ? placeOf(chain, wire.to) : before === null ? chain.steps.length : placeOf(chain, before.id) + 1;
  const steps = wire === undefined ? [...chain.steps] : rewire(chain.steps, wire.to, wire.from, id);
  steps.splice(place, 0, step);
  return acyclic(chain, { ...chain, steps });
}

/** `to` depends on `id` where it depended on `from`. */
function rewire(steps: readonly Step[], to: string, from: string, id: string): Step[] {
  return steps.map((step) =>
    step.id === to
      ? { ...step, depends_on: unique(step.depends_on.map((other) => (other === from ? id : other))) }
      : step,
  );
}

function removeSteps(chain: Chain, ids: readonly string[], bridge: boolean): Chain {
  const removed = findSteps(chain, ids);
  const heirs = bridge ? createHeirs(removed) : () => [];
  const steps = chain.steps
    .filter((step) => !removed.has(step.id))
    .map((whole) => {
      const step = withoutWaysTo(removed, whole);
      if (!step.depends_on.some((id) => removed.has(id))) return step;
      const dependencies = step.depends_on.flatMap((id) => (removed.has(id) ? heirs(id) : [id]));
      // A circle that ran through a removed step leads back here; it must not become a step that depends on itself.
      return { ...step, depends_on: unique(dependencies).filter((id) => id !== step.id) };
    });
  return { ...chain, steps };
}

/**
 * A stand-in that is gone can not stand in. A way to a step that is gone would come to mean the skill of that name: it
 * goes with the step.
 */
function withoutWaysTo(removed: ReadonlyMap<string, Step>, step: Step): Step {
  const { on_failure: standIn, route, ...others } = step;
  const losesStandIn = standIn !== undefined && removed.has(standIn);
  const ways = route?.filter(({ to }) => !removed.has(to));
  if (!losesStandIn && ways?.length === route?.length) return step;
  return {
    ...others,
    ...(standIn === undefined || losesStandIn ? {} : { on_failure: standIn }),
    ...(ways === undefined || (ways.length === 0 && route!.length > 0) ? {} : { route: ways }),
  };
}

/**
 * What stands for a removed step: the nearest steps that stay. A dependency of it that led nowhere is not handed on.
 */
function createHeirs(removed: ReadonlyMap<string, Step>): (id: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (start) => {
    const before = known.get(start);
    if (before !== undefined) return before;
    const found: string[] = [];
    const seen = new Set([start]);
    const stack = [start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const step = removed.get(id);
      if (step === undefined) {
        if (unresolvedIndex(id) === null) found.push(id);
        continue;
      }
      for (const other of step.depends_on.toReversed()) {
        if (seen.has(other)) continue;
        seen.add(other);
        stack.push(other);
      }
    }
    known.set(start, found);
    return found;
  };
}

function updateStep(chain: Chain, id: string, patch: Readonly<Record<string, unknown>>): Chain {
  const step = findStep(chain, id);
  if (Object.hasOwn(patch, 'id') && patch['id'] !== id) throw refusal('edit_id_fixed');
  if (Object.hasOwn(patch, 'index')) throw refusal('edit_field', { field: 'index' });
  checkValues(patch, depthOfStep);
  const next = patched(step, patch, { skill_name: '', step_name: '', action: '', depends_on: [] }) as Step;
  const steps = chain.steps.map((other) => (other.id === id ? next : other));
  const result = { ...chain, steps };
  if (Object.hasOwn(patch, 'depends_on')) {
    checkDependencies(chain, id, next.depends_on, step.depends_on);
  }
  return ['depends_on', 'route', 'on_failure'].some((field) => Object.hasOwn(patch, field))
    ? acyclic(chain, result)
    : result;
}

function connect(chain: Chain, from: string, to: string): Chain {
  findStep(chain, from);
  const target = findStep(chain, to);
  if (from === to) throw refusal('edit_self');
  if (target.depends_on.includes(from)) throw refusal('edit_linked_already', namesOf(chain, from, to));
  const cycle = wouldCycle(chainGraph(chain), from, to);
  if (cycle !== null) throw cycleError(stepNames(chain, cycle));
  return withStep(chain, { ...target, depends_on: [...target.depends_on, from] });
}

function disconnect(chain: Chain, from: string, to: string): Chain {
  const target = findStep(chain, to);
  if (!target.depends_on.includes(from)) throw refusal('edit_not_linked', namesOf(chain, from, to));
  return withStep(chain, { ...target, depends_on: target.depends_on.filter((id) => id !== from) });
}

function moveStep(chain: Chain, id: string, toIndex: number): Chain {
  const step = findStep(chain, id);
  const steps = chain.steps.filter((other) => other.id !== id);
  steps.splice(Math.min(toIndex, steps.length), 0, step);
  return { ...chain, steps };
}

/** The copies stand behind the last of the originals, are joined among each other as those are, and hang on the same steps. */
function duplicateSteps(chain: Chain, ids: readonly string[]): Chain {
  const chosen = findSteps(chain, ids);
  const originals = chain.steps.filter((step) => chosen.has(step.id));
  const nameCopy = createCopyNames(chain.steps.map((step) => step.step_name));
  const makeId = createIdMaker(chain.steps.map((step) => step.id));
  const copies = originals.map((step) => {
    const name = nameCopy(step.step_name);
    return { ...step, id: makeId(name), step_name: name };
  });
  const newIds = new Map(originals.map((step, index) => [step.id, copies[index]!.id]));
  const linked = copies.map((step) => ({
    ...withWays(step, newIds),
    depends_on: step.depends_on.map((id) => newIds.get(id) ?? id),
  }));
  const steps = [...chain.steps];
  steps.splice(steps.lastIndexOf(originals.at(-1)!) + 1, 0, ...linked);
  return { ...chain, steps };
}

/** A copy leads to the copies; what only one step can have, a stand-in, it does not share with its original. */
function withWays(step: Step, newIds: ReadonlyMap<string, string>): Step {
  const { on_failure: standIn, route, ...others } = step;
  if (standIn === undefined && route === undefined) return step;
  const copy = standIn === undefined ? undefined : newIds.get(standIn);
  return {
    ...others,
    ...(copy === undefined ? {} : { on_failure: copy }),
    ...(route === undefined ? {} : { route: route.map((way) => ({ ...way, to: newIds.get(way.to) ?? way.to })) }),
  };
}

/** `Build`, `Build (2)`, `Build (3)`: the first that is free. */
function createCopyNames(names: Iterable<string>): (name: string) => string {
  const taken = new Set(names);
  const counters = new Map<string, number>();
  return (name) => {
    if (name === '') return name;
    const base = name.replace(/ \(\d+\)$/, '');
    let count = counters.get(base) ?? 2;
    while (taken.has(`${base} (${count})`)) count += 1;
    counters.set(base, count + 1);
    return `${base} (${count})`;
  };
}

function updateChain(chain: Chain, patch: Readonly<Record<string, unknown>>): Chain {
  if (Object.hasOwn(patch, 'steps')) throw refusal('edit_steps_fixed');
  checkValues(patch, depthOfChain);
  const next = patched(chain, patch, { name: chain.name }) as Chain;
  if (next.name !== chain.name) checkChainName(next.name);
  return next;
}

function pasteSteps(chain: Chain, drafts: readonly StepDraft[]): Chain {
  const makeId = createIdMaker(chain.steps.map((step) => step.id));
  const ids = drafts.map((draft) => makeId(draft.step_name));
  const newIds = new Map<string, string>();
  drafts.forEach((draft, index) => {
    if (draft.id === undefined) return;
    if (newIds.has(draft.id)) throw refusal('edit_double_id', { id: draft.id });
    newIds.set(draft.id, ids[index]!);
  });
  const steps = drafts.map((draft, index) => {
    const inside = (draft.depends_on ?? []).flatMap((id) => newIds.get(id) ?? []);
    return withWays(newStep(draft, ids[index]!, unique(inside)), newIds);
  });
  return acyclic(chain, { ...chain, steps: [...chain.steps, ...steps] });
}

function replaceChain(chain: Chain, next: Chain): Chain {
  const ids = new Set<string>();
  checkValues(next, depthOfChain);
  for (const step of next.steps) {
    if (ids.has(step.id)) throw refusal('edit_double_id', { id: step.id });
    if (Object.hasOwn(step, 'index')) throw refusal('edit_field', { field: 'index' });
    ids.add(step.id);
  }
  for (const step of next.steps) {
    for (const id of step.depends_on) {
      if (!ids.has(id) && unresolvedIndex(id) === null) throw refusal('edit_dependency_missing', { id });
    }
  }
  if (next.name !== chain.name) checkChainName(next.name);
  const old = new Map(chain.steps.map((step) => [step.id, step]));
  const steps = next.steps.map((step) => {
    const before = old.get(step.id);
    return before !== undefined && sameJson(before, step) ? before : step;
  });
  return acyclic(chain, { ...next, steps });
}

/** Refuses a cycle, unless the chain had one already: such a chain must be mendable one connection at a time. */
function acyclic(before: Chain, after: Chain): Chain {
  const cycle = findCycle(chainGraph(after));
  if (cycle !== null && findCycle(chainGraph(before)) === null) throw cycleError(stepNames(after, cycle));
  return after;
}

/** New dependencies have to exist; one that led nowhere before may stay until it is removed. */
function checkDependencies(chain: Chain, id: string, dependencies: readonly string[], before: readonly string[]): void {
  const known = new Set(chain.steps.map((step) => step.id));
  for (const other of dependencies) {
    if (other === id && !before.includes(id)) throw refusal('edit_self');
    if (!known.has(other) && !before.includes(other)) throw refusal('edit_dependency_missing', { id: other });
  }
}

/** `depth` is how many lists and objects of the file stand around the values: what is written has to be read again. */
function checkValues(fields: Readonly<Record<string, unknown>>, depth: number): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined && !isJsonValue(value, depth)) throw refusal('edit_field', { field });
  }
}

const depthOfChain = 1;
const depthOfStep = 3;

function newStep(draft: StepDraft, id: string, dependsOn: readonly string[]): Step {
  checkValues(draft, depthOfStep);
  const { id: _id, depends_on: _dependsOn, skill_name, step_name, action, ...others } = draft;
  const fields = jsonKeys(others).flatMap((key) => (key === 'index' ? [] : [[key, others[key]] as const]));
  return {
    id,
    skill_name,
    step_name,
    action,
    depends_on: [...dependsOn],
    ...Object.fromEntries(fields),
  };
}

/** The object with a patch on it; what the patch removes falls back to `required`, or is gone. */
function patched(
  object: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values = new Map(Object.entries(object));
  for (const [key, value] of Object.entries(patch)) {
    if (value !== undefined && value !== null) values.set(key, value);
    else if (Object.hasOwn(required, key)) values.set(key, required[key]);
    else values.delete(key);
  }
  return Object.fromEntries(values);
}

function withStep(chain: Chain, step: Step): Chain {
  return { ...chain, steps: chain.steps.map((other) => (other.id === step.id ? step : other)) };
}

function findStep(chain: Chain, id: string): Step {
  const step = chain.steps.find((other) => other.id === id);
  if (step === undefined) throw new AppError('STEP_NOT_FOUND', { step: id });
  return step;
}

function findSteps(chain: Chain, ids: readonly string[]): Map<string, Step> {
  const steps = new Map(chain.steps.map((step) => [step.id, step]));
  return new Map(
    ids.map((id) => {
      const step = steps.get(id);
      if (step === undefined) throw new AppError('STEP_NOT_FOUND', { step: id });
      return [id, step];
    }),
  );
}

function placeOf(chain: Chain, id: string): number {
  return chain.steps.findIndex((step) => step.id === id);
}

/** Step names for a person; a step without one is named by its id. */
function stepNames(chain: Chain, ids: readonly string[]): string[] {
  const names = new Map(chain.steps.map((step) => [step.id, step.step_name]));
  return ids.map((id) => names.get(id) || id);
}

function namesOf(chain: Chain, from: string, to: string): { from: string; to: string } {
  const [fromName, toName] = stepNames(chain, [from, to]);
  return { from: fromName!, to: toName! };
}

function refusal(reason: DetailCode, params: TextParams = {}): AppError {
  return new AppError('EDIT_REFUSED', detailParams(reason, params));
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
