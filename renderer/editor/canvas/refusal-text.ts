import type { TFunction } from 'i18next';
import type { ConnectRefusal } from '../state/connect-check.ts';
import type { EditorState } from '../state/editor-store.ts';

/** Of a longer loop only the beginning and the end are named. */
const namedAtMost = 6;

/** A refusal in words, the loop by the names of its steps. */
export function refusalText(
  refusal: ConnectRefusal,
  state: { readonly view: Pick<EditorState['view'], 'cards'> },
  t: TFunction<'editor'>,
): string {
  if (refusal.kind !== 'cycle') return t(`connect.${refusal.kind}`);
  const { path } = refusal;
  const half = namedAtMost / 2;
  const shown = path.length <= namedAtMost ? path : [...path.slice(0, half), null, ...path.slice(-half)];
  const nameOf = (id: string) => state.view.cards.get(id)?.name || id;
  return t('connect.cycle', { path: shown.map((id) => (id === null ? '…' : nameOf(id))).join(' → ') });
}
