import type { Step } from '../../../shared/chain/chain.ts';
import type { ChainEdit } from '../../../shared/chain/edit.ts';
import { type EditorState, stepOf } from './editor-store.ts';

/** A field inside `failure_mode`, `retry_policy` or another object of a step; the other fields of it stay. */
export function patchInside(
  step: Step,
  field: 'failure_mode' | 'retry_policy' | 'variables' | 'with',
  values: Readonly<Record<string, unknown>>,
): ChainEdit {
  const merged: Record<string, unknown> = { ...(step[field] as Record<string, unknown> | undefined), ...values };
  for (const [key, value] of Object.entries(merged)) if (value === undefined) delete merged[key];
  const patch = { [field]: Object.keys(merged).length === 0 ? undefined : merged };
  return { kind: 'update_step', id: step.id, patch } as ChainEdit;
}

/** Sets plain fields; an empty text removes an optional one. */
export function patchStep(id: string, patch: Readonly<Record<string, unknown>>): ChainEdit {
  return { kind: 'update_step', id, patch } as ChainEdit;
}

/** Auto -> yes -> no -> auto. */
export function nextMilestone(state: Pick<EditorState, 'doc'>, id: string): ChainEdit {
  const step = stepOf(state, id);
  if (step === undefined) return patchStep(id, {});
  const now = step.failure_mode?.is_milestone;
  const next = now === undefined ? true : now ? false : undefined;
  return patchInside(step, 'failure_mode', { is_milestone: next });
}
