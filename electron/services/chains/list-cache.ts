import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainSummary } from '../../../shared/api/contract.ts';
import { writeFileAtomic } from '../files/write-file-atomic.ts';

/** A row as the files alone give it; problems depend on the skills of the machine, the last run on the history. */
export type ChainRow = Omit<ChainSummary, 'problems' | 'last_run'>;

interface ListCache {
  readonly version: 1;
  /** Stamp of every file that the rows were made from, the index among them. */
  readonly stamps: Readonly<Record<string, string>>;
  readonly rows: readonly ChainRow[];
}

const cacheBase = '.list.json';

/**
 * The rows of the list when not one file changed since they were made, else null. Reads no chain and loads no parser:
 * it is what makes `skill-sub list` start at once.
 */
export function readListCache(folder: string): ChainRow[] | null {
  try {
    const cache = JSON.parse(readFileSync(join(folder, cacheBase), 'utf8')) as ListCache;
    const stamps = chainStamps(folder);
    const names = Object.keys(stamps);
    if (cache.version !== 1 || names.length !== Object.keys(cache.stamps).length) return null;
    return names.every((name) => cache.stamps[name] === stamps[name]) ? [...cache.rows] : null;
  } catch {
    // Missing, half understood or of another version: the files are the truth, and they are read instead.
    return null;
  }
}

/** Keeps the rows for the next start; `stamps` are of before the files were read, so that a change since is seen. */
export async function writeListCache(folder: string, stamps: Record<string, string>, rows: readonly ChainRow[]) {
  const cache: ListCache = { version: 1, stamps, rows };
  await writeFileAtomic(join(folder, cacheBase), JSON.stringify(cache));
}

/** What tells one state of the folder's chain files (and their index) from another. */
export function chainStamps(folder: string): Record<string, string> {
  const stamps: Record<string, string> = {};
  for (const base of readdirSync(folder).sort()) {
    if (base.startsWith('.') || !base.endsWith('.json')) continue;
    const info = statSync(join(folder, base), { bigint: true, throwIfNoEntry: false });
    if (info !== undefined) stamps[base] = `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}`;
  }
  return stamps;
}
