import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, writeError } from './file-error.ts';

/** The two system calls that a full disk or a busy scanner make fail; a test hands in its own. */
export interface WriteSteps {
  write(handle: FileHandle, content: string | Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

const realSteps: WriteSteps = { write: (handle, content) => handle.writeFile(content), rename };
/** Waits between tries of the rename: a virus scanner or an indexer holds a file for a moment (Windows). */
const renameWaitsMs = [5, 20, 50, 100, 200, 400];
const busyCodes = new Set(['EPERM', 'EBUSY', 'EACCES']);
const temporaryName = /^\.(.+)\.(\d+)-[0-9a-f]{12}\.tmp$/;

/**
 * Replaces a file whole: written beside its place, synced, renamed. A reader, or whoever comes after a crash at any
 * moment, finds the old file or the new one. Makes the folder when it is missing; follows a link; keeps the mode.
 * Errors: FILE_UNWRITABLE, FILE_LOCKED; the old file is whole then.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: { readonly mode?: number; readonly steps?: WriteSteps } = {},
): Promise<void> {
  const steps = options.steps ?? realSteps;
  try {
    const target = await realpath(file).catch(() => file);
    await mkdir(dirname(target), { recursive: true });
    const mode = options.mode ?? (await stat(target).catch(() => null))?.mode ?? 0o666;
    const temporary = temporaryFor(target);
    try {
      await writeSynced(temporary, content, mode & 0o777, steps);
      await renameWithPatience(temporary, target, steps);
    } catch (thrown) {
      await unlink(temporary).catch(() => undefined);
      throw thrown;
    }
    await syncFolder(dirname(target));
  } catch (thrown) {
    throw writeError(file, thrown);
  }
}

/** Whether a file name is one of this writer's temporary names; watchers and listings pass over them. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/** Removes what writers that no longer live left behind in a folder. Returns how many files that were. */
export async function removeLeftovers(folder: string, isAlive: (pid: number) => boolean): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = temporaryName.exec(name)?.[2];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await unlink(join(folder, name)).then(
      () => {
        removed += 1;
      },
      () => undefined,
    );
  }
  return removed;
}

/** Moves a file, trying again for about a second while another program holds it. */
export async function renameWithPatience(from: string, to: string, steps: Pick<WriteSteps, 'rename'> = realSteps) {
  for (const waitMs of renameWaitsMs) {
    try {
      return await steps.rename(from, to);
    } catch (thrown) {
      if (!busyCodes.has(errnoOf(thrown))) throw thrown;
      await delay(waitMs);
    }
  }
  return steps.rename(from, to);
}

function temporaryFor(target: string): string {
  // A long name may be at the limit of the file system already; the temporary one must not go over it.
  const stem = Buffer.from(basename(target))
    .subarray(0, 200)
    .toString('latin1')
    .replace(/[^\w.-]/g, '_');
  return join(dirname(target), `.${stem}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}

async function writeSynced(file: string, content: string | Uint8Array, mode: number, steps: WriteSteps) {
  const handle = await open(file, 'wx', mode);
  try {
    await steps.write(handle, content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can not open a folder; the rename is durable there without it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
