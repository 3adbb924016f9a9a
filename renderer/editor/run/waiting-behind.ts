import type { Chain } from '../../../shared/chain/chain.ts';
import { chainGraph } from '../../../shared/chain/chain-graph.ts';
import { reachable } from '../../../shared/graph/reachable.ts';

/** How many steps wait, directly or not, for a step. */
export function waitingBehind(chain: Pick<Chain, 'steps'>, id: string): number {
  return reachable(chainGraph(chain), [id], 'dependents').size;
}
