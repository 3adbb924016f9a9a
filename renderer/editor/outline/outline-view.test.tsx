import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { giveSizes } from '../../test/layout.ts';
import { show } from '../../test/render.tsx';
import { startServices } from '../../test/services.ts';
import { EditorDialogs } from '../dialogs/editor-dialogs.tsx';
import type { OpenChain } from '../state/open-chains.ts';
import { createSaver } from '../state/saver.ts';
import { aDocument, chainText, idOf, inEditor, linksOf, namesOf, openStore, row } from '../test/fixture.tsx';
import { OutlineView } from './outline-view.tsx';

beforeEach(() => giveSizes(1000, 700));

function open(count: number) {
  startServices({ chains: { saveDraft: () => ({}), discardDraft: () => ({}), saveLayout: () => ({}) } });
  const store = openStore(row(count));
  const opened: OpenChain = { store, saver: createSaver(store, aDocument(chainText(row(count)))) };
  const user = show(
    inEditor(
      store,
      <>
        <OutlineView />
        <EditorDialogs opened={opened} commands={() => []} />
      </>,
    ),
  );
  return { store, user };
}

/** Tab until the focus is on what is called so; a table that can not be left or reached by Tab fails here. */
async function tabTo(user: ReturnType<typeof show>, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const { activeElement } = document;
    if (activeElement?.getAttribute('aria-label') === name || activeElement?.textContent === name) return;
    await user.tab();
  }
  throw new Error(`Tab never came to "${name}".`);
}

describe('by the keyboard alone', () => {
  test('a step is added, named, linked, moved and deleted', async () => {
    const { store, user } = open(1);
    await tabTo(user, 'Add a step');
    await user.keyboard('{Enter}');
    await screen.findByRole('dialog', { name: 'Add a step after "Step 1"' });
    await user.keyboard('person{Enter}');
    expect(namesOf(store)).toEqual(['Step 1', 'A person does it']);
    expect(linksOf(store)).toEqual(['Step 1 -> A person does it']);

    await tabTo(user, 'Name of step 2');
    await user.keyboard('{Control>}a{/Control}Look');
    expect(namesOf(store)).toEqual(['Step 1', 'Look']);

    await tabTo(user, 'Move "Look" up');
    await user.keyboard('{Enter}');
    expect(namesOf(store)).toEqual(['Look', 'Step 1']);

    await tabTo(user, 'Delete "Look"');
    await user.keyboard('{Enter}');
    expect(namesOf(store)).toEqual(['Step 1']);
    while (store.getState().history.past.length > 0) store.getState().undo();
    expect(namesOf(store)).toEqual(['Step 1']);
  });

  test('two steps are linked by the list of those that may wait; the others are off and say why', async () => {
    const { store, user } = open(3);
    await tabTo(user, 'Link "Step 1" to another step');
    await user.keyboard('{Enter}');
    const dialog = await screen.findByRole('dialog', { name: 'Which step waits for "Step 1"?' });
    const options = within(dialog).getAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(['3 Step 3', '2 Step 2These two are linked already.']);
    expect(options[1]).toHaveAttribute('aria-disabled', 'true');
    await user.keyboard('{Enter}');
    expect(linksOf(store)).toContain('Step 1 -> Step 3');
  });

  test('the arrows go to the same field of the next step', async () => {
    const { user } = open(3);
    await tabTo(user, 'Name of step 1');
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('textbox', { name: 'Name of step 2' })).toHaveFocus();
    await user.keyboard('{ArrowUp}');
    expect(screen.getByRole('textbox', { name: 'Name of step 1' })).toHaveFocus();
  });

  test('what a step waits for is chosen from a list; Escape goes back to where it was opened', async () => {
    const { store, user } = open(3);
    const name = /^What "Step 3" waits for/;
    screen.getByRole('button', { name }).focus();
    await user.keyboard('{Enter}');
    const list = await screen.findByRole('combobox', { name });
    expect(list).toHaveFocus();
    await user.click(await screen.findByRole('option', { name: '1 Step 1' }));
    expect(linksOf(store)).toContain('Step 1 -> Step 3');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: /"Step 3" waits for:\s*2, 1/ })).toHaveFocus());
  });
});

test('every field of the table edits the chain: skill, condition, what happens on failure, milestone', async () => {
  const { store, user } = open(1);
  const step = () => store.getState().doc.chain.steps[0]!;
  await user.type(screen.getByRole('textbox', { name: 'Skill of "Step 1"' }), 'words');
  await user.type(screen.getByRole('textbox', { name: 'Condition of "Step 1"' }), 'x');
  await user.selectOptions(screen.getByRole('combobox', { name: 'After the last try of "Step 1"' }), 'skip');
  await user.click(screen.getByRole('button', { name: /^(No m|M)ilestone/ }));
  expect(step()).toMatchObject({
    skill_name: 'words',
    condition: 'x',
    failure_mode: { on_exhaust: 'skip', is_milestone: true },
  });
  expect(store.getState().history.past).toHaveLength(4);
});

test('of a thousand steps only those in sight are drawn, and the count is right all the same', () => {
  const { store } = open(1000);
  expect(screen.getByRole('table', { name: 'Steps of the chain' })).toHaveAttribute('aria-rowcount', '1001');
  expect(document.querySelectorAll('[data-outline-id]').length).toBeLessThan(100);
  expect(document.querySelector('[data-outline-id]')).toHaveAttribute('data-outline-id', idOf(store, 'Step 1'));
});

test('everything that can be used has a name', () => {
  open(3);
  for (const role of ['button', 'textbox', 'combobox'] as const) {
    for (const element of screen.getAllByRole(role)) expect(element).toHaveAccessibleName();
  }
});
