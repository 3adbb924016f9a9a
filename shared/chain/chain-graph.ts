import type { Graph } from '../graph/graph.ts';
import type { Chain } from './chain.ts';

/**
 * What each step waits for, as a graph of ids: its dependencies, the steps whose route may lead to it, and the step
 * that it stands in for. Linear.
 */
export function chainGraph(chain: Pick<Chain, 'steps'>): Graph {
  const known = new Set(chain.steps.map((step) => step.id));
  const implied = new Map<string, string[]>();
  for (const step of chain.steps) {
    for (const target of targetsOf(step)) {
      if (target === step.id || !known.has(target)) continue;
      const before = implied.get(target);
      if (before === undefined) implied.set(target, [step.id]);
      else before.push(step.id);
    }
  }
  const waits = new Map<string, readonly string[]>(
    chain.steps.map((step) => {
      const others = implied.get(step.id);
      return [step.id, others === undefined ? step.depends_on : [...new Set([...step.depends_on, ...others])]];
    }),
  );
  return { ids: chain.steps.map((step) => step.id), dependsOn: (id) => waits.get(id) ?? [] };
}

function targetsOf(step: Chain['steps'][number]): string[] {
  const routed = step.route?.map(({ to }) => to) ?? [];
  return step.on_failure === undefined ? routed : [...routed, step.on_failure];
}
