import type { ChainSummary } from '../../shared/api/contract.ts';

/** The chains that hold every word of `query` (name, description, tags; case ignored) and every one of `tags`. */
export function matchingChains(
  chains: readonly ChainSummary[],
  query: string,
  tags: readonly string[],
): readonly ChainSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && tags.length === 0) return chains;
  return chains.filter((chain) => {
    if (!tags.every((tag) => chain.tags.includes(tag))) return false;
    const text = [chain.name, chain.description, ...chain.tags].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** All tags in use, the most used first. */
export function tagsOf(chains: readonly ChainSummary[]): string[] {
  const uses = new Map<string, number>();
  for (const chain of chains) for (const tag of new Set(chain.tags)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  return [...uses].sort(([a, usedA], [b, usedB]) => usedB - usedA || (a < b ? -1 : 1)).map(([tag]) => tag);
}
