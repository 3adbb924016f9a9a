import type { Chain } from '../../../shared/chain/chain.ts';
import type { ChainEdit } from '../../../shared/chain/edit.ts';

/** Names an undo entry in the person's language: a key under `edit.` of the editor's texts, and its values. */
export interface EditLabel {
  readonly key: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** The history keeps labels as text; this is the text. */
export function encodeLabel(label: EditLabel): string {
  return JSON.stringify([label.key, label.params]);
}

export function decodeLabel(text: string): EditLabel {
  const [key, params] = JSON.parse(text) as [string, Record<string, string | number>];
  return { key, params };
}

/** What an edit did, in words: `before` names what it removed, `after` what it added. */
export function labelOfEdit(edit: ChainEdit, before: Chain, after: Chain): EditLabel {
  const name = (id: string): string => {
    const step = before.steps.find((other) => other.id === id) ?? after.steps.find((other) => other.id === id);
    return step === undefined ? id : step.step_name || step.skill_name || id;
  };
  switch (edit.kind) {
    case 'add_step':
      return { key: 'add_step', params: { name: edit.step.step_name || edit.step.skill_name } };
    case 'remove_steps':
      return edit.ids.length === 1
        ? { key: 'remove_step', params: { name: name(edit.ids[0]!) } }
        : { key: 'remove_steps', params: { count: edit.ids.length } };
    case 'update_step': {
      const fields = Object.keys(edit.patch);
      return fields.length === 1
        ? { key: 'update_step', params: { name: name(edit.id), field: fields[0]! } }
        : { key: 'update_step_fields', params: { name: name(edit.id) } };
    }
    case 'connect':
      return { key: 'connect', params: { from: name(edit.from), to: name(edit.to) } };
    case 'disconnect':
      return { key: 'disconnect', params: { from: name(edit.from), to: name(edit.to) } };
    case 'move_step':
      return { key: 'move_step', params: { name: name(edit.id) } };
    case 'duplicate_steps':
      return { key: 'duplicate_steps', params: { count: edit.ids.length } };
    case 'update_chain':
      return { key: 'update_chain', params: {} };
    case 'paste_steps':
      return { key: 'paste_steps', params: { count: edit.steps.length } };
    case 'replace':
      return { key: 'replace', params: {} };
  }
}
