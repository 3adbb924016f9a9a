import { act, screen, waitFor, within } from '@testing-library/react';
import i18next from 'i18next';
import { beforeEach, describe, expect, test } from 'vitest';
import { giveSizes } from '../../test/layout.ts';
import { show } from '../../test/render.tsx';
import { startServices } from '../../test/services.ts';
import { aScan, aSkill } from '../../test/things.ts';
import { editorCommands } from '../state/editor-commands.ts';
import type { EditorDialog, EditorStore } from '../state/editor-store.ts';
import type { MergeConflict } from '../state/merge-chains.ts';
import type { OpenChain } from '../state/open-chains.ts';
import { createSaver } from '../state/saver.ts';
import {
  aDocument,
  chainText,
  type FileStep,
  idOf,
  inEditor,
  linksOf,
  namesOf,
  openStore,
  row,
} from '../test/fixture.tsx';
import { EditorDialogs } from './editor-dialogs.tsx';

beforeEach(() => giveSizes(400, 400));

const scan = aScan([
  aSkill('audit', { description: 'Looks for mistakes.' }),
  aSkill('words', { scripts: ['scripts/main.py'] }),
  aSkill('gone', { state: 'broken' }),
]);
const nothing = () => undefined;

function open(dialog: (store: EditorStore) => EditorDialog | null, steps: readonly FileStep[] = row(2)) {
  startServices({ chains: { saveDraft: () => ({}), discardDraft: () => ({}), saveLayout: () => ({}) } });
  const store = openStore(steps, { scan, actions: [] });
  const opened: OpenChain = { store, saver: createSaver(store, aDocument(chainText(steps))) };
  store.getState().setDialog(dialog(store));
  const commands = () =>
    editorCommands(
      store,
      {
        canvas: () => null,
        save: nothing,
        run: nothing,
        stop: nothing,
        running: () => false,
        focusField: nothing,
        focusPalette: nothing,
        focusRegion: nothing,
      },
      i18next.getFixedT('en', 'editor'),
    );
  const user = show(inEditor(store, <EditorDialogs opened={opened} commands={commands} />));
  return { store, user, opened };
}

