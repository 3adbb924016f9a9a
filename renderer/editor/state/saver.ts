import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChainDocument } from '../../../shared/api/contract.ts';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import type { AppError } from '../../../shared/errors/app-error.ts';
import { api, readError } from '../../api/client.ts';
import { type EditorStore, isDirty } from './editor-store.ts';
import { type MergeConflict, mergeChains } from './merge-chains.ts';

export interface SaverState {
  readonly saving: boolean;
  /** Why the last save failed; what is on the screen is kept all the same. */
  readonly error: AppError | null;
  /** The file was changed elsewhere where it was changed here too. */
  readonly conflict: { readonly document: ChainDocument; readonly meetings: readonly MergeConflict[] } | null;
  /** What was not saved when the program ended. */
  readonly draft: { readonly text: string; readonly saved_at: string; readonly based_on: string } | null;
  /** The file is gone. */
  readonly missing: boolean;
}

/** Keeps the file, the recovery draft and the layout in step with the editor. */
export interface Saver {
  readonly state: StoreApi<SaverState>;
  /** Writes the chain; true when the file is what is on the screen. On a conflict the person is asked first. */
  save(options?: { force?: boolean }): Promise<boolean>;
  /** Writes what is on the screen as a new file, after the file was removed. */
  recreate(): Promise<boolean>;
  /** Reads the file again and merges what was changed elsewhere. */
  check(): Promise<void>;
  /** Ends a conflict: keep what is on the screen, or show the file. */
  resolve(choice: 'mine' | 'theirs'): Promise<boolean>;
  restoreDraft(): void;
  discardDraft(): Promise<void>;
  saveViewport(viewport: { x: number; y: number; zoom: number }): void;
  viewport(): { x: number; y: number; zoom: number } | null;
  /** Writes now what waits to be written. */
  flush(): void;
  setAutosave(on: boolean): void;
  dispose(): void;
}

export const draftDelayMs = 800;
export const layoutDelayMs = 400;
export const autosaveDelayMs = 1500;
/** So often a save merges and tries again, should somebody else write as fast. */
const mostConflicts = 5;

