import { reachable } from '../graph/reachable.ts';
import type { Chain } from './chain.ts';
import { chainGraph } from './chain-graph.ts';

/** How many steps wait, directly or not, for a step. */
export function waitingBehind(chain: Pick<Chain, 'steps'>, id: string): number {
  return reachable(chainGraph(chain), [id], 'dependents').size;
}
