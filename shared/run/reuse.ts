import type { Chain, Step } from '../chain/chain.ts';
import { sameJson } from '../chain/json-value.ts';
import { reachable } from '../graph/reachable.ts';
import { topologicalOrder } from '../graph/topological-order.ts';
import type { RunHeader, StepOutput } from './event.ts';
import { outlineOf } from './outline.ts';
import type { RunState } from './run-state.ts';

/** Which part of an earlier run is done again. */
export type RerunScope =
  /** The step and everything that depends on it. */
  | { readonly kind: 'from'; readonly step_id: string }
  /** The step alone, with what the steps before it gave. */
  | { readonly kind: 'only'; readonly step_id: string }
  /** What failed or was not reached, and everything that depends on it. */
  | { readonly kind: 'failed' };

export const rerunVerdicts = ['reused', 'runs', 'not_selected'] as const;
export const rerunReasons = [
  'unchanged',
  'chosen',
  'depends_on_chosen',
  'not_succeeded_before',
  'new_step',
  'step_changed',
  'skill_changed',
  'inputs_changed',
  'upstream_runs',
  'not_selected',
] as const;
export type RerunReason = (typeof rerunReasons)[number];

/** What becomes of one step, and why. */
export interface RerunRow {
  readonly step_id: string;
  readonly verdict: (typeof rerunVerdicts)[number];
  readonly reason: RerunReason;
  /** The step upstream that causes it, where one does. */
  readonly cause?: string;
}

export interface RerunFacts {
  readonly before: { readonly header: RunHeader; readonly chain: Chain; readonly state: RunState };
  /** The chain as it is now, and what the new run would be started with. */
  readonly chain: Chain;
  readonly input: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Hashes of the skills as they are now. */
  readonly skills: Readonly<Record<string, string>>;
}

/** Fields that do not change what a step gives. */
const withoutEffect: ReadonlySet<string> = new Set([
  ...['step_name', 'notes', 'retry_policy', 'failure_mode', 'timeout_seconds', 'idempotent', 'depends_on'],
  ...['continue_on_error', 'on_failure'],
]);

/**
 * What a run of a part of the chain would reuse of an earlier one, per step in the order of the chain. A result is reused
 * when the step succeeded, it, its skill and the inputs are as they were, and nothing that it depends on runs again.
 */
export function previewRerun(facts: RerunFacts, scope: RerunScope): RerunRow[] {
  const { before, chain } = facts;
  const outline = outlineOf(before.header, chain);
  const graph = {
    ids: chain.steps.map((step) => step.id),
    dependsOn: (id: string) => {
      const about = outline.steps.get(id);
      return [...(about?.dependencies ?? []), ...(about?.primary ? [about.primary] : [])];
    },
  };
  const old = new Map(before.chain.steps.map((step) => [step.id, step]));
  const sameInputs = (before.header.input ?? '') === facts.input && sameJson(before.header.inputs ?? {}, facts.inputs);
  const chosen = new Set(
    scope.kind === 'failed'
      ? graph.ids.filter((id) => old.has(id) && !isDone(before.state, id) && !wasDecidedAway(before.state, id))
      : [scope.step_id],
  );
  const needed = scope.kind === 'only' ? reachable(graph, [scope.step_id], 'dependencies') : null;
  const rows = new Map<string, RerunRow>();
  for (const id of topologicalOrder(graph)) {
    rows.set(id, row(id));
  }
  return graph.ids.map((id) => rows.get(id)!);

  function row(id: string): RerunRow {
    if (chosen.has(id)) return runs(id, scope.kind === 'failed' ? 'not_succeeded_before' : 'chosen');
    if (needed !== null && !needed.has(id)) return { step_id: id, verdict: 'not_selected', reason: 'not_selected' };
    const cause = graph.dependsOn(id).find((other) => rows.get(other)?.verdict === 'runs');
    if (cause !== undefined) return runs(id, chosen.has(cause) ? 'depends_on_chosen' : 'upstream_runs', cause);
    const earlier = old.get(id);
    if (earlier === undefined) return runs(id, 'new_step');
    // What a condition or a route decided is decided again, from the same outputs.
    if (!isDone(before.state, id)) return runs(id, 'not_succeeded_before');
    const step = outline.steps.get(id)!.step;
    if (!sameWork(earlier, step)) return runs(id, 'step_changed');
    const skill = step.skill_name;
    if (before.header.skills?.[skill] !== facts.skills[skill]) return runs(id, 'skill_changed');
    return sameInputs ? { step_id: id, verdict: 'reused', reason: 'unchanged' } : runs(id, 'inputs_changed');
  }
}

/** The outputs that the rows reuse, as the header of the new run holds them. */
export function reuseOf(run: RunState, rows: readonly RerunRow[]): NonNullable<RunHeader['reuse']> {
  const outputs: [string, StepOutput][] = rows.flatMap(({ step_id, verdict }) => {
    const output = run.steps.get(step_id)?.output ?? null;
    return verdict === 'reused' && output !== null ? [[step_id, output] as [string, StepOutput]] : [];
  });
  const not_selected = rows.filter(({ verdict }) => verdict === 'not_selected').map(({ step_id }) => step_id);
  return { run_id: run.run_id, outputs: Object.fromEntries(outputs), not_selected };
}

function runs(id: string, reason: RerunReason, cause?: string): RerunRow {
  return { step_id: id, verdict: 'runs', reason, ...(cause === undefined ? {} : { cause }) };
}

function isDone(run: RunState, id: string): boolean {
  const step = run.steps.get(id);
  return (step?.state === 'succeeded' || step?.state === 'substituted') && step.output !== null;
}

function wasDecidedAway(run: RunState, id: string): boolean {
  const reason = run.steps.get(id)?.reason ?? null;
  return reason !== null && ['condition_false', 'route_not_taken', 'skip_if', 'fallback_not_needed'].includes(reason);
}

function sameWork(one: Step, other: Step): boolean {
  const work = (step: Step) => Object.fromEntries(Object.entries(step).filter(([key]) => !withoutEffect.has(key)));
  return sameJson(work(one), work(other));
}
