import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Homes {
  readonly homeDir: string;
  readonly dataHome: string;
  readonly skillsHome: string;
}

/**
 * Where everything is: `SKILL_SUB_HOME`, `SKILL_CHAIN_HOME`, else `~/.workbuddy/skill-sub`; skills in
 * `WORKBUDDY_SKILLS_DIR`, else `~/.workbuddy/skills`. Source: skill-sub 1.2.
 */
export function findHomes(env: NodeJS.ProcessEnv = process.env, homeDir: string = homedir()): Homes {
  const named = (name: string) => {
    const value = env[name]?.trim();
    return value ? resolve(value) : undefined;
  };
  return {
    homeDir,
    dataHome: named('SKILL_SUB_HOME') ?? named('SKILL_CHAIN_HOME') ?? join(homeDir, '.workbuddy', 'skill-sub'),
    skillsHome: named('WORKBUDDY_SKILLS_DIR') ?? join(homeDir, '.workbuddy', 'skills'),
  };
}
