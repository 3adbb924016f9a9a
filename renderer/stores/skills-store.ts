import { useMemo } from 'react';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { SkillRow, SkillScan } from '../../shared/skill/skill.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

export const useSkillsStore = createLoadedStore<SkillScan>(() => api.skills.list());

export interface Skills {
  readonly scan: SkillScan | null;
  /** Every file found, in order of precedence. */
  readonly rows: readonly SkillRow[];
  /** The rows that a chain's step would use: one per name. */
  readonly usable: readonly SkillRow[];
  /** Whether a chain can name this skill (by name, folder name or slug); undefined until the skills are known. */
  readonly has: (name: string) => boolean | undefined;
  readonly find: (name: string) => SkillRow | null;
  readonly loading: boolean;
  readonly error: AppError | null;
  readonly refresh: () => Promise<void>;
}

/** The skills found on this machine; kept fresh while the window is open. */
export function useSkills(): Skills {
  const { value, loading, error, refresh } = useSkillsStore();
  return useMemo(() => {
    const rows = value?.rows ?? [];
    const usable = rows.filter((row) => row.state === 'ready' || row.state === 'not_eligible');
    const index = indexByName(usable);
    return {
      scan: value,
      rows,
      usable,
      has: (name: string) => (value === null ? undefined : index.has(name)),
      find: (name: string) => index.get(name) ?? null,
      loading,
      error,
      refresh,
    };
  }, [value, loading, error, refresh]);
}

/** Searches the disk again and shows what it found. Throws what the call threw. */
export async function rescanSkills(): Promise<SkillScan> {
  const scan = await api.skills.rescan();
  useSkillsStore.setState({ value: scan, error: null });
  return scan;
}

/** Name first, then slug, then folder, as the services look a skill up. */
function indexByName(rows: readonly SkillRow[]): Map<string, SkillRow> {
  const index = new Map<string, SkillRow>();
  const keys: ((row: SkillRow) => string | null)[] = [
    (row) => row.name,
    (row) => row.slug,
    (row) => row.folder.split(/[\\/]/).pop() ?? null,
  ];
  for (const keyOf of keys) {
    for (const row of rows) {
      const key = keyOf(row);
      if (key !== null && key !== '' && !index.has(key)) index.set(key, row);
    }
  }
  return index;
}
