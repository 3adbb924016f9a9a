import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Job } from '../../../shared/action/manifest.ts';
import { errnoOf } from '../files/file-error.ts';
import { writeFileAtomic } from '../files/write-file-atomic.ts';
import { processStart } from '../processes/process-tree.ts';

/** `jobs/<id>/job.json`: the job and the process that it belongs to. */
const StoredJob = z.object({
  job: Job,
  process: z.object({ pid: z.int(), started: z.string().nullable() }),
});
export type StoredJob = z.infer<typeof StoredJob>;

export interface JobOwner {
  readonly pid: number;
  /** In the system's own units; null where it can not be seen. */
  readonly started: string | null;
}

export async function ownProcess(): Promise<JobOwner> {
  return { pid: process.pid, started: await processStart(process.pid) };
}

export function isJobId(id: string): boolean {
  return /^[\w-]{1,80}$/.test(id);
}

/** Ids of the jobs on disk, in no order. */
export async function listJobIds(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(isJobId);
}

/** Null when there is no such job or its file can not be read as one; the file stays as it is. */
export async function readJob(folder: string, id: string): Promise<StoredJob | null> {
  try {
    const parsed = StoredJob.safeParse(JSON.parse(await readFile(join(folder, id, 'job.json'), 'utf8')));
    return parsed.success && parsed.data.job.id === id ? parsed.data : null;
  } catch {
    return null;
  }
}

export function writeJob(folder: string, stored: StoredJob): Promise<void> {
  return writeFileAtomic(join(folder, stored.job.id, 'job.json'), `${JSON.stringify(stored, null, 2)}\n`, {
    mode: 0o600,
  });
}

/** Whether the process that a job belongs to still runs, and is not another one with the same number. */
export async function isAlive(owner: JobOwner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EPERM') return false;
  }
  if (owner.started === null) return true;
  const started = await processStart(owner.pid);
  return started === null ? process.platform === 'win32' : started === owner.started;
}
