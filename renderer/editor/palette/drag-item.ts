import type { EditorState } from '../state/editor-store.ts';
import type { PaletteItem } from '../state/new-step.ts';

const type = 'application/x-skill-chain-item';

/** Puts a palette item on a drag; other programs get its name as text. */
export function startItemDrag(transfer: DataTransfer, item: PaletteItem): void {
  const name = item.kind === 'skill' ? item.row.name : item.name;
  transfer.setData(type, JSON.stringify({ kind: item.kind, id: item.kind === 'skill' ? item.row.id : '', name }));
  transfer.setData('text/plain', name);
  transfer.effectAllowed = 'copy';
}

/** Whether a drag over the canvas carries a palette item; its content can not be read before the drop. */
export function isItemDrag(transfer: DataTransfer): boolean {
  return transfer.types.includes(type);
}

/** The dropped palette item; null when the drag carried something else or the skill is gone meanwhile. */
export function draggedItem(transfer: DataTransfer, state: Pick<EditorState, 'facts' | 'skills'>): PaletteItem | null {
  const text = transfer.getData(type);
  if (text === '') return null;
  const { kind, id, name } = JSON.parse(text) as { kind: PaletteItem['kind']; id: string; name: string };
  if (kind !== 'skill') return { kind, name };
  const row = state.facts.scan?.rows.find((candidate) => candidate.id === id);
  return row === undefined ? null : { kind: 'skill', row, actions: state.skills.actionsOf(row.name) };
}
