import type { Chain } from '../../../shared/chain/chain.ts';

/** What a run counts in the file by itself; nobody's edit. */
const counterFields = ['exec_count', 'updated_at'] as const;

export function isCounter(field: string): boolean {
  return (counterFields as readonly string[]).includes(field);
}

export function countersOf(chain: Chain): Partial<Chain> {
  return Object.fromEntries(counterFields.filter((key) => chain[key] !== undefined).map((key) => [key, chain[key]]));
}

export function withoutCounters(chain: Chain): Chain {
  const rest = { ...chain };
  for (const key of counterFields) delete rest[key];
  return rest;
}
