import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { silentLog } from '../log.ts';
import { createSkillLibrary, type SkillLibrary, type SkillLibraryOptions } from '../skills/skill-library.ts';

/** For tests: the manifest of a skill; `actions` as they stand in the file. */
export interface TestSkill {
  readonly name: string;
  readonly slug?: string;
  readonly actions?: readonly object[] | string;
  /** Files of the skill by their path; `scripts/main.mjs` for instance. */
  readonly files?: Readonly<Record<string, string>>;
  /** Name of the folder; absent = the name. */
  readonly folder?: string;
  /** Fields of `metadata.openclaw` as JSON. */
  readonly metadata?: object;
}

/** For tests: writes a skill into a root; returns its folder. */
export function writeSkill(root: string, skill: TestSkill): string {
  const folder = join(root, skill.folder ?? skill.name);
  const slug = skill.slug === undefined ? {} : { slug: skill.slug };
  const metadata = JSON.stringify({ openclaw: { ...slug, ...skill.metadata } });
  const files: Record<string, string> = {
    'SKILL.md': `---\nname: ${skill.name}\ndescription: For tests.\nmetadata: ${metadata}\n---\n\n# ${skill.name}\n`,
    ...skill.files,
  };
  if (skill.actions !== undefined) {
    const manifest = { schemaVersion: 1, skill: skill.slug ?? skill.name, actions: skill.actions };
    files['assets/actions.json'] =
      typeof skill.actions === 'string' ? skill.actions : `${JSON.stringify(manifest, null, 2)}\n`;
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** For tests: the real library on a home of its own, with no settings. */
export function testLibrary(homeDir: string, more: Partial<SkillLibraryOptions> = {}): SkillLibrary {
  return createSkillLibrary({
    homeDir,
    skillsHome: join(homeDir, '.workbuddy', 'skills'),
    settings: { values: () => ({ skill_folders: [] }), onChange: () => () => undefined },
    log: silentLog,
    ...more,
  });
}
