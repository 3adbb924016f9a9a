import { z } from 'zod';
import type { ChainEdit } from '../../../shared/chain/edit.ts';
import { StepDraft } from '../../../shared/chain/edit.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { EditorState } from './editor-store.ts';

/** Steps on the clipboard are plain JSON text: they travel between chains, windows and editors of text. */
const Clip = z.looseObject({
  kind: z.literal('skill-chain-steps'),
  version: z.literal(1),
  steps: z.array(StepDraft).min(1),
});

/** The chosen steps as text, in the order of the file; null when none is chosen. */
export function copyText(state: Pick<EditorState, 'doc' | 'selection'>): string | null {
  const steps = state.doc.chain.steps.filter((step) => state.selection.has(step.id));
  return steps.length === 0 ? null : `${JSON.stringify({ kind: 'skill-chain-steps', version: 1, steps }, null, 2)}\n`;
}

/** The edit that pastes a text, and how many dependencies on steps outside of it are dropped. */
export interface Paste {
  readonly edit: ChainEdit;
  readonly dropped: number;
}

/**
 * Reads copied steps. A single step or a list of steps written by hand works too; of a whole chain file its steps are
 * taken. Errors: EDIT_REFUSED when the text holds no steps.
 */
export function readPaste(text: string): Paste {
  const steps = stepsIn(text);
  const ids = new Set(steps.map((step) => step.id));
  const dropped = steps.reduce((sum, step) => sum + (step.depends_on ?? []).filter((id) => !ids.has(id)).length, 0);
  return { edit: { kind: 'paste_steps', steps }, dropped };
}

function stepsIn(text: string): StepDraft[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw noSteps();
  }
  const clip = Clip.safeParse(data);
  if (clip.success) return clip.data.steps;
  const list = z
    .array(StepDraft)
    .min(1)
    .safeParse(Array.isArray(data) ? data : [data]);
  if (list.success) return list.data;
  throw noSteps();
}

function noSteps(): AppError {
  return new AppError('EDIT_REFUSED', {
    reason: 'clipboard',
    detail: 'the clipboard holds no steps',
    'detail:zh-CN': '剪贴板中没有步骤',
  });
}
