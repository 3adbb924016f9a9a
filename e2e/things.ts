import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './host.ts';

/** A skill folder below ~/.claude/skills with the tiny programs of `programs/` as its scripts. */
export function addProgramsSkill(home: Home, name = 'programs'): void {
  const folder = join(home.home, '.claude', 'skills', name);
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  writeFileSync(
    join(folder, 'SKILL.md'),
    `---\nname: ${name}\ndescription: Tiny programs for tests.\n---\n\n# ${name}\n`,
  );
  for (const file of readdirSync('e2e/programs')) {
    copyFileSync(join('e2e/programs', file), join(folder, 'scripts', file));
  }
}

/** Skills that do nothing, to be seen in the palette. */
export function addPlainSkills(home: Home, names: readonly string[]): void {
  for (const name of names) {
    const folder = join(home.home, '.claude', 'skills', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: What ${name} does.\n---\n\n# ${name}\n`);
  }
}

export function chainFile(home: Home, name: string): string {
  return join(home.data, 'chains', `${name}.json`);
}

/** Writes a chain file as another program would. */
export function addChain(home: Home, name: string, steps: readonly object[], more: object = {}): string {
  mkdirSync(join(home.data, 'chains'), { recursive: true });
  const text = `${JSON.stringify({ name, ...more, steps: steps.map((step, at) => ({ index: at + 1, ...step })) }, null, 2)}\n`;
  writeFileSync(chainFile(home, name), text);
  return text;
}

/** A step that runs one of the tiny programs. */
export function programStep(program: string, args: readonly (string | number)[] = [], more: object = {}): object {
  return {
    skill_name: 'programs',
    step_name: program.replace(/\.\w+$/, ''),
    action: `run ${program}`,
    kind: 'skill_exec',
    with: { entrypoint: program, args: args.map(String) },
    ...more,
  };
}

/**
 * Process ids whose environment names this run; Linux only. They are the proof that a stop left nothing behind.
 */
export function processesOfRun(runId: string): number[] {
  const found: number[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const environment = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
      // A zombie shows no environment; it holds nothing and waits only for its parent.
      if (environment.includes(`SKILL_SUB_RUN_ID=${runId}`)) found.push(Number(entry));
    } catch {
      // It has ended meanwhile, or belongs to another user.
    }
  }
  return found;
}