/** Errors never leave it: they are in its state, with the text on the screen untouched. */
export function createSaver(store: EditorStore, opened: ChainDocument): Saver {
  const state = createStore<SaverState>()(() => ({
    saving: false,
    error: null,
    conflict: null,
    draft: opened.draft,
    missing: false,
  }));
  const { name } = opened;
  let viewport = opened.layout.viewport ?? null;
  let autosave = false;
  let saving: Promise<boolean> | null = null;

  const draft = createDelayed(draftDelayMs, () => {
    const now = store.getState();
    if (!isDirty(now)) return;
    api.chains.saveDraft({ name, text: now.text(), based_on: now.file.revision }).catch(noteError);
  });
  const layout = createDelayed(layoutDelayMs, () => {
    const { positions } = store.getState().doc;
    const saved = { positions, ...(viewport === null ? {} : { viewport }) };
    api.chains.saveLayout({ name, layout: saved }).catch(noteError);
  });
  const auto = createDelayed(autosaveDelayMs, () => {
    if (autosave && isDirty(store.getState()) && state.getState().conflict === null) void save();
  });

  function noteError(thrown: unknown): void {
    state.setState({ error: readError(thrown) });
  }

  const unsubscribe = store.subscribe((now, before) => {
    if (now.doc.positions !== before.doc.positions) layout.start();
    if (now.doc.chain === before.doc.chain && now.file === before.file) return;
    if (isDirty(now)) {
      draft.start();
      if (autosave) auto.start();
    } else if (isDirty(before)) {
      draft.stop();
      auto.stop();
      api.chains.discardDraft({ name }).catch(noteError);
    }
  });

  /** Writes until the file is what is on the screen: what was typed while a write was on its way is written too. */
  async function write(forced: boolean): Promise<boolean> {
    let force = forced;
    let conflicts = 0;
    state.setState({ saving: true, error: null });
    try {
      while (force || isDirty(store.getState())) {
        const now = store.getState();
        const chain = now.doc.chain;
        const text = now.text();
        try {
          const { revision } = await api.chains.save({
            name,
            text,
            base_revision: now.file.revision,
            ...(force ? { force } : {}),
          });
          store.getState().markSaved(text, revision, chain);
          state.setState({ conflict: null, missing: false });
          force = false;
        } catch (thrown) {
          const error = readError(thrown);
          conflicts += 1;
          if (error.code !== 'CONFLICT' || conflicts > mostConflicts) {
            state.setState({ error, ...(error.code === 'CHAIN_NOT_FOUND' ? { missing: true } : {}) });
            return false;
          }
          await check();
          // What was changed elsewhere went into what is on the screen; then it can be written.
          if (state.getState().conflict !== null || state.getState().error !== null) return false;
        }
      }
      return true;
    } finally {
      state.setState({ saving: false });
    }
  }

  function save(options: { force?: boolean } = {}): Promise<boolean> {
    saving ??= write(options.force === true).finally(() => {
      saving = null;
    });
    return saving;
  }

  async function recreate(): Promise<boolean> {
    const now = store.getState();
    const chain = now.doc.chain;
    const text = now.text();
    try {
      const { revision } = await api.chains.create({ name, text });
      store.getState().markSaved(text, revision, chain);
      state.setState({ missing: false, error: null });
      layout.start();
      return true;
    } catch (thrown) {
      noteError(thrown);
      return false;
    }
  }

  async function check(): Promise<void> {
    let document: ChainDocument;
    try {
      document = await api.chains.get({ name });
    } catch (thrown) {
      const error = readError(thrown);
      if (error.code === 'CANCELLED' || error.code === 'NOT_CONNECTED') return;
      state.setState({ error, missing: error.code === 'CHAIN_NOT_FOUND' });
      return;
    }
    const now = store.getState();
    if (document.revision === now.file.revision) {
      state.setState({ missing: false });
      return;
    }
    try {
      if (!isDirty(now)) {
        now.takeOver(document, null);
        now.announce('announce.reloaded');
        state.setState({ conflict: null, missing: false, error: null });
        return;
      }
      const theirs = parseChainFile(document.text, document.file).chain;
      const { chain, conflicts } = mergeChains(now.file.savedChain, now.doc.chain, theirs);
      if (conflicts.length > 0) {
        state.setState({ conflict: { document, meetings: conflicts }, missing: false });
        return;
      }
      now.takeOver(document, chain);
      state.setState({ conflict: null, missing: false, error: null });
    } catch (thrown) {
      noteError(thrown);
    }
  }

  async function resolve(choice: 'mine' | 'theirs'): Promise<boolean> {
    const { conflict } = state.getState();
    if (conflict === null) return true;
    const now = store.getState();
    if (choice === 'theirs') {
      now.takeOver(conflict.document, null);
      state.setState({ conflict: null });
      return true;
    }
    const theirs = parseChainFile(conflict.document.text, conflict.document.file).chain;
    now.takeOver(conflict.document, mergeChains(now.file.savedChain, now.doc.chain, theirs).chain);
    state.setState({ conflict: null });
    return save();
  }

  return {
    state,
    save,
    recreate,
    check,
    resolve,
    restoreDraft: () => {
      const waiting = state.getState().draft;
      if (waiting === null) return;
      try {
        store.getState().replaceText(waiting.text, { key: 'draft', params: {} });
        state.setState({ draft: null });
      } catch (thrown) {
        noteError(thrown);
      }
    },
    discardDraft: async () => {
      state.setState({ draft: null });
      await api.chains.discardDraft({ name }).catch(noteError);
    },
    saveViewport: (moved) => {
      viewport = moved;
      layout.start();
    },
    viewport: () => viewport,
    flush: () => {
      draft.flush();
      layout.flush();
    },
    setAutosave: (on) => {
      autosave = on;
      if (on && isDirty(store.getState())) auto.start();
    },
    dispose: () => {
      draft.flush();
      layout.flush();
      auto.stop();
      unsubscribe();
    },
  };
}

interface Delayed {
  start(): void;
  stop(): void;
  flush(): void;
}

/** Does something a while after the last `start`. */
function createDelayed(delayMs: number, work: () => void): Delayed {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    start: () => {
      stop();
      timer = setTimeout(() => {
        timer = undefined;
        work();
      }, delayMs);
    },
    stop,
    flush: () => {
      if (timer === undefined) return;
      stop();
      work();
    },
  };
}
