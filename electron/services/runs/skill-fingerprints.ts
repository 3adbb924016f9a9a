import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chain, isBuiltInSkill } from '../../../shared/chain/chain.ts';
import type { SkillSource } from './executors/skill-exec.ts';

/** A larger script counts by its size and its time of change. */
const readLimit = 1024 * 1024;

/**
 * A hash per skill that the steps of a chain name: of its SKILL.md, its actions.json and its scripts. A skill that is not
 * there has none.
 */
export async function skillFingerprints(chain: Chain, skills: SkillSource): Promise<Record<string, string>> {
  const names = new Set(chain.steps.map((step) => step.skill_name).filter((name) => !isBuiltInSkill(name)));
  const found = await Promise.all([...names].map(async (name) => [name, await fingerprint(name, skills)] as const));
  return Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== null));
}

async function fingerprint(name: string, skills: SkillSource): Promise<string | null> {
  const skill = await skills.find(name);
  if (skill === null) return null;
  const hash = createHash('sha256');
  for (const file of [
    skill.file,
    join(skill.folder, 'actions.json'),
    ...skill.scripts.map((one) => join(skill.folder, one)),
  ]) {
    const info = await stat(file).catch(() => null);
    if (info === null || !info.isFile()) continue;
    hash.update(`${file}\0${info.size}\0`);
    if (info.size > readLimit) hash.update(String(info.mtimeMs));
    else hash.update(await readFile(file).catch(() => Buffer.alloc(0)));
  }
  return hash.digest('hex').slice(0, 16);
}
