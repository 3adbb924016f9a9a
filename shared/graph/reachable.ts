import { type Graph, type IndexedGraph, indexGraph } from './graph.ts';

/**
 * Everything that the starting ids depend on (`dependencies`) or that depends on them (`dependents`), directly or
 * through others, in the order of `ids`. A starting id is in the answer only when another one, or a cycle, leads to
 * it. Linear.
 */
export function reachable(
  graph: Graph,
  starts: Iterable<string>,
  direction: 'dependencies' | 'dependents',
): Set<string> {
  const indexed = indexGraph(graph);
  const reached = reach(indexed, starts, direction);
  return new Set(indexed.ids.filter((_id, position) => reached[position]));
}

function reach(graph: IndexedGraph, starts: Iterable<string>, direction: 'dependencies' | 'dependents'): boolean[] {
  const next = graph[direction];
  const reached = graph.ids.map(() => false);
  const expanded = graph.ids.map(() => false);
  const queue: number[] = [];
  const expand = (position: number): void => {
    if (expanded[position]) return;
    expanded[position] = true;
    queue.push(position);
  };
  for (const id of starts) {
    const position = graph.positions.get(id);
    if (position !== undefined) expand(position);
  }
  for (let at = 0; at < queue.length; at += 1) {
    for (const other of next[queue[at]!]!) {
      reached[other] = true;
      expand(other);
    }
  }
  return reached;
}
