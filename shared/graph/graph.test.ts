import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { findCycle } from './find-cycle.ts';
import type { Graph } from './graph.ts';
import { reachable } from './reachable.ts';
import { topologicalOrder } from './topological-order.ts';
import { waves } from './waves.ts';
import { wouldCycle } from './would-cycle.ts';

type Wires = Readonly<Record<string, readonly string[]>>;

function graphOf(wires: Wires): Graph {
  const map = new Map(Object.entries(wires));
  return { ids: [...map.keys()], dependsOn: (id) => map.get(id) ?? [] };
}

/** Any graph of up to 9 nodes: loops, cycles, doubled and unknown dependencies, ids that are names of Object.prototype. */
const ids = ['a', 'b', 'c', '__proto__', 'constructor', 'toString', 'f', 'g', 'h'];
const anyGraph = fc
  .tuple(fc.integer({ min: 0, max: ids.length }), fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 24 }))
  .map(([size, pairs]): Graph => {
    const names = ids.slice(0, size);
    const map = new Map<string, string[]>(names.map((id) => [id, []]));
    for (const [from, to] of pairs) map.get(ids[to]!)?.push(ids[from] ?? 'nowhere');
    return { ids: names, dependsOn: (id) => map.get(id)! };
  });

/** The textbook answer: the transitive closure, by repeating until nothing changes. */
function closure(graph: Graph): Map<string, Set<string>> {
  const known = new Set(graph.ids);
  const all = new Map(graph.ids.map((id) => [id, new Set(graph.dependsOn(id).filter((other) => known.has(other)))]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const set of all.values()) {
      for (const id of [...set]) {
        for (const further of all.get(id)!) {
          if (!set.has(further)) changed = true;
          set.add(further);
        }
      }
    }
  }
  return all;
}

function isCyclic(graph: Graph): boolean {
  return [...closure(graph)].some(([id, below]) => below.has(id));
}

function expectClosedPath(graph: Graph, path: readonly string[]): void {
  expect(path.length).toBeGreaterThan(1);
  expect(path.at(-1)).toBe(path[0]);
  expect(new Set(path).size).toBe(path.length - 1);
  for (let at = 1; at < path.length; at += 1) expect(graph.dependsOn(path[at]!)).toContain(path[at - 1]);
}

function counted(graph: Graph): { graph: Graph; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    graph: {
      ids: graph.ids,
      dependsOn: (id) => {
        calls += 1;
        return graph.dependsOn(id);
      },
    },
  };
}

describe('findCycle', () => {
  it('gives the path in the direction of the wires, closed, from the first member', () => {
    expect(findCycle(graphOf({ x: [], b: ['c', 'x'], a: ['b'], c: ['a'] }))).toEqual(['b', 'a', 'c', 'b']);
    expect(findCycle(graphOf({ '1': ['2'], '2': ['1'] }))).toEqual(['1', '2', '1']);
  });

  it('gives a loop for a node that depends on itself', () => {
    expect(findCycle(graphOf({ a: ['a'] }))).toEqual(['a', 'a']);
  });

  it('names only members, not what hangs behind the cycle', () => {
    expect(findCycle(graphOf({ tail: ['b'], a: ['b'], b: ['a'] }))).toEqual(['a', 'b', 'a']);
  });

  it('agrees with the transitive closure', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const cycle = findCycle(graph);
        expect(cycle !== null).toBe(isCyclic(graph));
        if (cycle !== null) expectClosedPath(graph, cycle);
      }),
      { numRuns: 500 },
    );
  });
});

describe('topologicalOrder', () => {
  it('leaves an order alone that is right already', () => {
    expect(topologicalOrder(graphOf({ a1: [], a2: ['a1'], b1: [], b2: ['b1', 'a2'] }))).toEqual([
      'a1',
      'a2',
      'b1',
      'b2',
    ]);
  });

  it('moves an id only behind what it depends on, dependencies in the order of the chain', () => {
    expect(topologicalOrder(graphOf({ z: ['d', 'c'], c: [], d: [], e: [] }))).toEqual(['c', 'd', 'z', 'e']);
  });

  it('refuses a cycle and names it', () => {
    const error = catchError(() => topologicalOrder(graphOf({ a: ['b'], b: ['a'] })));
    expect(error.code).toBe('CHAIN_CYCLE');
    expect(error.params).toEqual({ path: 'a → b → a' });
  });

  it('holds every id once, behind its dependencies, or there is a cycle', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        if (isCyclic(graph)) {
          expect(catchError(() => topologicalOrder(graph)).code).toBe('CHAIN_CYCLE');
          return;
        }
        const order = topologicalOrder(graph);
        expect([...order].sort()).toEqual([...graph.ids].sort());
        for (const [id, below] of closure(graph)) {
          for (const other of below) expect(order.indexOf(other)).toBeLessThan(order.indexOf(id));
        }
        expect(topologicalOrder({ ids: order, dependsOn: graph.dependsOn })).toEqual(order);
      }),
      { numRuns: 500 },
    );
  });
});

