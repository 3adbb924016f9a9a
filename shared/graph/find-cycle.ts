import { type Graph, type IndexedGraph, indexGraph } from './graph.ts';

/**
 * A cycle of the graph, or null. The path follows the wires (each one is a dependency of the next), begins with the
 * member that comes first in `ids` and is closed: `a, b, a`; a node that depends on itself gives `a, a`. Linear.
 */
export function findCycle(graph: Graph): string[] | null {
  const indexed = indexGraph(graph);
  const { depths } = depthsOf(indexed);
  return cycleAmong(indexed, depths);
}

/** Longest dependency chain below each node, -1 for nodes on or behind a cycle; `settled` counts the others. */
export function depthsOf(graph: IndexedGraph): { depths: number[]; settled: number } {
  const depths = graph.ids.map(() => -1);
  const missing = graph.dependencies.map((list) => list.length);
  const longest = graph.ids.map(() => 0);
  const queue: number[] = [];
  missing.forEach((count, position) => {
    if (count === 0) queue.push(position);
  });
  for (let next = 0; next < queue.length; next += 1) {
    const position = queue[next]!;
    depths[position] = longest[position]!;
    for (const dependent of graph.dependents[position]!) {
      longest[dependent] = Math.max(longest[dependent]!, longest[position]! + 1);
      missing[dependent]! -= 1;
      if (missing[dependent] === 0) queue.push(dependent);
    }
  }
  return { depths, settled: queue.length };
}

/** The cycle that is met first when walking back from the first unsettled node; null when all are settled. */
export function cycleAmong(graph: IndexedGraph, depths: readonly number[]): string[] | null {
  let position = depths.indexOf(-1);
  if (position === -1) return null;
  const seenAt = new Map<number, number>();
  const walk: number[] = [];
  while (!seenAt.has(position)) {
    seenAt.set(position, walk.length);
    walk.push(position);
    // An unsettled node has an unsettled dependency, or it would have been settled.
    position = graph.dependencies[position]!.find((other) => depths[other] === -1)!;
  }
  // The walk went from dependents to dependencies; the path follows the wires.
  const members = walk.slice(seenAt.get(position)).reverse();
  const first = members.reduce((best, member, at) => (member < members[best]! ? at : best), 0);
  const path = [...members.slice(first), ...members.slice(0, first), members[first]!];
  return path.map((member) => graph.ids[member]!);
}
