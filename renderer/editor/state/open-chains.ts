import { api } from '../../api/client.ts';
import { createEditorStore, type EditorStore, isDirty } from './editor-store.ts';
import { createSaver, type Saver } from './saver.ts';

export interface OpenChain {
  readonly store: EditorStore;
  readonly saver: Saver;
}

/** Chains that were left with something unsaved, or with something to undo: coming back finds them as they were. */
const kept = new Map<string, OpenChain>();
const keepAtMost = 12;

/** Opens a chain, or gives back the one that was left. Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN, connection errors. */
export async function openChain(name: string): Promise<OpenChain> {
  const known = kept.get(name);
  if (known !== undefined) {
    await known.saver.check();
    if (!known.saver.state.getState().missing) return known;
    closeChain(name);
  }
  const document = await api.chains.get({ name });
  const store = createEditorStore(document);
  const opened = { store, saver: createSaver(store, document) };
  kept.set(name, opened);
  return opened;
}

/** The chain is not on the screen any more. */
export function leaveChain(name: string): void {
  kept.get(name)?.saver.flush();
  for (const [other, { store }] of kept) {
    if (kept.size <= keepAtMost) return;
    if (other !== name && !isDirty(store.getState())) closeChain(other);
  }
}

/** Forgets a chain: renamed, deleted or too old. */
export function closeChain(name: string): void {
  kept.get(name)?.saver.dispose();
  kept.delete(name);
}
