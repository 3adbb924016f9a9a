import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export type ProgramFinder = (name: string) => string | null;

/**
 * Looks programs up on PATH by bare name, as the system would, and remembers the answers. On Windows each suffix of
 * PATHEXT is tried unless the name has one. `env` is the environment that the programs will be started with.
 */
export function createProgramFinder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramFinder {
  const windows = platform === 'win32';
  const path = env['PATH'] ?? env['Path'] ?? '';
  const folders = [
    ...new Set(path.split(windows ? ';' : delimiter).map((folder) => folder.replace(/^"|"$/g, ''))),
  ].filter((folder) => isAbsolute(folder));
  const suffixes = windows
    ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((suffix) => suffix !== '')
    : [''];
  const known = new Map<string, string | null>();
  return (name) => {
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const found = search(name, folders, candidateNames(name, suffixes), windows);
    known.set(name, found);
    return found;
  };
}

function candidateNames(name: string, suffixes: readonly string[]): string[] {
  const has = suffixes.some((suffix) => suffix !== '' && name.toLowerCase().endsWith(suffix.toLowerCase()));
  return has ? [name] : suffixes.map((suffix) => name + suffix);
}

function search(name: string, folders: readonly string[], names: readonly string[], windows: boolean): string | null {
  if (/[\\/\0]/.test(name)) return null;
  for (const folder of folders) {
    for (const candidate of names) {
      const file = join(folder, candidate);
      if (statSync(file, { throwIfNoEntry: false })?.isFile() && (windows || isExecutable(file))) return file;
    }
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
