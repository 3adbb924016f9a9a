import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What another process may ask of the owner of a run. */
const RunCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    question_id: z.string(),
    answer: z.string(),
    note: z.string().max(10_000).optional(),
  }),
  z.object({ kind: z.literal('cancel'), force: z.boolean() }),
]);
export type RunCommand = z.infer<typeof RunCommand>;

const pollMs = 250;

/**
 * Puts a command into the inbox of a run, whole or not at all. Returns a function that says whether the owner has taken
 * it, and one that takes it back.
 */
export async function sendCommand(folder: string, command: RunCommand, unique: string) {
  await mkdir(folder, { recursive: true });
  const name = `${String(Date.now()).padStart(15, '0')}-${unique.replaceAll(/[^A-Za-z0-9]/g, '')}.json`;
  const file = join(folder, name);
  await writeFile(`${file}.new`, JSON.stringify(command), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return {
    isTaken: async () => !(await readdir(folder).catch(() => [name])).includes(name),
    takeBack: () => rm(file, { force: true }),
  };
}

/**
 * Hands the commands that arrive in a folder to `onCommand`, oldest first, each once. Looks when the system tells of a
 * change and, because that is not certain on every disk, four times a second. Returns the way to stop.
 */
export function watchInbox(
  folder: string,
  onCommand: (command: RunCommand) => void,
  onBroken: (file: string, thrown: unknown) => void,
): () => void {
  let stopped = false;
  let looking = false;
  const look = async () => {
    if (stopped || looking) return;
    looking = true;
    try {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
      for (const name of names) await take(join(folder, name));
    } catch {
      // The folder was removed with its run.
    } finally {
      looking = false;
    }
  };
  const take = async (file: string) => {
    let command: RunCommand | null = null;
    try {
      command = RunCommand.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch (thrown) {
      onBroken(file, thrown);
    }
    // Done first, taken away after: whoever sent it sees the effect as soon as the file is gone.
    if (command !== null && !stopped) onCommand(command);
    await rm(file, { force: true });
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(folder, () => void look());
    watcher.on('error', () => undefined);
  } catch {
    // Looking regularly is enough.
  }
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  void look();
  return () => {
    stopped = true;
    clearInterval(timer);
    watcher?.close();
  };
}
