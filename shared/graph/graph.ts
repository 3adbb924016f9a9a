/**
 * A directed graph by ids. `dependsOn(id)` gives what `id` depends on; names that are no id of the graph are ignored,
 * and so is a second mention of the same one. Every function here asks `dependsOn` once per id.
 */
export interface Graph {
  readonly ids: readonly string[];
  dependsOn(id: string): readonly string[];
}

/** A graph by positions: what each id depends on and what depends on it, both in the order of `ids`. */
export interface IndexedGraph {
  readonly ids: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
}

/** Reads a graph once, in time linear in ids and dependencies. */
export function indexGraph(graph: Graph): IndexedGraph {
  const { ids } = graph;
  const positions = new Map<string, number>();
  ids.forEach((id, position) => {
    if (!positions.has(id)) positions.set(id, position);
  });
  const dependents: number[][] = ids.map(() => []);
  ids.forEach((id, position) => {
    for (const other of new Set(graph.dependsOn(id))) {
      const at = positions.get(other);
      if (at !== undefined) dependents[at]!.push(position);
    }
  });
  // Going over the dependents in order gives the dependencies in order, without sorting.
  const dependencies: number[][] = ids.map(() => []);
  dependents.forEach((list, position) => {
    for (const other of list) dependencies[other]!.push(position);
  });
  return { ids, positions, dependencies, dependents };
}
