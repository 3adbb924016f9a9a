import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Command } from '../../stores/commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import type { OpenChain } from '../state/open-chains.ts';
import { AddStepDialog } from './add-step-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { ContextMenu } from './context-menu.tsx';

/** Whatever is open over the editor. */
export function EditorDialogs({ opened, commands }: { opened: OpenChain; commands: () => readonly Command[] }) {
  const store = useEditorStore();
  const dialog = useEditor((state) => state.dialog);
  const conflict = useStore(opened.saver.state, (state) => state.conflict);
  const [later, setLater] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conflict is another question.
  useEffect(() => setLater(false), [conflict]);
  // A menu closes after what was chosen in it has opened the next dialog.
  const close = () => {
    if (store.getState().dialog === dialog) store.getState().setDialog(null);
  };
  return (
    <>
      {dialog?.kind === 'add_step' && <AddStepDialog place={dialog.place} onClose={close} />}
      {dialog?.kind === 'connect' && <ConnectDialog from={dialog.from} direction={dialog.direction} onClose={close} />}
      {dialog?.kind === 'menu' && (
        <ContextMenu x={dialog.x} y={dialog.y} on={dialog.on} commands={commands} onClose={close} />
      )}
      {conflict !== null && !later && <ConflictDialog saver={opened.saver} onClose={() => setLater(true)} />}
    </>
  );
}
