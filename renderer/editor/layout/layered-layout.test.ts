import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LayeredGraph, layeredLayout, type Point } from './layered-layout.ts';
import { cardHeight, cardWidth, layoutMetrics } from './place-steps.ts';

function graphOf(dependsOn: Readonly<Record<string, readonly string[]>>): LayeredGraph {
  return { ids: Object.keys(dependsOn), dependsOn: (id) => dependsOn[id] ?? [] };
}

const place = (dependsOn: Readonly<Record<string, readonly string[]>>) =>
  layeredLayout(graphOf(dependsOn), layoutMetrics);

function overlapping(placed: Readonly<Record<string, Point>>): [string, string][] {
  const entries = Object.entries(placed);
  return entries.flatMap(([a, one], at) =>
    entries
      .slice(at + 1)
      .filter(([, two]) => Math.abs(one.x - two.x) < cardWidth && Math.abs(one.y - two.y) < cardHeight)
      .map(([b]): [string, string] => [a, b]),
  );
}

/** Any graph at all: loops, doubled wires, wires to themselves and to nothing. */
const anyGraph = fc.integer({ min: 1, max: 40 }).chain((count) => {
  const ids = Array.from({ length: count }, (_, at) => `s${at}`);
  return fc
    .tuple(...ids.map(() => fc.array(fc.constantFrom(...ids, 'nowhere'), { maxLength: 3 })))
    .map((all) => Object.fromEntries(ids.map((id, at) => [id, all[at]!])));
});

describe('any graph', () => {
  test('has every step once, on no other', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const placed = place(graph);
        expect(Object.keys(placed).toSorted()).toEqual(Object.keys(graph).toSorted());
        expect(overlapping(placed)).toEqual([]);
        expect(Math.min(...Object.values(placed).map(({ x }) => x))).toBe(0);
      }),
    );
  });

  test('gives the same picture every time', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(place(graph)).toEqual(place(structuredClone(graph)));
      }),
    );
  });

  test('without a loop has every wire from left to right', () => {
    const acyclic = anyGraph.map((graph) =>
      Object.fromEntries(
        Object.entries(graph).map(([id, before]) => [
          id,
          before.filter((other) => Number(other.slice(1)) < Number(id.slice(1))),
        ]),
      ),
    );
    fc.assert(
      fc.property(acyclic, (graph) => {
        const placed = place(graph);
        for (const [id, before] of Object.entries(graph)) {
          for (const other of before) expect(placed[other]!.x + cardWidth).toBeLessThan(placed[id]!.x);
        }
      }),
    );
  });
});

test('a row of steps is a straight line', () => {
  const placed = place({ a: [], b: ['a'], c: ['b'] });
  expect(new Set(Object.values(placed).map(({ y }) => y)).size).toBe(1);
  expect(placed['a']!.x < placed['b']!.x && placed['b']!.x < placed['c']!.x).toBe(true);
});

test('a diamond is symmetric around its ends', () => {
  const { a, b, c, d } = place({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] });
  expect(a!.y).toBe(d!.y);
  expect(a!.y - b!.y).toBe(c!.y - a!.y);
});

test('wires of two pairs do not cross when they need not', () => {
  const { x, y, u, v } = place({ u: [], v: [], x: ['v'], y: ['u'] });
  expect(Math.sign(u!.y - v!.y)).toBe(Math.sign(y!.y - x!.y));
});

test('no chain has no places', () => {
  expect(place({})).toEqual({});
});
