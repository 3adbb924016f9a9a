import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { invariant } from '../../../shared/errors/invariant.ts';
import type { EditorState, EditorStore } from './editor-store.ts';

export const EditorContext = createContext<EditorStore | null>(null);

/** The store of the open chain; for reading at the moment of an event, without drawing again. */
export function useEditorStore(): EditorStore {
  const store = use(EditorContext);
  invariant(store !== null, 'the editor store is used outside of an editor');
  return store;
}

/** A part of the open chain's state; draws again only when that part changes. */
export function useEditor<T>(select: (state: EditorState) => T): T {
  return useStore(useEditorStore(), select);
}
