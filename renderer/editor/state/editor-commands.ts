import type { TFunction } from 'i18next';
import { toAppError } from '../../../shared/errors/app-error.ts';
import { redoLabel, undoLabel } from '../../../shared/history/history.ts';
import type { Command } from '../../stores/commands.ts';
import type { CanvasPort } from '../canvas/canvas-port.ts';
import { copyText, readPaste } from './clipboard.ts';
import { decodeLabel } from './edit-label.ts';
import { type EditorStore, isDirty } from './editor-store.ts';
import { nextMilestone } from './step-edits.ts';

/** What the commands work on besides the store. */
export interface EditorActions {
  readonly canvas: () => CanvasPort | null;
  readonly save: () => void;
  readonly run: () => void;
  readonly stop: () => void;
  readonly running: () => boolean;
  readonly focusField: (field: string) => void;
  readonly focusPalette: () => void;
  readonly focusRegion: (step: 1 | -1) => void;
}

/** Everything that can be asked of the editor: for the palette, the keys, the menus and the toolbar alike. */
export function editorCommands(store: EditorStore, actions: EditorActions, t: TFunction<'editor'>): Command[] {
  const state = store.getState();
  const { selection, current, doc, selectedLink, mode } = state;
  const chosen = selection.size > 0 ? [...selection] : current === null ? [] : [current];
  const one = chosen.length === 1 ? chosen[0] : undefined;
  const any = chosen.length > 0;
  const steps = doc.chain.steps.length > 0;
  const group = t('command.group');
  const onCanvas = mode === 'canvas';
  const back = undoLabel(state.history);
  const forth = redoLabel(state.history);
  const command = (
    id: string,
    enabled: boolean,
    run: () => void,
    extra: Partial<Pick<Command, 'keys' | 'local' | 'title'>> = {},
  ): Command => ({ id, title: t(`command.${id.replace(/^(chain|editor)\./, '')}`), group, enabled, run, ...extra });

  return [
    command('chain.run', steps && !actions.running(), actions.run, { keys: ['mod+Enter'] }),
    command('editor.stop', actions.running(), actions.stop, { keys: ['mod+Alt+Enter'] }),
    command('editor.save', isDirty(state), actions.save, { keys: ['mod+S'] }),
    command('editor.undo', back !== null, state.undo, {
      keys: ['mod+Z'],
      title: back === null ? t('command.undo') : t('command.undoWhat', { what: labelText(back, t) }),
    }),
    command('editor.redo', forth !== null, state.redo, {
      keys: ['mod+Shift+Z', 'mod+Y'],
      title: forth === null ? t('command.redo') : t('command.redoWhat', { what: labelText(forth, t) }),
    }),
    command('chain.validate', true, () => state.setPanel('problems')),
    command('chain.plan', true, () => state.setPanel('plan')),
    command('editor.canvas', true, () => state.setMode('canvas'), { keys: ['mod+Alt+1'] }),
    command('editor.outline', true, () => state.setMode('outline'), { keys: ['mod+Alt+2'] }),
    command('editor.json', true, () => state.setMode('json'), { keys: ['mod+Alt+3'] }),
    command('editor.find', true, actions.focusPalette, { keys: ['mod+Alt+F'] }),
    command('editor.nextRegion', true, () => actions.focusRegion(1), { keys: ['F6'] }),
    command('editor.previousRegion', true, () => actions.focusRegion(-1), { keys: ['Shift+F6'] }),
    command(
      'editor.addStep',
      true,
      () => {
        const after = [...selection].at(-1);
        const at =
          after === undefined && onCanvas && Object.keys(doc.positions).length > 0
            ? actions.canvas()?.centre()
            : undefined;
        state.setDialog({
          kind: 'add_step',
          place: { ...(after === undefined ? {} : { after }), ...(at === undefined ? {} : { at }) },
        });
      },
      { keys: ['N'], local: true },
    ),
    command(
      'editor.connect',
      one !== undefined,
      () => one && state.setDialog({ kind: 'connect', from: one, direction: 'out' }),
      {
        keys: ['C'],
        local: true,
      },
    ),
    command(
      'editor.connectIn',
      one !== undefined,
      () => one && state.setDialog({ kind: 'connect', from: one, direction: 'in' }),
      {
        keys: ['Shift+C'],
        local: true,
      },
    ),
    command('editor.rename', one !== undefined, () => openField(store, one, () => actions.focusField('step_name')), {
      keys: ['F2'],
      local: true,
    }),
    command('editor.inspect', one !== undefined, () => openField(store, one, () => actions.focusField('first')), {
      keys: ['Enter'],
      local: true,
    }),
    command('editor.milestone', one !== undefined, () => one && state.edit(nextMilestone(state, one)), {
      keys: ['M'],
      local: true,
    }),
    command('editor.selectAll', steps, () => state.select(state.view.ids), { keys: ['mod+A'], local: true }),
    command('editor.duplicate', any, () => duplicate(store, chosen), { keys: ['mod+D'] }),
    command('editor.delete', any || selectedLink !== null, () => remove(store, chosen, true), {
      keys: ['Delete', 'Backspace', 'mod+Delete', 'mod+Backspace'],
      local: true,
    }),
    command('editor.deleteApart', any, () => remove(store, chosen, false), {
      keys: ['Shift+Delete', 'Shift+Backspace'],
      local: true,
    }),
    command('editor.tidy', steps, () => state.tidy(selection.size > 1 ? selection : null), { keys: ['Shift+Alt+T'] }),
    command('editor.earlier', one !== undefined, () => one && shift(store, one, -1), {
      keys: ['Alt+ArrowUp'],
      local: true,
    }),
    command('editor.later', one !== undefined, () => one && shift(store, one, 1), {
      keys: ['Alt+ArrowDown'],
      local: true,
    }),
    command('editor.fit', onCanvas && steps, () => actions.canvas()?.fit(), { keys: ['Shift+1'], local: true }),
    command('editor.fitSelection', onCanvas && any, () => actions.canvas()?.fit(chosen), {
      keys: ['Shift+2'],
      local: true,
    }),
    command('editor.zoomIn', onCanvas, () => actions.canvas()?.zoomBy(1.25), { keys: ['mod+='], local: true }),
    command('editor.zoomOut', onCanvas, () => actions.canvas()?.zoomBy(0.8), { keys: ['mod+-'], local: true }),
    command('editor.zoomReset', onCanvas, () => actions.canvas()?.zoomTo(1), { keys: ['mod+0'], local: true }),
    command('editor.clear', true, () => leaveOneLayer(store), { keys: ['Escape'], local: true }),
  ];
}

