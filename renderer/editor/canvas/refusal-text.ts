import type { TFunction } from 'i18next';
import type { ConnectRefusal } from '../state/connect-check.ts';
import { type EditorState, stepOf } from '../state/editor-store.ts';

/** A refusal in words, the loop by the names of its steps. */
export function refusalText(refusal: ConnectRefusal, state: Pick<EditorState, 'doc'>, t: TFunction<'editor'>): string {
  if (refusal.kind !== 'cycle') return t(`connect.${refusal.kind}`);
  const path = refusal.path.map((id) => stepOf(state, id)?.step_name ?? id).join(' → ');
  return t('connect.cycle', { path });
}
