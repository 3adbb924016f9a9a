import { setTimeout as delay } from 'node:timers/promises';
import { findMarked } from './process-tree.ts';

const waitMs = 2000;

/**
 * Ends every process whose environment holds `mark` (`NAME=value`) at once, and says how many could not be ended. Only
 * Linux shows environments; elsewhere nothing is found. `sincePid`: number of the first process that may carry it.
 */
export async function endMarked(mark: string, sincePid: number): Promise<{ found: number; left: number }> {
  let members = await findMarked(mark, sincePid);
  const found = members.length;
  const end = performance.now() + waitMs;
  while (members.length > 0 && performance.now() < end) {
    for (const { pid } of members) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile, or belongs to another user.
      }
    }
    await delay(10);
    members = await findMarked(mark, sincePid);
  }
  return { found, left: members.length };
}
