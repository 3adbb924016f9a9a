import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { describe, expect, test } from 'vitest';
import { show } from '../../test/render.tsx';
import { patchStep } from '../state/step-edits.ts';
import { idOf, inEditor, namesOf, openStore, row } from '../test/fixture.tsx';
import { JsonView } from './json-view.tsx';

function open() {
  const store = openStore(row(2));
  const user = show(inEditor(store, <JsonView />));
  const box = screen.getByRole('textbox', { name: 'The chain as JSON' });
  const write = (text: string) => fireEvent.change(box, { target: { value: text } });
  return { store, user, box, write };
}

describe('the text of the chain', () => {
  test('is what a save writes, and follows every edit made elsewhere', () => {
    const { store, box } = open();
    expect(box).toHaveValue(store.getState().text());
    act(() => void store.getState().edit(patchStep(idOf(store, 'Step 1'), { step_name: 'Other' })));
    expect(box).toHaveValue(store.getState().text());
    expect((box as HTMLTextAreaElement).value).toContain('"Other"');
  });

  test('that is a chain is taken over as one edit, and one undo brings everything back', async () => {
    const { store, user, write } = open();
    const before = store.getState().text();
    write(before.replace('"Step 1"', '"One"').replace('"Step 2"', '"Two"'));
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2']);
    await user.click(screen.getByRole('button', { name: 'Take over' }));
    expect(namesOf(store)).toEqual(['One', 'Two']);
    expect(store.getState().history.past).toHaveLength(1);
    store.getState().undo();
    expect(store.getState().text()).toBe(before);
  });

  test('that is broken says the line, offers to go there, and is not taken over', async () => {
    const { store, user, box, write } = open();
    const broken = store.getState().text().replace('"Do Step 1.",', '"Do Step 1."');
    const line = broken.slice(0, broken.indexOf('"Do Step 1."')).split('\n').length + 1;
    write(broken);
    expect(screen.getByRole('alert')).toHaveTextContent('CHAIN_FILE_BROKEN');
    expect(screen.getByRole('button', { name: 'Take over' })).toBeDisabled();
    await user.click(screen.getByRole('button', { name: `Go to line ${line}` }));
    expect(box).toHaveFocus();
    const { selectionStart } = box as HTMLTextAreaElement;
    expect(broken.slice(0, selectionStart).split('\n')).toHaveLength(line);
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2']);
  });

  test('that is JSON but no chain says the field', () => {
    const { write, store } = open();
    write(store.getState().text().replace('"steps": [', '"steps": 7, "x": ['));
    expect(screen.getByRole('alert')).toHaveTextContent('steps');
  });

  test('can be dropped', async () => {
    const { store, user, box, write } = open();
    write('{');
    await user.click(screen.getByRole('button', { name: 'Drop' }));
    expect(box).toHaveValue(store.getState().text());
    expect(screen.queryByRole('alert')).toBeNull();
    expect(store.getState().history.past).toEqual([]);
  });

  test('is taken over by Ctrl+Enter', () => {
    const { store, box, write } = open();
    write(store.getState().text().replace('"Step 1"', '"One"'));
    fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true });
    expect(namesOf(store)).toEqual(['One', 'Step 2']);
  });
});

function inWindow(part: ReactElement): ReactElement {
  return <MantineProvider env="test">{part}</MantineProvider>;
}

function Switching({ shown }: { shown: boolean }) {
  return shown ? <JsonView /> : null;
}

test('a whole text is taken over when another view is chosen; one that is no chain changes nothing', () => {
  const store = openStore(row(1));
  const { rerender } = render(inWindow(inEditor(store, <Switching shown />)));
  const leave = (typed: string) => {
    rerender(inWindow(inEditor(store, <Switching shown />)));
    fireEvent.change(screen.getByRole('textbox'), { target: { value: typed } });
    rerender(inWindow(inEditor(store, <Switching shown={false} />)));
  };
  leave(store.getState().text().replace('"Step 1"', '"One"'));
  expect(namesOf(store)).toEqual(['One']);
  leave('{"broken');
  expect(namesOf(store)).toEqual(['One']);
  expect(store.getState().history.past).toHaveLength(1);
});
