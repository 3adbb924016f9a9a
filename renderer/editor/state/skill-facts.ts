import type { SkillActions } from '../../../shared/action/manifest.ts';
import { isBuiltInSkill } from '../../../shared/chain/chain.ts';
import { indexSkills as indexUsable, skillKey } from '../../../shared/skill/find-skill.ts';
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
  /** The row that a step's `skill_name` means; one that can not be used when there is no better, to show its state. */
  find(skillName: string): SkillRow | null;
  /** Whether a run would find it, built-in names included; undefined = not known yet. */
  has(skillName: string): boolean | undefined;
  actionsOf(skillName: string): SkillActions | null;
}

/** Indexes a scan once, so that each look-up costs nothing. */
export function indexSkills(facts: Pick<EditorFacts, 'scan' | 'actions'>): SkillIndex {
  const rows = facts.scan?.rows ?? [];
  const usable = indexUsable(rows);
  const anyByName = new Map(rows.toReversed().map((row) => [skillKey(row.name), row]));
  const actionsByKey = new Map<string, SkillActions>();
  for (const entry of facts.actions ?? []) {
    for (const key of [entry.slug, entry.skill_name]) {
      if (!actionsByKey.has(skillKey(key))) actionsByKey.set(skillKey(key), entry);
    }
  }
  return {
    find: (name) => usable.find(name) ?? anyByName.get(skillKey(name)) ?? null,
    has: (name) => (facts.scan === null ? undefined : isBuiltInSkill(name) || usable.find(name) !== null),
    actionsOf: (name) => {
      const row = usable.find(name);
      const keys = row === null ? [name] : [row.slug ?? row.name, row.name];
      for (const key of keys) {
        const entry = actionsByKey.get(skillKey(key));
        if (entry !== undefined) return entry;
      }
      return null;
    },
  };
}
