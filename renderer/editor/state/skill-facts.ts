import type { SkillActions } from '../../../shared/action/manifest.ts';
import { isBuiltInSkill } from '../../../shared/chain/chain.ts';
import type { SkillRow, SkillScan } from '../../../shared/skill/skill.ts';

/** What the editor knows about the world outside the chain; null = not read yet, so nothing is called missing. */
export interface EditorFacts {
  readonly scan: SkillScan | null;
  readonly actions: readonly SkillActions[] | null;
  readonly defaultMaxRetries: number;
  readonly defaultAgent: string;
  readonly agentNames: readonly string[];
}

export const noFacts: EditorFacts = {
  scan: null,
  actions: null,
  defaultMaxRetries: 3,
  defaultAgent: 'claude',
  agentNames: [],
};

export interface SkillIndex {
  /** The row that a step's `skill_name` means: by name, slug or folder, case ignored; a usable one before others. */
  find(skillName: string): SkillRow | null;
  /** undefined = not known yet. */
  has(skillName: string): boolean | undefined;
  actionsOf(skillName: string): SkillActions | null;
}

const preference = { ready: 0, not_eligible: 1, disabled: 2, broken: 3, shadowed: 4 } as const;

/** Indexes a scan once, so that each look-up costs nothing. */
export function indexSkills(facts: Pick<EditorFacts, 'scan' | 'actions'>): SkillIndex {
  const byKey = new Map<string, SkillRow>();
  for (const row of facts.scan?.rows ?? []) {
    for (const key of keysOf(row)) {
      const known = byKey.get(key);
      if (known === undefined || preference[row.state] < preference[known.state]) byKey.set(key, row);
    }
  }
  const actionsByKey = new Map<string, SkillActions>();
  for (const entry of facts.actions ?? []) {
    for (const key of [entry.slug, entry.skill_name]) {
      if (!actionsByKey.has(fold(key))) actionsByKey.set(fold(key), entry);
    }
  }
  const find = (name: string): SkillRow | null => byKey.get(fold(name)) ?? null;
  return {
    find,
    has: (name) => (facts.scan === null ? undefined : isBuiltInSkill(name) || find(name) !== null),
    actionsOf: (name) => {
      const row = find(name);
      const keys = row === null ? [name] : [row.slug ?? row.name, row.name];
      for (const key of keys) {
        const entry = actionsByKey.get(fold(key));
        if (entry !== undefined) return entry;
      }
      return null;
    },
  };
}

function keysOf(row: SkillRow): string[] {
  const folder = row.folder.split(/[\\/]/).at(-1) ?? '';
  return [...new Set([row.name, row.slug ?? '', folder].map(fold))].filter((key) => key !== '');
}

function fold(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
