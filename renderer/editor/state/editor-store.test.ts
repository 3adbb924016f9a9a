import i18next from 'i18next';
import { describe, expect, test } from 'vitest';
import { redoLabel, undoLabel } from '../../../shared/history/history.ts';
import { aDocument, chainText, idOf, linksOf, namesOf, openStore, row } from '../test/fixture.tsx';
import { addItem, addItemInLine } from './add-item.ts';
import { duplicate, labelText, paste, remove, shift } from './editor-commands.ts';
import { createEditorStore, type EditorStore, isDirty, stepOf } from './editor-store.ts';
import { nextMilestone, patchInside, patchStep } from './step-edits.ts';

const manual = { kind: 'manual', name: 'Ask' } as const;
const words = i18next.getFixedT('en', 'editor');

function undoWords(store: EditorStore): string | null {
  const label = undoLabel(store.getState().history);
  return label === null ? null : labelText(label, words);
}

describe('undo and redo', () => {
  /** One of every kind of edit, and then some. */
  function twentyEdits(store: EditorStore): (() => unknown)[] {
    const edit = (change: Parameters<ReturnType<EditorStore['getState']>['edit']>[0]) => store.getState().edit(change);
    const id = (name: string) => idOf(store, name);
    return [
      () => addItem(store, manual, {}),
      () => edit({ kind: 'connect', from: id('Step 2'), to: id('Ask') }),
      () => edit({ kind: 'disconnect', from: id('Step 1'), to: id('Step 2') }),
      () => edit(patchStep(id('Step 1'), { step_name: 'Begin' })),
      () => edit(patchStep(id('Begin'), { condition: 'x > 1' })),
      () => edit(patchStep(id('Begin'), { timeout_seconds: 30 })),
      () => edit(nextMilestone(store.getState(), id('Begin'))),
      () => edit(patchInside(stepOf(store.getState(), id('Begin'))!, 'retry_policy', { max_retries: 2 })),
      () => edit(patchInside(stepOf(store.getState(), id('Begin'))!, 'failure_mode', { on_exhaust: 'skip' })),
      () => shift(store, id('Ask'), -1),
      () => store.getState().moveSteps({ [id('Ask')]: { x: 800, y: 400 } }),
      () => store.getState().tidy(null),
      () => duplicate(store, [id('Begin'), id('Step 2')]),
      () => remove(store, [id('Step 2')], true),
      () => addItem(store, { kind: 'agent', name: 'Think' }, { after: id('Begin') }),
      () => addItem(store, manual, { insert: { from: id('Begin'), to: id('Think') } }),
      () => edit({ kind: 'update_chain', patch: { tags: ['a', 'b'] } }),
      () =>
        store.getState().replaceText(store.getState().text().replace('"a",', '"z",'), { key: 'replace', params: {} }),
      () => paste(store, JSON.stringify({ skill_name: '', step_name: 'Pasted', action: 'x' }), { x: 0, y: 900 }),
      () => remove(store, [id('Pasted')], false),
    ];
  }

  test('twenty edits undone one by one and redone give every chain, every place and every text again', () => {
    const store = openStore(row(3));
    const start = store.getState();
    const startText = start.text();
    const states = [{ doc: start.doc, text: startText, placed: start.placed }];
    const labels: (string | null)[] = [];
    const edits = twentyEdits(store);
    expect(edits).toHaveLength(20);
    for (const make of edits) {
      const before = store.getState().history.past.length;
      make();
      const now = store.getState();
      expect(now.refusal).toBeNull();
      expect(now.history.past).toHaveLength(before + 1);
      states.push({ doc: now.doc, text: now.text(), placed: now.placed });
      labels.push(undoLabel(now.history));
    }
    for (let at = edits.length - 1; at >= 0; at--) {
      expect(undoLabel(store.getState().history)).toBe(labels[at]);
      store.getState().undo();
      const now = store.getState();
      expect({ doc: now.doc, text: now.text(), placed: now.placed }).toEqual(states[at]);
      expect(redoLabel(now.history)).toBe(labels[at]);
    }
    expect(store.getState().text()).toBe(startText);
    expect(isDirty(store.getState())).toBe(false);
    for (let at = 1; at <= edits.length; at++) {
      store.getState().redo();
      const now = store.getState();
      expect({ doc: now.doc, text: now.text(), placed: now.placed }).toEqual(states[at]);
    }
    expect(redoLabel(store.getState().history)).toBeNull();
  });

  test('name what they take back, by the names of the steps', () => {
    const store = openStore(row(2));
    const [one, two] = [idOf(store, 'Step 1'), idOf(store, 'Step 2')];
    store.getState().edit({ kind: 'disconnect', from: one, to: two });
    expect(undoWords(store)).toBe('unlink "Step 1" → "Step 2"');
    store.getState().edit({ kind: 'connect', from: one, to: two });
    expect(undoWords(store)).toBe('link "Step 1" → "Step 2"');
    store.getState().edit(patchStep(two, { condition: 'true' }));
    expect(undoWords(store)).toBe('Condition of "Step 2"');
    remove(store, [one], true);
    expect(undoWords(store)).toBe('delete "Step 1"');
    store.getState().undo();
    remove(store, [one, two], true);
    expect(undoWords(store)).toBe('delete 2 steps');
    store.getState().undo();
    store.getState().moveSteps({ [one]: { x: 1, y: 2 } });
    expect(undoWords(store)).toBe('move 1 step');
  });

  test('edits of one group are one entry; another group begins the next one', () => {
    const store = openStore(row(1));
    const id = idOf(store, 'Step 1');
    for (const text of ['N', 'Ne', 'New'])
      store.getState().edit(patchStep(id, { step_name: text }), { group: 'typing' });
    store.getState().edit(patchStep(id, { step_name: 'Newer' }), { group: 'typing again' });
    store.getState().undo();
    expect(namesOf(store)).toEqual(['New']);
    store.getState().undo();
    expect(namesOf(store)).toEqual(['Step 1']);
    expect(undoWords(store)).toBeNull();
  });

  test('leave the choice, the view and the shown run alone', () => {
    const store = openStore(row(2));
    const id = idOf(store, 'Step 2');
    store.getState().edit(patchStep(id, { notes: 'x' }));
    store.getState().select([id]);
    store.getState().showRun('r-1');
    store.getState().setMode('outline');
    store.getState().undo();
    const { selection, runId, mode } = store.getState();
    expect({ selection: [...selection], runId, mode }).toEqual({ selection: [id], runId: 'r-1', mode: 'outline' });
  });

  test('a chosen step that is undone away is chosen no longer', () => {
    const store = openStore(row(1));
    const id = addItem(store, manual, {});
    expect([...store.getState().selection]).toEqual([id]);
    store.getState().undo();
    expect(store.getState().selection.size).toBe(0);
    expect(store.getState().current).toBe(idOf(store, 'Step 1'));
  });
});

