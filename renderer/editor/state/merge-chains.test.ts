import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { mergeChains } from './merge-chains.ts';

function step(id: string, more: Partial<Step> = {}): Step {
  return { id, skill_name: '', step_name: id, action: '', depends_on: [], ...more };
}

function chain(steps: readonly Step[], more: Partial<Chain> = {}): Chain {
  return { name: 'release', ...more, steps: [...steps] };
}

const base = chain([step('a'), step('b', { depends_on: ['a'] }), step('c', { depends_on: ['b'] })]);
const change = (id: string, more: Partial<Step>) =>
  chain(base.steps.map((one) => (one.id === id ? { ...one, ...more } : one)));
const without = (id: string) => chain(base.steps.filter((one) => one.id !== id));
const ids = (merged: Chain) => merged.steps.map((one) => one.id);

describe('edits that do not meet are both there', () => {
  test('in two fields of one step', () => {
    const { chain: merged, conflicts } = mergeChains(
      base,
      change('a', { notes: 'mine' }),
      change('a', { detail: 'theirs' }),
    );
    expect(conflicts).toEqual([]);
    expect(merged.steps[0]).toMatchObject({ notes: 'mine', detail: 'theirs' });
  });

  test('in dependencies, as a set', () => {
    const { chain: merged, conflicts } = mergeChains(
      base,
      change('c', { depends_on: ['b', 'a'] }),
      change('c', { depends_on: [] }),
    );
    expect(conflicts).toEqual([]);
    expect(merged.steps[2]!.depends_on).toEqual(['a']);
  });

  test('in fields of the chain and in unknown fields', () => {
    const mine = chain(base.steps, { purpose: 'mine', own: { a: 1 } });
    const theirs = chain(base.steps, { description: 'theirs' });
    expect(mergeChains(base, mine, theirs)).toEqual({
      chain: chain(base.steps, { purpose: 'mine', own: { a: 1 }, description: 'theirs' }),
      conflicts: [],
    });
  });

  test('when both added steps, each where its side put it', () => {
    const mine = chain([base.steps[0]!, step('mine'), ...base.steps.slice(1)]);
    const theirs = chain([...base.steps, step('theirs')]);
    const { chain: merged, conflicts } = mergeChains(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(ids(merged)).toEqual(['a', 'mine', 'b', 'c', 'theirs']);
  });

  test('when one side moved a step and the other edited it', () => {
    const moved = chain([base.steps[1]!, base.steps[0]!, base.steps[2]!]);
    const { chain: merged, conflicts } = mergeChains(base, change('b', { notes: 'mine' }), moved);
    expect(conflicts).toEqual([]);
    expect(ids(merged)).toEqual(['b', 'a', 'c']);
    expect(merged.steps[0]).toMatchObject({ notes: 'mine' });
  });

  test('when one side removed a step: what waited for it waits for what it waited for', () => {
    const { chain: merged, conflicts } = mergeChains(base, change('c', { notes: 'mine' }), without('b'));
    expect(conflicts).toEqual([]);
    expect(ids(merged)).toEqual(['a', 'c']);
    expect(merged.steps[1]!.depends_on).toEqual(['a']);
  });

  test('and counts of runs are no edits: the newest one is right', () => {
    const mine = { ...base, exec_count: 1, updated_at: 'x' };
    const theirs = { ...base, exec_count: 3, updated_at: 'y' };
    expect(mergeChains({ ...base, exec_count: 0 }, mine, theirs)).toEqual({ chain: theirs, conflicts: [] });
  });
});

describe('edits that meet are named, and mine stays', () => {
  test('in one field', () => {
    const { chain: merged, conflicts } = mergeChains(
      base,
      change('a', { notes: 'mine' }),
      change('a', { notes: 'theirs' }),
    );
    expect(conflicts).toEqual([{ step: { id: 'a', name: 'a' }, field: 'notes', mine: 'mine', theirs: 'theirs' }]);
    expect(merged.steps[0]!.notes).toBe('mine');
  });

  test('when one side removed what the other changed', () => {
    const { chain: merged, conflicts } = mergeChains(base, without('b'), change('b', { notes: 'theirs' }));
    expect(conflicts).toMatchObject([{ step: { id: 'b' }, field: 'removed', mine: null, theirs: { notes: 'theirs' } }]);
    expect(ids(merged)).toEqual(['a', 'c']);
    expect(ids(mergeChains(base, change('b', { notes: 'mine' }), without('b')).chain)).toEqual(['a', 'b', 'c']);
  });

  test('in the order', () => {
    const [a, b, c] = base.steps;
    const { conflicts, chain: merged } = mergeChains(base, chain([b!, a!, c!]), chain([a!, c!, b!]));
    expect(conflicts).toEqual([{ step: null, field: 'order', mine: ['b', 'a', 'c'], theirs: ['a', 'c', 'b'] }]);
    expect(ids(merged)).toEqual(['b', 'a', 'c']);
  });

  test('not when both did the same', () => {
    const same = change('a', { notes: 'same' });
    expect(mergeChains(base, same, structuredClone(same))).toEqual({ chain: same, conflicts: [] });
  });
});

describe('for any three chains', () => {
  const someStep = (id: string) =>
    fc.record({
      id: fc.constant(id),
      skill_name: fc.constant(''),
      step_name: fc.constantFrom('x', 'y'),
      action: fc.constantFrom('p', 'q'),
      depends_on: fc.subarray(['a', 'b', 'c', 'd'].filter((other) => other !== id)),
    });
  const someChain = fc
    .shuffledSubarray(['a', 'b', 'c', 'd'])
    .chain((chosen) => fc.tuple(...chosen.map(someStep)))
    .map((steps) => {
      const known = new Set(steps.map((one) => one.id));
      return chain(steps.map((one) => ({ ...one, depends_on: one.depends_on.filter((id) => known.has(id)) })));
    });

  test('a side that changed nothing gives way, without a question', () => {
    fc.assert(
      fc.property(someChain, someChain, (from, to) => {
        expect(mergeChains(from, from, to)).toEqual({ chain: to, conflicts: [] });
        expect(mergeChains(from, to, from)).toEqual({ chain: to, conflicts: [] });
      }),
    );
  });

  test('no step is twice in the result, and each one is of one of the sides', () => {
    fc.assert(
      fc.property(someChain, someChain, someChain, (from, mine, theirs) => {
        const merged = ids(mergeChains(from, mine, theirs).chain);
        expect(new Set(merged).size).toBe(merged.length);
        const sides = new Set([...ids(mine), ...ids(theirs)]);
        expect(merged.every((id) => sides.has(id))).toBe(true);
      }),
    );
  });
});
