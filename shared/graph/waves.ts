import { cycleAmong, depthsOf } from './find-cycle.ts';
import { type Graph, indexGraph } from './graph.ts';
import { cycleError } from './topological-order.ts';

/**
 * The ids in groups that can go at once: a group holds the ids whose longest way back to a root has the same length.
 * Inside a group the order of `ids` is kept. Linear. Errors: CHAIN_CYCLE with `path`.
 */
export function waves(graph: Graph): string[][] {
  const indexed = indexGraph(graph);
  const { depths } = depthsOf(indexed);
  const cycle = cycleAmong(indexed, depths);
  if (cycle !== null) throw cycleError(cycle);
  const groups: string[][] = [];
  indexed.ids.forEach((id, position) => {
    const depth = depths[position]!;
    while (groups.length <= depth) groups.push([]);
    groups[depth]!.push(id);
  });
  return groups;
}