/** The words of an undo entry. */
export function labelText(encoded: string, t: TFunction<'editor'>): string {
  const { key, params } = decodeLabel(encoded);
  const field =
    typeof params['field'] === 'string' ? t(`field.${params['field']}`, { defaultValue: params['field'] }) : '';
  return t(`edit.${key}`, { ...params, field });
}

/** Doubles steps beside themselves and chooses the copies. */
export function duplicate(store: EditorStore, ids: readonly string[]): void {
  const { add, select } = store.getState();
  const added = add({ kind: 'duplicate_steps', ids: [...ids] });
  if (added.length > 0) select(added, { reveal: true, focus: hasCanvasFocus() });
}

/** Removes steps, or the chosen wire. What is beside them gets the focus, so that the keyboard never ends up nowhere. */
export function remove(store: EditorStore, ids: readonly string[], bridge: boolean): void {
  const { selectedLink, view, edit, select, announce } = store.getState();
  const link = view.links.find((other) => other.id === selectedLink);
  if (link !== undefined) {
    edit({ kind: 'disconnect', from: link.from, to: link.to });
    return;
  }
  const onCanvas = hasCanvasFocus();
  const last = view.ids.findIndex((id) => ids.includes(id));
  if (!edit({ kind: 'remove_steps', ids: [...ids], bridge })) return;
  const left = store.getState().view.ids;
  const next = left[Math.min(Math.max(0, last), left.length - 1)];
  select([]);
  announce('announce.removed', { count: ids.length });
  if (next === undefined) return;
  store.getState().setCurrent(next);
  if (onCanvas) select([next], { focus: true });
}

function hasCanvasFocus(): boolean {
  return document.activeElement?.closest('[data-editor-region="canvas"]') != null;
}

/** Puts what was copied at the place, or beside what is there. */
export function paste(store: EditorStore, text: string, at?: { x: number; y: number }): void {
  const { add, select, refuse, announce } = store.getState();
  try {
    const { edit, dropped } = readPaste(text);
    const added = add(edit, at === undefined ? {} : { at });
    if (added.length === 0) return;
    select(added, { reveal: true, focus: hasCanvasFocus() });
    announce(dropped > 0 ? 'announce.pastedDropped' : 'announce.pasted', { count: added.length, dropped });
  } catch (thrown) {
    refuse(toAppError(thrown));
  }
}

/** The text of the chosen steps; with `cut` they are removed. Null when nothing is chosen. */
export function copy(store: EditorStore, cut: boolean): string | null {
  const text = copyText(store.getState());
  if (text === null) return null;
  const count = store.getState().selection.size;
  if (cut) remove(store, [...store.getState().selection], true);
  store.getState().announce(cut ? 'announce.cut' : 'announce.copied', { count });
  return text;
}

/** Moves a step in the order of the file; what it depends on stays. */
export function shift(store: EditorStore, id: string, by: number): void {
  const { doc, edit, announce } = store.getState();
  const index = doc.chain.steps.findIndex((step) => step.id === id);
  const to = index + by;
  if (index < 0 || to < 0 || to >= doc.chain.steps.length) return;
  if (edit({ kind: 'move_step', id, to_index: to })) announce('announce.moved', { number: to + 1 });
}

function openField(store: EditorStore, id: string | undefined, focus: () => void): void {
  if (id === undefined) return;
  store.getState().select([id]);
  requestAnimationFrame(focus);
}

/** One layer for each Escape: dialog, wire, notice, choice. */
function leaveOneLayer(store: EditorStore): void {
  const state = store.getState();
  if (state.refusal !== null) state.clearRefusal();
  else if (state.selectedLink !== null) state.selectLink(null);
  else if (state.selection.size > 0) {
    const { current } = state;
    state.select([]);
    state.setCurrent(current);
  } else if (state.panel !== null) state.setPanel(null);
}