describe('waves', () => {
  it('puts a diamond into three groups', () => {
    expect(waves(graphOf({ a: [], c: ['a'], b: ['a'], d: ['b', 'c'] }))).toEqual([['a'], ['c', 'b'], ['d']]);
  });

  it('gives nothing for nothing', () => {
    expect(waves(graphOf({}))).toEqual([]);
  });

  it('puts each id one group behind the last of its dependencies', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        if (isCyclic(graph)) {
          expect(catchError(() => waves(graph)).code).toBe('CHAIN_CYCLE');
          return;
        }
        const groups = waves(graph);
        const groupOf = new Map(groups.flatMap((group, at) => group.map((id) => [id, at] as const)));
        expect(groupOf.size).toBe(graph.ids.length);
        for (const id of graph.ids) {
          const below = graph.dependsOn(id).flatMap((other) => groupOf.get(other) ?? []);
          expect(groupOf.get(id)).toBe(below.length === 0 ? 0 : Math.max(...below) + 1);
        }
        for (const group of groups) expect(group).toEqual(graph.ids.filter((id) => group.includes(id)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('reachable', () => {
  it('agrees with the transitive closure, both ways', () => {
    fc.assert(
      fc.property(anyGraph, fc.nat(8), (graph, pick) => {
        const start = ids[pick]!;
        const all = closure(graph);
        const below = all.get(start) ?? new Set();
        expect([...reachable(graph, [start], 'dependencies')]).toEqual(graph.ids.filter((id) => below.has(id)));
        const above = all.has(start) ? graph.ids.filter((id) => all.get(id)!.has(start)) : [];
        expect([...reachable(graph, [start], 'dependents')]).toEqual(above);
      }),
      { numRuns: 500 },
    );
  });
});

describe('wouldCycle', () => {
  it('gives the way that the new wire would close', () => {
    const graph = graphOf({ a: [], b: ['a'], c: ['b'] });
    expect(wouldCycle(graph, 'c', 'a')).toEqual(['c', 'a', 'b', 'c']);
    expect(wouldCycle(graph, 'a', 'c')).toBeNull();
    expect(wouldCycle(graph, 'a', 'a')).toEqual(['a', 'a']);
    expect(wouldCycle(graph, 'nowhere', 'a')).toBeNull();
  });

  it('says yes exactly when the wire, added, makes a new cycle through it', () => {
    fc.assert(
      fc.property(anyGraph, fc.nat(8), fc.nat(8), (graph, left, right) => {
        const [from, to] = [ids[left]!, ids[right]!];
        fc.pre(graph.ids.includes(from) && graph.ids.includes(to));
        const path = wouldCycle(graph, from, to);
        expect(path !== null).toBe(from === to || closure(graph).get(from)!.has(to));
        if (path === null) return;
        const joined: Graph = {
          ids: graph.ids,
          dependsOn: (id) => (id === to ? [...graph.dependsOn(id), from] : graph.dependsOn(id)),
        };
        expectClosedPath(joined, path);
        expect(path.slice(0, 2)).toEqual([from, to]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('size', () => {
  const size = 5000;
  const line: Graph = {
    ids: Array.from({ length: size }, (_id, at) => `s${at}`),
    dependsOn: (id) => (id === 's0' ? [] : [`s${Number(id.slice(1)) - 1}`]),
  };

  it('asks for the dependencies of each of 5,000 ids exactly once', () => {
    const questions: ((graph: Graph) => unknown)[] = [
      topologicalOrder,
      waves,
      findCycle,
      (graph) => reachable(graph, ['s0'], 'dependents'),
      (graph) => wouldCycle(graph, `s${size - 1}`, 's0'),
    ];
    for (const question of questions) {
      const { graph, calls } = counted(line);
      question(graph);
      expect(calls()).toBe(size);
    }
  });

  it('survives a chain of 100,000 in the worst order without running out of stack', () => {
    const many = 100_000;
    const ids = Array.from({ length: many }, (_id, at) => `s${many - 1 - at}`);
    const order = topologicalOrder({ ids, dependsOn: line.dependsOn });
    expect(order[0]).toBe('s0');
    expect(order.at(-1)).toBe(`s${many - 1}`);
    expect(waves({ ids, dependsOn: line.dependsOn })).toHaveLength(many);
    const ring = findCycle({ ids, dependsOn: (id) => (id === 's0' ? [`s${many - 1}`] : line.dependsOn(id)) });
    expect(ring).toHaveLength(many + 1);
  });
});

function catchError(run: () => unknown): AppError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error('expected an AppError');
}
