import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyQueue, first, type Queue, taken, withLast } from './queue.ts';
import { StepTable } from './step-table.ts';

describe('StepTable', () => {
  it('is the same as a Map that is copied at every change, also for sizes with several levels', () => {
    const sizes = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.constantFrom(1023, 1024, 1025, 2000));
    fc.assert(
      fc.property(sizes, fc.array(fc.tuple(fc.nat(2100), fc.nat()), { maxLength: 30 }), (size, changes) => {
        const entries = Array.from({ length: size }, (_, index) => [`s${index}`, -index] as const);
        let table = StepTable.from<number>(entries);
        const map = new Map<string, number>(entries);
        const versions: [StepTable<number>, number[]][] = [];
        for (const [key, value] of changes) {
          versions.push([table, [...map.values()]]);
          table = table.with(`s${key}`, value);
          if (map.has(`s${key}`)) map.set(`s${key}`, value);
        }
        expect([...table]).toEqual([...map]);
        expect([...table.keys()]).toEqual([...map.keys()]);
        expect(table.size).toBe(map.size);
        for (const key of map.keys()) expect(table.get(key)).toBe(map.get(key));
        // Earlier versions are as they were.
        for (const [version, values] of versions.slice(0, 3)) expect([...version.values()]).toEqual(values);
      }),
    );
  });

  it('is the same whether it is changed in steps or in a draft, and a draft leaves the table as it was', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.array(fc.tuple(fc.nat(2100), fc.nat()), { maxLength: 30 }), (size, changes) => {
        const table = StepTable.from<number>(
          Array.from({ length: size }, (_, index) => [`s${index}`, -index] as const),
        );
        const before = [...table.values()];
        const draft = table.draft();
        let stepwise = table;
        for (const [key, value] of changes) {
          draft.set(`s${key}`, value);
          stepwise = stepwise.with(`s${key}`, value);
          expect(draft.get(`s${key}`)).toBe(stepwise.get(`s${key}`));
        }
        expect([...draft.snapshot()]).toEqual([...stepwise]);
        expect([...table.values()]).toEqual(before);
      }),
    );
    expect(
      StepTable.from([['a', 1]])
        .draft()
        .get('b'),
    ).toBeUndefined();
  });

  it('has no value for a key that it was not made with', () => {
    const table = StepTable.from([['a', 1]]);
    expect(table.get('b')).toBeUndefined();
    expect(table.with('b', 2)).toBe(table);
    expect(table.has('__proto__')).toBe(false);
  });
});

describe('a queue', () => {
  it('gives back what was put in, in the same order, and earlier versions do not change', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(9), { nil: null }), { maxLength: 60 }), (moves) => {
        let queue: Queue = emptyQueue;
        const list: string[] = [];
        for (const move of moves) {
          const before = first(queue);
          const earlier = queue;
          if (move === null) {
            const next = first(queue);
            expect(next).toBe(list.shift() ?? null);
            if (next !== null) queue = taken(queue, next);
          } else {
            list.push(`s${move}`);
            queue = withLast(queue, `s${move}`);
          }
          expect(first(earlier)).toBe(before);
          expect(first(queue)).toBe(list[0] ?? null);
        }
      }),
    );
  });
});
