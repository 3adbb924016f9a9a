import type { SkillRow } from './skill.ts';

const isAscii = /^[ -~]*$/;

/** Names are compared in NFC and without case. */
export function skillKey(name: string): string {
  return isAscii.test(name) ? name.trim().toLowerCase() : name.trim().normalize('NFC').toLowerCase();
}

export interface SkillIndex {
  /** The row that a chain's or a manifest's skill name means, or null. */
  find(name: string): SkillRow | null;
}

/** Rows that can be used: one per name. */
export function usableRows(rows: readonly SkillRow[]): SkillRow[] {
  return rows.filter(({ state }) => state === 'ready' || state === 'not_eligible');
}

/**
 * Looks skills up among `rows` (in order of precedence) the way skill-sub does, but never by guess: name, slug, folder
 * name; then the same with spaces as dashes; then part of one single folder's name.
 */
export function indexSkills(rows: readonly SkillRow[]): SkillIndex {
  const usable = usableRows(rows);
  const exact = new Map<string, SkillRow>();
  const dashed = new Map<string, SkillRow>();
  const keysOf: readonly ((row: SkillRow) => string | null)[] = [
    (row) => row.name,
    (row) => row.slug,
    (row) => folderName(row),
  ];
  for (const keyOf of keysOf) {
    for (const row of usable) {
      const key = keyOf(row);
      if (key === null || key === '') continue;
      setOnce(exact, skillKey(key), row);
      setOnce(dashed, dash(key), row);
    }
  }
  return {
    find(name) {
      const key = skillKey(name);
      if (key === '') return null;
      const found = exact.get(key) ?? dashed.get(dash(name));
      if (found !== undefined) return found;
      const part = dash(name);
      const parts = part.length < 3 ? [] : usable.filter((row) => dash(folderName(row)).includes(part));
      return parts.length === 1 ? parts[0]! : null;
    },
  };
}

function setOnce(map: Map<string, SkillRow>, key: string, row: SkillRow): void {
  if (!map.has(key)) map.set(key, row);
}

function dash(name: string): string {
  return skillKey(name).replace(/\s+/g, '-');
}

function folderName(row: SkillRow): string {
  return row.folder.split(/[\\/]/).pop() ?? '';
}
