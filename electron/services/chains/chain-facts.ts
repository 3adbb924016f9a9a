import type { SkillActions } from '../../../shared/action/manifest.ts';
import type { ChainFacts } from '../../../shared/chain/check-chain.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import { indexSkills } from '../../../shared/skill/find-skill.ts';
import type { SkillRow, SkillScan } from '../../../shared/skill/skill.ts';

/** What the check and the plan may know of this machine: its skills, their actions and scripts, and the agents. */
export interface MachineFacts extends ChainFacts {
  /** The folder of a skill; "" for one that is not installed. */
  skillPath(name: string): string;
}

/** Facts from one scan, one reading of the manifests and the settings. */
export function machineFacts(
  scan: SkillScan,
  actions: readonly SkillActions[],
  settings: Settings,
  agentNames: readonly string[],
): MachineFacts {
  const index = indexSkills(scan.rows);
  const found = new Map<string, SkillRow | null>();
  const find = (name: string) => {
    let row = found.get(name);
    if (row === undefined) {
      row = index.find(name);
      found.set(name, row);
    }
    return row;
  };
  const actionIds = new Map<string, Set<string>>();
  for (const manifest of actions) {
    const ids = new Set(manifest.actions.map(({ action }) => action.id));
    if (manifest.skill_id !== null) actionIds.set(`id ${manifest.skill_id}`, ids);
    actionIds.set(`slug ${manifest.slug}`, ids);
  }
  return {
    hasSkill: (name) => find(name) !== null,
    hasAction(name, actionId) {
      const row = find(name);
      const ids = (row === null ? undefined : actionIds.get(`id ${row.id}`)) ?? actionIds.get(`slug ${name}`);
      if (row === null && ids === undefined) return undefined;
      return ids?.has(actionId) ?? false;
    },
    hasScript(name, script) {
      const row = find(name);
      if (row === null) return undefined;
      const wanted = script.replaceAll('\\', '/').replace(/^\.\//, '');
      if (row.scripts.includes(wanted) || row.scripts.includes(`scripts/${wanted}`)) return true;
      // The row lists what it knows how to run; another executable file of the folder is found when the step starts.
      return /\.(py|js|mjs|cjs|sh)$/.test(wanted) ? false : undefined;
    },
    skillPath: (name) => find(name)?.folder ?? '',
    agentNames,
    defaultAgent: settings.default_agent,
  };
}
