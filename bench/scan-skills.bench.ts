/** A full scan of 1,000 skills beside a bare loop that reads each file whole and parses its front matter with `yaml`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createSkillLibrary } from '../electron/services/skills/skill-library.ts';
import { interleaved, report } from './measure.ts';

const count = 1000;
const home = mkdtempSync(join(tmpdir(), 'bench-scan-'));
const root = join(home, '.claude', 'skills');
for (let at = 0; at < count; at += 1) {
  const folder = join(root, `skill-${at}`);
  mkdirSync(folder, { recursive: true });
  const body = 'Read the files, do the work, say what was done.\n'.repeat(80);
  writeFileSync(
    join(folder, 'SKILL.md'),
    `---\nname: skill-${at}\ndescription: "Does thing ${at}: reads, writes and reports"\nversion: 1.0.${at}\nmetadata:\n  openclaw:\n    emoji: "🔧"\n    requires:\n      bins: [git]\n---\n\n# Skill ${at}\n\n${body}`,
  );
}

function bareLoop(): number {
  let found = 0;
  for (const name of readdirSync(root)) {
    const text = readFileSync(join(root, name, 'SKILL.md'), 'utf8');
    const end = text.indexOf('\n---', 4);
    const head = parse(text.slice(4, end)) as { name?: string };
    if (head.name === name) found += 1;
  }
  return found;
}

const quiet = () => undefined;
const library = () =>
  createSkillLibrary({
    homeDir: home,
    skillsHome: join(home, '.workbuddy', 'skills'),
    settings: { values: () => ({ skill_folders: [] as string[] }), onChange: () => quiet },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    now: () => Date.now(),
  } as unknown as Parameters<typeof createSkillLibrary>[0]);

const times = await interleaved(9, {
  floor: () => {
    if (bareLoop() !== count) throw new Error('The bare loop did not see every skill.');
  },
  ours: async () => {
    const skills = library();
    const scan = await skills.scan();
    if (scan.counts.found !== count) throw new Error(`The scan found ${scan.counts.found} of ${count} skills.`);
    await skills.dispose();
  },
});
report('scan of 1,000 skills (first, nothing cached)', times.ours, times.floor, 'bare loop');
rmSync(home, { recursive: true, force: true });
