import { writeFileSync } from 'node:fs';
import { readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { processStart } from '../processes/process-tree.ts';

const Owner = z.object({ pid: z.number().int().positive(), start: z.string().nullable(), host: z.string() });
/** The process that a run belongs to. `start` tells it from a later process with the same number. */
export type Owner = z.infer<typeof Owner>;

export async function ownProcess(): Promise<Owner> {
  return { pid: process.pid, start: await processStart(process.pid), host: hostname() };
}

/** Takes a run that nobody has. */
export function writeOwner(file: string, owner: Owner): void {
  writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
}

/** Null when the run belongs to nobody (it has ended) or the file says nothing. */
export async function readOwner(file: string): Promise<Owner | null> {
  try {
    return Owner.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

export async function removeOwner(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** How often an owner says that it lives, for machines that can not look at its processes. */
export const signOfLifeMs = 20_000;
const lifeMs = 120_000;

/** Says that the owner of this file lives. */
export async function giveSignOfLife(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}

/**
 * Whether the owner still lives. One on another machine (a data home on a shared disk, or a machine whose name has
 * changed) can not be asked; it lives as long as it gives signs of life.
 */
export async function isAlive(owner: Owner, file: string): Promise<boolean> {
  if (owner.host !== hostname()) {
    const info = await stat(file).catch(() => null);
    return info !== null && Date.now() - info.mtimeMs < lifeMs;
  }
  if (!exists(owner.pid)) return false;
  const start = await processStart(owner.pid);
  return start === null || owner.start === null ? process.platform !== 'linux' : start === owner.start;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
