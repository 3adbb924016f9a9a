import type { ChainEdit } from '../../../shared/chain/edit.ts';
import type { AddPlace, EditorStore } from './editor-store.ts';
import { newStepFor, type PaletteItem } from './new-step.ts';

/**
 * Adds what the palette offers, as one undo entry, and chooses the new step. Without a wish for its neighbours (`after`,
 * `before`, `insert`) it stands alone. Returns the new step's id, or null when the edit was refused.
 */
export function addItem(store: EditorStore, item: PaletteItem, place: AddPlace): string | null {
  const { doc, add, select, announce } = store.getState();
  const step = newStepFor(item, doc.chain);
  // With `before` it takes two edits; the group makes them one entry.
  const group = place.before === undefined ? undefined : `add before ${place.before} ${doc.chain.steps.length}`;
  const added = add(addEdit(step, place), {
    ...(place.at === undefined ? {} : { at: place.at }),
    ...(group === undefined ? {} : { group }),
  });
  const id = added[0];
  if (id === undefined) return null;
  if (place.before !== undefined && group !== undefined) {
    store.getState().edit({ kind: 'connect', from: id, to: place.before }, { group });
  }
  select([id], { reveal: true });
  announce('announce.added', { name: step.step_name });
  return id;
}

/** Adds a step behind the chosen one, or behind the last one of the file: what a row of Enter presses means. */
export function addItemInLine(store: EditorStore, item: PaletteItem): string | null {
  const { selection, doc } = store.getState();
  const after = [...selection].at(-1) ?? doc.chain.steps.at(-1)?.id;
  return addItem(store, item, after === undefined ? {} : { after });
}

function addEdit(step: ReturnType<typeof newStepFor>, place: AddPlace): ChainEdit {
  if (place.insert !== undefined) return { kind: 'add_step', step, insert_between: place.insert } as ChainEdit;
  if (place.after !== undefined) return { kind: 'add_step', step, after: place.after } as ChainEdit;
  return { kind: 'add_step', step, depends_on: [] } as ChainEdit;
}
