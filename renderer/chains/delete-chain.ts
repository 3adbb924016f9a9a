import i18next from 'i18next';
import { createElement } from 'react';
import { api } from '../api/client.ts';
import { useChains } from '../stores/chains-store.ts';
import { tell } from '../ui/toast.ts';
import { UndoMessage } from './undo-message.tsx';

/** How long the way back is offered; the file stays in the trash folder after that. */
const offeredMs = 12_000;

/** Moves a chain to the trash and offers to put it back. Throws what the call threw. */
export async function deleteChain(name: string): Promise<void> {
  const { trashed } = await api.chains.delete({ name });
  await useChains.getState().refresh();
  const id = `deleted:${trashed}`;
  tell({
    id,
    message: createElement(UndoMessage, {
      name,
      restore: async () => {
        const restored = await api.chains.restore({ trashed });
        await useChains.getState().refresh();
        tell({ id, message: i18next.t('chains:restored', { name: restored.name }) });
      },
    }),
    shownMs: offeredMs,
  });
}
