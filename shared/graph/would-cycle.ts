import { type Graph, indexGraph } from './graph.ts';

/**
 * The cycle that a new wire would close, when `to` came to depend on `from`; null when it closes none. The path follows
 * the wires and begins with the new one: `from, to, ..., from`, a shortest such way. Linear.
 */
export function wouldCycle(graph: Graph, from: string, to: string): string[] | null {
  if (from === to) return [from, from];
  const { ids, positions, dependents } = indexGraph(graph);
  const start = positions.get(to);
  const goal = positions.get(from);
  if (start === undefined || goal === undefined) return null;
  const cameFrom = ids.map(() => -1);
  cameFrom[start] = start;
  const queue = [start];
  for (let next = 0; next < queue.length && cameFrom[goal] === -1; next += 1) {
    for (const other of dependents[queue[next]!]!) {
      if (cameFrom[other] !== -1) continue;
      cameFrom[other] = queue[next]!;
      queue.push(other);
    }
  }
  if (cameFrom[goal] === -1) return null;
  const way: string[] = [];
  for (let at = goal; at !== start; at = cameFrom[at]!) way.push(ids[at]!);
  return [from, to, ...way.reverse()];
}