describe('an edit', () => {
  test('that is refused changes nothing, makes no entry, and says why', () => {
    const store = openStore(row(2));
    const before = store.getState().doc;
    const made = store.getState().edit({ kind: 'connect', from: idOf(store, 'Step 2'), to: idOf(store, 'Step 1') });
    expect(made).toBe(false);
    expect(store.getState().doc).toBe(before);
    expect(store.getState().history.past).toEqual([]);
    expect(store.getState().refusal?.code).toBe('CHAIN_CYCLE');
    store.getState().edit(patchStep(idOf(store, 'Step 1'), { notes: 'x' }));
    expect(store.getState().refusal).toBeNull();
  });

  test('that changes nothing makes no entry', () => {
    const store = openStore(row(2));
    const id = idOf(store, 'Step 1');
    expect(store.getState().edit(patchStep(id, { step_name: 'Step 1' }))).toBe(true);
    expect(store.getState().edit({ kind: 'connect', from: id, to: idOf(store, 'Step 2') })).toBe(false);
    expect(store.getState().history.past).toEqual([]);
    expect(isDirty(store.getState())).toBe(false);
  });

  test('of one step gives only its card anew; all other parts of the view are the same objects', () => {
    const store = openStore(row(5));
    const before = store.getState();
    const id = idOf(store, 'Step 3');
    store.getState().edit(patchStep(id, { step_name: 'Other' }));
    const after = store.getState();
    const changed = after.view.ids.filter((other) => after.view.cards.get(other) !== before.view.cards.get(other));
    expect(changed).toEqual([id]);
    expect(after.view.ids).toBe(before.view.ids);
    expect(after.view.links).toBe(before.view.links);
    expect(after.placed).toBe(before.placed);
  });

  test('that goes back to the saved chain by undo leaves nothing to save', () => {
    const store = openStore(row(2));
    store.getState().edit(patchStep(idOf(store, 'Step 1'), { notes: 'x' }));
    expect(isDirty(store.getState())).toBe(true);
    store.getState().undo();
    expect(isDirty(store.getState())).toBe(false);
  });
});

