import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { AppError } from '../../../shared/errors/app-error.ts';
import { errnoOf, writeError } from './file-error.ts';

/** A lock whose owner gave no sign of life for this long was left by a dead process. */
const staleMs = 2_000;
/** About ten seconds. */
const attempts = 220;
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while no other process (and no other call of this one) works on the same file. The lock is a folder
 * beside the file, so the folder must be writable. Errors: FILE_LOCKED after about ten seconds, FILE_UNWRITABLE.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  // Calls of one process wait for each other in order; only the first of them has to ask the file system.
  const before = queues.get(file) ?? Promise.resolve();
  const mine = before.then(
    () => locked(file, work),
    () => locked(file, work),
  );
  queues.set(file, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(file) === mine) queues.delete(file);
  }
}

/** Whether a name in a folder is a lock; watchers and listings pass over them. */
export function isLockName(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.lock');
}

async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(file);
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

async function acquire(file: string): Promise<() => Promise<void>> {
  const lockfilePath = join(dirname(file), `.${basename(file)}.lock`);
  try {
    await mkdir(dirname(file), { recursive: true });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await lock(file, {
          realpath: false,
          lockfilePath,
          stale: staleMs,
          update: staleMs / 2,
          // Losing the lock (a machine that slept) costs an update at worst: every write is whole and checks its revision.
          onCompromised: () => undefined,
        });
      } catch (thrown) {
        // The library's own retries would also wait for a folder that can never be written.
        if (errnoOf(thrown) !== 'ELOCKED' || attempt === attempts) throw thrown;
        await delay(Math.min(5 + attempt * 2, 50) * (0.5 + Math.random()));
      }
    }
  } catch (thrown) {
    if (errnoOf(thrown) === 'ELOCKED') throw new AppError('FILE_LOCKED', { file }, { file }, { cause: thrown });
    throw writeError(file, thrown);
  }
}
