import type { Chain } from './chain.ts';
import { checkChainName } from './file-name.ts';

/**
 * A chain without steps, with all fields that skill-sub writes. `nowText` is local time to the second without a zone,
 * as skill-sub has it (`2026-01-31T09:30:00`). Errors: CHAIN_NAME_INVALID.
 */
export function newChain(name: string, nowText: string, fields: Partial<Omit<Chain, 'name'>> = {}): Chain {
  checkChainName(name);
  return {
    name,
    description: '',
    purpose: '',
    user_intent: '',
    tags: [],
    created_at: nowText,
    updated_at: nowText,
    exec_count: 0,
    steps: [],
    ...fields,
  };
}