describe('adding', () => {
  test('between two linked steps takes the place of their link', () => {
    const store = openStore(row(2));
    addItem(store, manual, { insert: { from: idOf(store, 'Step 1'), to: idOf(store, 'Step 2') } });
    expect(linksOf(store)).toEqual(['Step 1 -> Ask', 'Ask -> Step 2']);
  });

  test('before a step links the new one to it, as one entry', () => {
    const store = openStore(row(1));
    addItem(store, manual, { before: idOf(store, 'Step 1'), at: { x: -300, y: 0 } });
    expect(linksOf(store)).toEqual(['Ask -> Step 1']);
    store.getState().undo();
    expect(namesOf(store)).toEqual(['Step 1']);
  });

  test('by Enter goes on behind the chosen step, else behind the last one', () => {
    const store = openStore(row(2));
    addItemInLine(store, manual);
    addItemInLine(store, manual);
    expect(linksOf(store)).toEqual(['Step 1 -> Step 2', 'Step 2 -> Ask', 'Ask -> Ask 2']);
    store.getState().select([idOf(store, 'Step 1')]);
    addItemInLine(store, { kind: 'agent', name: 'Think' });
    expect(linksOf(store)).toContain('Step 1 -> Think');
  });

  test('at a place puts the card there and leaves every other where it was seen', () => {
    const store = openStore(row(3));
    const before = store.getState().placed;
    const id = addItem(store, manual, { at: { x: 403, y: 598 } });
    const { placed } = store.getState();
    expect(placed[id!]).toEqual({ x: 400, y: 600 });
    for (const [other, point] of Object.entries(before)) expect(placed[other]).toEqual(point);
  });
});

describe('removing', () => {
  test('bridges the gap, or leaves it', () => {
    const store = openStore(row(3));
    remove(store, [idOf(store, 'Step 2')], true);
    expect(linksOf(store)).toEqual(['Step 1 -> Step 3']);
    store.getState().undo();
    remove(store, [idOf(store, 'Step 2')], false);
    expect(linksOf(store)).toEqual([]);
  });

  test('takes the chosen wire when one is chosen, and no step', () => {
    const store = openStore(row(2));
    store.getState().selectLink(store.getState().view.links[0]!.id);
    remove(store, [idOf(store, 'Step 1')], true);
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2']);
    expect(linksOf(store)).toEqual([]);
  });

  test('makes what stands at its place the current step', () => {
    const store = openStore(row(3));
    remove(store, [idOf(store, 'Step 2')], true);
    expect(store.getState().current).toBe(idOf(store, 'Step 3'));
    remove(store, [idOf(store, 'Step 3')], true);
    expect(store.getState().current).toBe(idOf(store, 'Step 1'));
    remove(store, [idOf(store, 'Step 1')], true);
    expect(store.getState().current).toBeNull();
  });
});

describe('the file', () => {
  const text = `\uFEFF${chainText(row(2), { own_field: { kept: [1, 2] } }).replaceAll('\n', '\r\n')}`;

  test('is written byte for byte as it was while nothing was edited', () => {
    expect(createEditorStore(aDocument(text)).getState().text()).toBe(text);
  });

  test('changes only where an edit says so', () => {
    const store = createEditorStore(aDocument(text));
    store.getState().edit(patchStep(idOf(store, 'Step 1'), { action: 'Other' }));
    expect(store.getState().text()).toBe(text.replace('"Do Step 1."', '"Other"'));
  });

  test('that is no chain is not opened at all', () => {
    expect(() => createEditorStore(aDocument('{"name": "x", "steps": ['))).toThrow(
      expect.objectContaining({ code: 'CHAIN_FILE_BROKEN' }),
    );
  });

  test('counters that a run wrote are taken over without an entry and survive an undo', () => {
    const store = createEditorStore(aDocument(chainText(row(1), { exec_count: 1 })));
    store.getState().edit(patchStep(idOf(store, 'Step 1'), { notes: 'mine' }));
    const theirs = aDocument(chainText(row(1), { exec_count: 2 }), { revision: 'b'.repeat(64) });
    store.getState().takeOver(theirs, null);
    expect(store.getState().history.past).toHaveLength(1);
    expect(store.getState().doc.chain).toMatchObject({ exec_count: 2, steps: [{ notes: 'mine' }] });
    store.getState().undo();
    expect(store.getState().doc.chain.exec_count).toBe(2);
    expect(isDirty(store.getState())).toBe(false);
    expect(store.getState().text()).toBe(theirs.text);
  });
});
