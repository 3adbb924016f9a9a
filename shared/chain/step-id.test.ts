import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepId } from './chain.ts';
import { newChain } from './new-chain.ts';
import { assignStepIds, newStepId } from './step-id.ts';

const empty = newChain('x', '2026-01-05T09:00:00');

describe('newStepId', () => {
  it.each([
    ['Fetch sources', 'fetch_sources'],
    ['  Élan vital!  ', 'elan_vital'],
    ['2 go', 'step_2_go'],
    ['', 'step'],
    ['___', 'step'],
    ['constructor', 'constructor'],
  ])('makes of %j the id %j', (name, id) => {
    expect(newStepId(empty, name)).toBe(id);
  });

  it('tells names apart that have no ASCII letters', () => {
    const ids = ['打包', '发布', '打包 zip', '发布 zip'].map((name) => newStepId(empty, name));
    expect(new Set(ids).size).toBe(4);
    expect(ids[2]).toMatch(/^zip_[0-9a-f]{8}$/);
  });
});

describe('assignStepIds', () => {
  it('lets own ids win over made ones, wherever they stand', () => {
    const steps = [
      { ownId: undefined, name: 'build' },
      { ownId: 'build', name: 'x' },
      { ownId: 'build', name: 'y' },
    ];
    expect(assignStepIds(steps)).toEqual(['build_2', 'build', 'y']);
  });

  it('gives usable ids, each once, the same every time, to any list', () => {
    const anyStep = fc.record({
      ownId: fc.oneof(fc.constantFrom('a', 'a_2', 'step', 'Bad', null, 3), fc.string()),
      name: fc.oneof(fc.constantFrom('a', 'a 2', 'A', '链'), fc.string({ unit: 'binary', maxLength: 80 })),
    });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), (steps) => {
        const ids = assignStepIds(steps);
        expect(new Set(ids).size).toBe(steps.length);
        for (const id of ids) expect(StepId.safeParse(id).success).toBe(true);
        expect(assignStepIds(steps)).toEqual(ids);
        expect(assignStepIds(ids.map((id, at) => ({ ownId: id, name: steps[at]!.name })))).toEqual(ids);
      }),
      { numRuns: 500 },
    );
  });
});

describe('newChain', () => {
  it('refuses a name that no chain can have', () => {
    expect(() => newChain('..', '')).toThrow('can not be a chain name');
  });
});
