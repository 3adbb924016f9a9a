import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { sameJson } from '../../../shared/chain/json-value.ts';
import { isCounter } from './counters.ts';

/** A place that both sides changed, each in its way. `step` is null for a field of the chain itself. */
export interface MergeConflict {
  readonly step: { readonly id: string; readonly name: string } | null;
  /** A field, `removed` (one side removed what the other changed) or `order`. */
  readonly field: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface MergeResult {
  /** Both sides' changes; where they met, mine. */
  readonly chain: Chain;
  readonly conflicts: readonly MergeConflict[];
}

/**
 * What mine and theirs made of `base`, put together: field by field, step by step by id. Edits of different fields never
 * meet. The result holds every change of both sides except where `conflicts` names a meeting.
 */
export function mergeChains(base: Chain, mine: Chain, theirs: Chain): MergeResult {
  const conflicts: MergeConflict[] = [];
  const fields = mergeFields(base, mine, theirs, ['steps'], (field, a, b) => {
    // The newest count is right.
    if (isCounter(field)) return b;
    conflicts.push({ step: null, field, mine: a, theirs: b });
    return a;
  });
  const steps = mergeSteps(base, mine, theirs, conflicts);
  return { chain: { ...fields, steps } as Chain, conflicts };
}

function mergeSteps(base: Chain, mine: Chain, theirs: Chain, conflicts: MergeConflict[]): Step[] {
  const [baseById, mineById, theirsById] = [base, mine, theirs].map(
    (chain) => new Map(chain.steps.map((step) => [step.id, step])),
  ) as [Map<string, Step>, Map<string, Step>, Map<string, Step>];
  const merged = new Map<string, Step>();
  for (const id of new Set([...mineById.keys(), ...theirsById.keys()])) {
    const step = mergeStep(baseById.get(id), mineById.get(id), theirsById.get(id), conflicts);
    if (step !== null) merged.set(id, step);
  }
  return orderOf(base, mine, theirs, merged, conflicts)
    .map((id) => merged.get(id)!)
    .map((step) => withoutRemoved(step, merged, baseById));
}

function mergeStep(
  base: Step | undefined,
  mine: Step | undefined,
  theirs: Step | undefined,
  conflicts: MergeConflict[],
): Step | null {
  if (mine === undefined || theirs === undefined) {
    const left = mine ?? theirs;
    if (left === undefined) return null;
    if (base === undefined) return left;
    if (sameJson(base, left)) return null;
    conflicts.push({ step: nameOf(left), field: 'removed', mine: mine ?? null, theirs: theirs ?? null });
    return mine ?? null;
  }
  if (sameJson(mine, theirs)) return mine;
  const fields = mergeFields(base ?? {}, mine, theirs, ['depends_on'], (field, a, b) => {
    conflicts.push({ step: nameOf(mine), field, mine: a, theirs: b });
    return a;
  });
  return {
    ...fields,
    depends_on: mergeLists(base?.depends_on ?? [], mine.depends_on, theirs.depends_on),
  } as Step;
}

/** Dependencies are a set: what either side added is in, what either side removed is out. */
function mergeLists(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  if (sameJson(base, mine)) return [...theirs];
  const kept = mine.filter((id) => theirs.includes(id) || !base.includes(id));
  return [...kept, ...theirs.filter((id) => !mine.includes(id) && !base.includes(id))];
}

function mergeFields(
  base: Readonly<Record<string, unknown>>,
  mine: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
  except: readonly string[],
  meet: (field: string, mine: unknown, theirs: unknown) => unknown,
): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    if (except.includes(field)) continue;
    const [b, m, t] = [base[field], mine[field], theirs[field]];
    const value = sameJson(m, t) || sameJson(b, t) ? m : sameJson(b, m) ? t : meet(field, m, t);
    if (value !== undefined) merged[field] = value;
  }
  return merged;
}

function orderOf(
  base: Chain,
  mine: Chain,
  theirs: Chain,
  merged: ReadonlyMap<string, Step>,
  conflicts: MergeConflict[],
): string[] {
  const [b, m, t] = [base, mine, theirs].map((chain) =>
    chain.steps.map((step) => step.id).filter((id) => merged.has(id)),
  );
  const both = new Set(m!.filter((id) => t!.includes(id) && b!.includes(id)));
  const common = (ids: readonly string[]) => ids.filter((id) => both.has(id));
  const mineMoved = !sameJson(common(b!), common(m!));
  const theirsMoved = !sameJson(common(b!), common(t!));
  if (mineMoved && theirsMoved && !sameJson(common(m!), common(t!))) {
    conflicts.push({ step: null, field: 'order', mine: common(m!), theirs: common(t!) });
  }
  const [first, second] = theirsMoved && !mineMoved ? [t!, m!] : [m!, t!];
  const order = [...first];
  // What only the other side has goes behind the step that it stands behind there.
  second.forEach((id, index) => {
    if (order.includes(id)) return;
    const before = second.slice(0, index).findLast((other) => order.includes(other));
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id);
  });
  return order;
}

/** A step that one side removed is no dependency any more; what it depended on takes its place. */
function withoutRemoved(step: Step, merged: ReadonlyMap<string, Step>, base: ReadonlyMap<string, Step>): Step {
  if (step.depends_on.every((id) => merged.has(id) || !base.has(id))) return step;
  const dependsOn: string[] = [];
  const take = (ids: readonly string[], seen: ReadonlySet<string>): void => {
    for (const id of ids) {
      if (seen.has(id)) continue;
      if (merged.has(id) || !base.has(id)) {
        if (!dependsOn.includes(id) && id !== step.id) dependsOn.push(id);
      } else take(base.get(id)!.depends_on, new Set([...seen, id]));
    }
  };
  take(step.depends_on, new Set());
  return { ...step, depends_on: dependsOn };
}

function nameOf(step: Step): { id: string; name: string } {
  return { id: step.id, name: step.step_name || step.id };
}
