import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdit } from '../../../shared/chain/apply-edit.ts';
import type { Chain } from '../../../shared/chain/chain.ts';
import { idOf, openStore, row } from '../test/fixture.tsx';
import { connectCheck } from './connect-check.ts';

describe('drawing a wire', () => {
  const store = openStore([...row(3), { step_name: 'Alone' }]);
  const { chain } = store.getState().doc;
  const [one, two, three, alone] = ['Step 1', 'Step 2', 'Step 3', 'Alone'].map((name) => idOf(store, name));

  test('out of a step is refused where it would close a loop, with the loop in the direction of the wires', () => {
    expect(connectCheck(chain, three!, 'out')).toEqual(
      new Map([
        [one, { kind: 'cycle', path: [three, one, two, three] }],
        [two, { kind: 'cycle', path: [three, two, three] }],
        [three, { kind: 'self' }],
      ]),
    );
  });

  test('into a step is refused likewise', () => {
    expect(connectCheck(chain, one!, 'in').get(three!)).toEqual({ kind: 'cycle', path: [three, one, two, three] });
    expect(connectCheck(chain, one!, 'in').has(alone!)).toBe(false);
  });

  test('a second time between the same two is refused as doubled', () => {
    expect(connectCheck(chain, one!, 'out').get(two!)).toEqual({ kind: 'double' });
    expect(connectCheck(chain, two!, 'in').get(one!)).toEqual({ kind: 'double' });
  });

  test('to a step that stands alone is allowed both ways', () => {
    expect(connectCheck(chain, three!, 'out').has(alone!)).toBe(false);
    expect(connectCheck(chain, alone!, 'out')).toEqual(new Map([[alone, { kind: 'self' }]]));
  });

  test('says nothing of a dependency that does not exist, and ends in a chain with a loop', () => {
    const looped = openStore([
      { step_name: 'A', depends_on: [2, 9] },
      { step_name: 'B', depends_on: [1] },
    ]);
    const [a, b] = [idOf(looped, 'A'), idOf(looped, 'B')];
    const refusals = connectCheck(looped.getState().doc.chain, a, 'out');
    expect([...refusals.keys()].toSorted()).toEqual([a, b].toSorted());
  });
});

test('what it refuses is exactly what the edit refuses, for any chain and any two steps', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const anyChain = fc.tuple(...ids.map((_, at) => fc.subarray(ids.slice(0, at)))).map(
    (dependsOn): Chain => ({
      name: 'x',
      steps: ids.map((id, at) => ({ id, skill_name: '', step_name: id, action: '', depends_on: dependsOn[at]! })),
    }),
  );
  fc.assert(
    fc.property(anyChain, fc.constantFrom(...ids), fc.constantFrom(...ids), (chain, from, to) => {
      const refused = connectCheck(chain, from, 'out').has(to);
      expect(connectCheck(chain, to, 'in').has(from)).toBe(refused);
      const make = () => applyEdit(chain, { kind: 'connect', from, to });
      if (refused) expect(make).toThrow();
      else expect(make().steps.find((step) => step.id === to)!.depends_on).toContain(from);
    }),
  );
});
