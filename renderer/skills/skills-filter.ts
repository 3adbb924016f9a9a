import { create } from 'zustand';
import type { SkillRoot, SkillRow, SkillState } from '../../shared/skill/skill.ts';

interface SkillsFilter {
  readonly query: string;
  readonly state: SkillState | null;
  readonly rootId: string | null;
}

/** What the list is narrowed to; kept while a skill's page is looked at. */
export const useSkillsFilter = create<SkillsFilter>(() => ({ query: '', state: null, rootId: null }));

/** The rows that fit: every word is in the name, slug, description, host or path. */
export function filterSkills(
  rows: readonly SkillRow[],
  roots: readonly SkillRoot[],
  filter: SkillsFilter,
): readonly SkillRow[] {
  const words = filter.query.toLowerCase().normalize('NFC').split(/\s+/).filter(Boolean);
  const hosts = new Map(roots.map((root) => [root.id, root.host]));
  return rows.filter((row) => {
    if (filter.state !== null && row.state !== filter.state) return false;
    if (filter.rootId !== null && row.root_id !== filter.rootId) return false;
    if (words.length === 0) return true;
    const text = [row.name, row.slug ?? '', row.description, row.folder, hosts.get(row.root_id) ?? '']
      .join('\n')
      .toLowerCase()
      .normalize('NFC');
    return words.every((word) => text.includes(word));
  });
}

/** How many of the rows are in each state, and in each root. */
export function countRows(rows: readonly SkillRow[]): {
  readonly states: ReadonlyMap<SkillState, number>;
  readonly roots: ReadonlyMap<string, number>;
} {
  const states = new Map<SkillState, number>();
  const roots = new Map<string, number>();
  for (const row of rows) {
    states.set(row.state, (states.get(row.state) ?? 0) + 1);
    roots.set(row.root_id, (roots.get(row.root_id) ?? 0) + 1);
  }
  return { states, roots };
}
