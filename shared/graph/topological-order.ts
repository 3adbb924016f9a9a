import { AppError } from '../errors/app-error.ts';
import { cycleAmong, depthsOf } from './find-cycle.ts';
import { type Graph, indexGraph } from './graph.ts';

/**
 * All ids, each behind what it depends on. An order that is right already stays as it is; an id moves only as far as
 * it must. Linear. Errors: CHAIN_CYCLE with `path`.
 */
export function topologicalOrder(graph: Graph): string[] {
  const indexed = indexGraph(graph);
  const cycle = cycleAmong(indexed, depthsOf(indexed).depths);
  if (cycle !== null) throw cycleError(cycle);
  const order: string[] = [];
  const visited = indexed.ids.map(() => false);
  const nextOf = indexed.ids.map(() => 0);
  const stack: number[] = [];
  for (let start = 0; start < indexed.ids.length; start += 1) {
    if (visited[start]) continue;
    visited[start] = true;
    stack.push(start);
    while (stack.length > 0) {
      const position = stack[stack.length - 1]!;
      const dependency = indexed.dependencies[position]![nextOf[position]!];
      if (dependency === undefined) {
        order.push(indexed.ids[position]!);
        stack.pop();
        continue;
      }
      nextOf[position]! += 1;
      if (visited[dependency]) continue;
      visited[dependency] = true;
      stack.push(dependency);
    }
  }
  return order;
}

/** The error for a closed path of ids, or of whatever names them for a person. */
export function cycleError(path: readonly string[]): AppError {
  return new AppError('CHAIN_CYCLE', { path: path.join(' → ') });
}
