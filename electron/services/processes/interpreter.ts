import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';
import { createProgramFinder } from '../skills/find-program.ts';
import { searchPath } from './env.ts';

/**
 * The program that runs files with this extension (`.py`, `.mjs` ...); null for a file that is a program itself.
 * Python: the setting, else the skill's own `.venv`, else python3, python, py. Errors: PROGRAM_NOT_FOUND.
 */
export async function findInterpreter(
  extension: string,
  options: { readonly python: string; readonly skillFolder: string },
): Promise<string | null> {
  switch (extension.toLowerCase()) {
    case '.py':
      return await findPython(options.python, options.skillFolder);
    case '.js':
    case '.mjs':
    case '.cjs':
      return findNode();
    case '.sh':
      return firstOnPath(['sh', 'bash'], 'sh');
    default:
      return null;
  }
}

async function findPython(setting: string, skillFolder: string): Promise<string> {
  if (setting !== '') return setting;
  const own = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  for (const folder of ['.venv', 'venv']) {
    const program = join(skillFolder, folder, ...own);
    if (await isExecutable(program)) return program;
  }
  return firstOnPath(['python3', 'python', 'py'], 'python3');
}

/** In the desktop application our own program is Electron, which does not run scripts. */
function findNode(): string {
  return process.versions['electron'] === undefined ? process.execPath : firstOnPath(['node'], 'node');
}

function firstOnPath(names: readonly string[], shown: string): string {
  const find = createProgramFinder({ ...process.env, PATH: searchPath() });
  for (const name of names) {
    const program = find(name);
    if (program !== null) return program;
  }
  throw new AppError('PROGRAM_NOT_FOUND', { program: shown });
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
