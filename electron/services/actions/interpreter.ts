import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { ProgramFinder } from '../skills/find-program.ts';

export interface InterpreterContext {
  /** The setting `python`: a path or a program's name; empty = not set. */
  readonly python: string;
  readonly skillFolder: string;
  readonly findProgram: ProgramFinder;
  readonly platform: NodeJS.Platform;
}

/**
 * The program that runs a script, by its extension: Python from the setting, the skill's own `.venv`, then the system;
 * node; sh. Null for any other file: it has to be executable itself. Errors: PROGRAM_NOT_FOUND.
 */
export function interpreterFor(script: string, context: InterpreterContext): string | null {
  if (/\.py$/i.test(script)) return python(context);
  if (/\.(js|mjs|cjs)$/i.test(script)) return node(context);
  if (/\.(sh|bash)$/i.test(script)) return found(context, /\.bash$/i.test(script) ? ['bash'] : ['sh']);
  return null;
}

function python(context: InterpreterContext): string {
  if (context.python.trim() !== '') return chosenPython(context, context.python.trim());
  const windows = context.platform === 'win32';
  const own = windows ? join('.venv', 'Scripts', 'python.exe') : join('.venv', 'bin', 'python');
  const inSkill = join(context.skillFolder, own);
  if (existsSync(inSkill)) return inSkill;
  return found(context, windows ? ['python', 'py', 'python3'] : ['python3', 'python']);
}

function chosenPython(context: InterpreterContext, chosen: string): string {
  if (!/[\\/]/.test(chosen)) return found(context, [chosen]);
  if (!existsSync(chosen)) throw new AppError('PROGRAM_NOT_FOUND', { program: chosen }, { field: 'python' });
  return chosen;
}

/** Ourselves when this is Node; inside Electron the program's own binary is not one. */
function node(context: InterpreterContext): string {
  return process.versions['electron'] === undefined ? process.execPath : found(context, ['node']);
}

function found(context: InterpreterContext, names: readonly string[]): string {
  for (const name of names) {
    const program = context.findProgram(name);
    if (program !== null) return program;
  }
  throw new AppError('PROGRAM_NOT_FOUND', { program: names[0]! });
}
