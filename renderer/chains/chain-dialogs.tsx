import { create } from 'zustand';
import type { ChainSummary } from '../../shared/api/contract.ts';
import { ImportDialog } from './import-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import { PickDialog } from './pick-dialog.tsx';

type Dialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'import'; readonly files: readonly File[] }
  | { readonly kind: 'rename'; readonly chain: ChainSummary }
  | { readonly kind: 'duplicate'; readonly chain: ChainSummary }
  | { readonly kind: 'pick'; readonly onPick: (name: string) => void };

const useDialog = create<{ dialog: Dialog | null }>(() => ({ dialog: null }));
const open = (dialog: Dialog | null) => useDialog.setState({ dialog });

/** Opens the dialogs about chains from anywhere in the window. */
export const chainDialogs = {
  create: () => open({ kind: 'create' }),
  import: () => open({ kind: 'import', files: [] }),
  importFiles: (files: readonly File[]) => open({ kind: 'import', files }),
  rename: (chain: ChainSummary) => open({ kind: 'rename', chain }),
  duplicate: (chain: ChainSummary) => open({ kind: 'duplicate', chain }),
  pick: (onPick: (name: string) => void) => open({ kind: 'pick', onPick }),
};

/** The one dialog about chains that is open; mounted once. */
export function ChainDialogs() {
  const dialog = useDialog((state) => state.dialog);
  const close = () => open(null);
  if (dialog === null) return null;
  switch (dialog.kind) {
    case 'import':
      return <ImportDialog files={dialog.files} onClose={close} />;
    case 'pick':
      return <PickDialog onPick={dialog.onPick} onClose={close} />;
    case 'create':
      return <NameDialog kind="create" chain={null} onClose={close} />;
    default:
      return <NameDialog kind={dialog.kind} chain={dialog.chain} onClose={close} />;
  }
}
