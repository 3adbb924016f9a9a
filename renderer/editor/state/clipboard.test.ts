import { describe, expect, test } from 'vitest';
import { chainText, idOf, linksOf, namesOf, openStore, row } from '../test/fixture.tsx';
import { copyText, readPaste } from './clipboard.ts';
import { copy, duplicate, paste } from './editor-commands.ts';

function copied(names: readonly string[]): string {
  const store = openStore(row(3));
  store.getState().select(names.map((name) => idOf(store, name)));
  return copyText(store.getState())!;
}

describe('copying', () => {
  test('gives plain JSON text of the chosen steps, in the order of the file', () => {
    const text = copied(['Step 3', 'Step 1']);
    const { kind, steps } = JSON.parse(text) as { kind: string; steps: { step_name: string }[] };
    expect(kind).toBe('skill-chain-steps');
    expect(steps.map((step) => step.step_name)).toEqual(['Step 1', 'Step 3']);
  });

  test('gives nothing when nothing is chosen', () => {
    expect(copyText(openStore(row(2)).getState())).toBeNull();
  });

  test('with cut takes the steps away and bridges the gap', () => {
    const store = openStore(row(3));
    store.getState().select([idOf(store, 'Step 2')]);
    expect(copy(store, true)).toContain('Step 2');
    expect(linksOf(store)).toEqual(['Step 1 -> Step 3']);
    store.getState().undo();
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2', 'Step 3']);
  });
});

describe('pasting', () => {
  test('into another chain keeps the links among the steps and says how many others were left out', () => {
    const store = openStore([{ step_name: 'Here' }]);
    paste(store, copied(['Step 2', 'Step 3']));
    expect(namesOf(store)).toEqual(['Here', 'Step 2', 'Step 3']);
    expect(linksOf(store)).toEqual(['Step 2 -> Step 3']);
    expect(store.getState().announcement).toMatchObject({
      key: 'announce.pastedDropped',
      params: { count: 2, dropped: 1 },
    });
    expect([...store.getState().selection]).toHaveLength(2);
  });

  test('into the same chain gives new ids, and is one entry', () => {
    const store = openStore(row(3));
    store.getState().select(store.getState().view.ids);
    paste(store, copyText(store.getState())!);
    expect(new Set(store.getState().view.ids).size).toBe(6);
    expect(linksOf(store)).toHaveLength(4);
    store.getState().undo();
    expect(namesOf(store)).toHaveLength(3);
  });

  test('keeps fields that nobody knows', () => {
    const store = openStore([{ step_name: 'A', own: { deep: [1] } }]);
    store.getState().select(store.getState().view.ids);
    const other = openStore([]);
    paste(other, copyText(store.getState())!);
    expect(other.getState().doc.chain.steps[0]).toMatchObject({ own: { deep: [1] } });
  });

  test('reads a step or a list of steps that was written by hand', () => {
    const one = { skill_name: '', step_name: 'One', action: 'x' };
    for (const text of [JSON.stringify(one), JSON.stringify([one])]) {
      const store = openStore([]);
      paste(store, text);
      expect(namesOf(store)).toEqual(['One']);
    }
  });

  test.each([
    ['no JSON', 'hello'],
    ['no steps', '{"a": 1}'],
    ['an empty list', '[]'],
    ['a whole chain file', chainText(row(2))],
  ])('of %s is refused with a reason, and nothing changes', (_, text) => {
    const store = openStore(row(1));
    const before = store.getState().doc;
    paste(store, text);
    expect(store.getState().doc).toBe(before);
    expect(store.getState().refusal).toMatchObject({ code: 'EDIT_REFUSED', params: { reason: 'clipboard' } });
  });

  test('of hostile text gives an error, never a crash', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const text of [deep, '{"kind":"skill-chain-steps","version":1,"steps":[{"__proto__":{}}]}', '\0', '1e999']) {
      expect(() => readPaste(text)).toThrow(expect.objectContaining({ code: 'EDIT_REFUSED' }));
    }
  });
});

test('duplicating puts copies beside their originals, chosen, with the same dependencies', () => {
  const store = openStore(row(2));
  const before = store.getState().view.ids;
  duplicate(store, [idOf(store, 'Step 2')]);
  const { view, selection, placed, doc } = store.getState();
  const added = view.ids.filter((id) => !before.includes(id));
  expect(added).toHaveLength(1);
  expect([...selection]).toEqual(added);
  expect(doc.chain.steps.find((step) => step.id === added[0])?.depends_on).toEqual([idOf(store, 'Step 1')]);
  expect(placed[added[0]!]).not.toEqual(placed[idOf(store, 'Step 2')]);
});
