import { useEffect } from 'react';
import { copy, paste } from './state/editor-commands.ts';
import type { EditorStore } from './state/editor-store.ts';

/**
 * Copy, cut and paste of steps through the clipboard of the system, so that they travel between windows and programs.
 * In a field, and where text is marked, they stay what they are.
 */
export function useClipboard(store: EditorStore, root: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const mine = (): boolean => {
      const active = document.activeElement;
      if (active instanceof HTMLElement && (active.isContentEditable || active.matches('input, textarea, select')))
        return false;
      if (document.querySelector('[role="dialog"]') !== null) return false;
      return active === null || active === document.body || root.current?.contains(active) === true;
    };
    const onCopy = (event: ClipboardEvent) => {
      if (!mine() || window.getSelection()?.isCollapsed === false) return;
      const text = copy(store, event.type === 'cut');
      if (text === null) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!mine() || text.trim() === '') return;
      event.preventDefault();
      paste(store, text);
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [store, root]);
}
