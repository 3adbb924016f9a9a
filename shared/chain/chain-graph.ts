import type { Graph } from '../graph/graph.ts';
import type { Chain } from './chain.ts';

/** The chain's steps and dependencies as a graph of ids. */
export function chainGraph(chain: Pick<Chain, 'steps'>): Graph {
  const steps = new Map(chain.steps.map((step) => [step.id, step]));
  return { ids: chain.steps.map((step) => step.id), dependsOn: (id) => steps.get(id)?.depends_on ?? [] };
}