describe('adding a step', () => {
  test('searches names and descriptions, the arrows choose, Enter adds where the dialog was opened for', async () => {
    const { store, user } = open((opened) => ({
      kind: 'add_step',
      place: { insert: { from: idOf(opened, 'Step 1'), to: idOf(opened, 'Step 2') } },
    }));
    const dialog = await screen.findByRole('dialog', { name: 'Insert a step between "Step 1" and "Step 2"' });
    const field = within(dialog).getByRole('combobox', { name: 'Search skills' });
    await waitFor(() => expect(field).toHaveFocus());
    await user.keyboard('mistakes');
    expect(within(dialog).getAllByRole('option')).toHaveLength(1);
    await user.clear(field);
    await user.keyboard('{ArrowDown}{ArrowDown}');
    const active = document.getElementById(field.getAttribute('aria-activedescendant')!);
    expect(active).toHaveTextContent('audit');
    expect(active).toHaveAttribute('aria-selected', 'true');
    await user.keyboard('{Enter}');
    expect(linksOf(store)).toEqual(['Step 1 -> audit', 'audit -> Step 2']);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('does not offer what can not be used, and says when nothing is found', async () => {
    const { user } = open(() => ({ kind: 'add_step', place: {} }));
    await screen.findByRole('dialog');
    expect(screen.queryByRole('option', { name: /gone/ })).toBeNull();
    await user.keyboard('nothing like it{Enter}');
    expect(screen.getByRole('dialog')).toHaveTextContent('No skill has "nothing like it" in its name or description.');
  });

  test('is given up by Escape, and nothing changes', async () => {
    const { store, user } = open(() => ({ kind: 'add_step', place: {} }));
    await screen.findByRole('dialog');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2']);
  });
});

describe('linking', () => {
  test('a step that would close a loop stands last, is off, and says which loop', async () => {
    const { store, user } = open(
      (opened) => ({ kind: 'connect', from: idOf(opened, 'Step 2'), direction: 'out' }),
      [...row(2), { step_name: 'Alone' }],
    );
    const options = within(await screen.findByRole('dialog')).getAllByRole('option');
    expect(options[0]).toHaveTextContent('3 Alone');
    expect(options[1]).toHaveTextContent('This would close a loop: Step 2 → Step 1 → Step 2');
    await user.click(options[1]!);
    expect(linksOf(store)).toEqual(['Step 1 -> Step 2']);
    await user.click(options[0]!);
    expect(linksOf(store)).toEqual(['Step 1 -> Step 2', 'Step 2 -> Alone']);
    expect(store.getState().announcement).toMatchObject({ key: 'announce.connected' });
  });

  test('can be asked the other way around', async () => {
    const { store, user } = open(
      (opened) => ({ kind: 'connect', from: idOf(opened, 'Step 1'), direction: 'in' }),
      [...row(1), { step_name: 'First' }],
    );
    await screen.findByRole('dialog', { name: 'Which step does "Step 1" wait for?' });
    await user.keyboard('first{Enter}');
    expect(linksOf(store)).toEqual(['First -> Step 1']);
  });

  test('names of a long loop only its beginning and its end', async () => {
    open((opened) => ({ kind: 'connect', from: idOf(opened, 'Step 9'), direction: 'out' }), row(9));
    const option = await screen.findByRole('option', { name: /^1 Step 1/ });
    expect(option).toHaveTextContent('Step 9 → Step 1 → Step 2 → … → Step 7 → Step 8 → Step 9');
  });
});

describe('the menu', () => {
  test('of a step carries out its commands', async () => {
    const { store, user } = open((opened) => {
      const id = idOf(opened, 'Step 1');
      opened.getState().select([id]);
      return { kind: 'menu', x: 10, y: 10, on: { kind: 'step', id } };
    });
    await user.click(await screen.findByRole('menuitem', { name: /^Delete, and bridge the gap/ }));
    expect(namesOf(store)).toEqual(['Step 2']);
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  });

  test('of a wire inserts or removes', async () => {
    const { store, user } = open((opened) => ({
      kind: 'menu',
      x: 10,
      y: 10,
      on: { kind: 'link', id: opened.getState().view.links[0]!.id },
    }));
    await user.click(await screen.findByRole('menuitem', { name: 'Remove this link' }));
    expect(linksOf(store)).toEqual([]);
  });

  test('of the canvas adds a step there', async () => {
    const { user } = open(() => ({ kind: 'menu', x: 10, y: 10, on: { kind: 'canvas', at: { x: 80, y: 80 } } }));
    await user.click(await screen.findByRole('menuitem', { name: 'Add a step' }));
    await screen.findByRole('dialog', { name: 'Add a step' });
  });
});

describe('a conflict', () => {
  const meetings: readonly MergeConflict[] = [
    { step: { id: 'step_1', name: 'Step 1' }, field: 'notes', mine: 'here', theirs: undefined },
    { step: { id: 'step_2', name: 'Step 2' }, field: 'removed', mine: null, theirs: {} },
    { step: null, field: 'order', mine: ['a', 'b'], theirs: ['b', 'a'] },
  ];

  test('shows both sides place by place; closing decides nothing', async () => {
    const { user, opened } = open(() => null);
    act(() => opened.saver.state.setState({ conflict: { document: aDocument(chainText(row(1))), meetings } }));
    const table = within(await screen.findByRole('dialog')).getByRole('table');
    const rows = within(table)
      .getAllByRole('row')
      .slice(1)
      .map((one) => [...one.children].map((cell) => cell.textContent).join('|'));
    expect(rows).toEqual([
      'Step 1Notes|here|not set',
      'Step 2Removed or changed|removed|changed',
      'ChainOrder of the steps|a → b|b → a',
    ]);
    await user.click(screen.getByRole('button', { name: 'Decide later' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(opened.saver.state.getState().conflict).not.toBeNull();
  });

  test('is ended by taking the file', async () => {
    const { user, opened, store } = open(() => null);
    const document = aDocument(chainText([{ step_name: 'Theirs' }]), { revision: 'b'.repeat(64) });
    act(() => opened.saver.state.setState({ conflict: { document, meetings } }));
    await user.click(await screen.findByRole('button', { name: 'Take the file' }));
    expect(namesOf(store)).toEqual(['Theirs']);
    expect(opened.saver.state.getState().conflict).toBeNull();
  });
});
