import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';
import { errnoOf, readError, writeError } from '../files/file-error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { localTime } from '../files/local-time.ts';
import { readTextFile } from '../files/read-text-file.ts';

export interface MemoryLine {
  /** Name of the file in the memory folder. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

const memoryFile = 'MEMORY.md';
/** `2026-01-31.md`, or with words behind the date. */
const logName = /^\d{4}-\d{2}-\d{2}(?:[-_ ].*)?\.md$/;
/** How many of the newest logs are searched. */
const searchedLogs = 90;
const largestFile = 4 * 1024 * 1024;
const longestLine = 500;

/**
 * Adds an entry to the log of the day (`YYYY-MM-DD.md`, local time). What others add at the same time stays; an entry
 * that could not be written whole is taken back. `atMs`: ms since 1970. Errors: FILE_UNWRITABLE, FILE_LOCKED.
 */
export async function saveMemory(
  folder: string,
  entry: { readonly text: string; readonly title?: string | undefined },
  atMs: number,
): Promise<{ file: string }> {
  const [day = '', time = ''] = localTime(atMs).split('T');
  const name = `${day}.md`;
  const file = join(folder, name);
  const heading = `## ${time.slice(0, 5)}${entry.title ? ` ${entry.title.replaceAll(/\s+/g, ' ').trim()}` : ''}`;
  const body = `${heading}\n\n${entry.text.replaceAll('\r\n', '\n').trim()}\n`;
  await withFileLock(file, async () => {
    try {
      // Appending keeps what other programs append without our lock.
      const handle = await open(file, 'a+');
      try {
        const { size } = await handle.stat();
        try {
          await handle.writeFile(`${size === 0 ? `# ${day}\n\n` : await gap(handle, size)}${body}`);
          await handle.sync();
        } catch (thrown) {
          await handle.truncate(size);
          throw thrown;
        }
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      throw writeError(file, thrown);
    }
  });
  return { file: name };
}

/**
 * The lines of MEMORY.md and of the newest logs that hold words of the query, case ignored: those with the most
 * different words first, then MEMORY.md, then the newest log. `skipped`: files that are no readable text.
 */
export async function searchMemory(
  folder: string,
  query: string,
  limit: number,
): Promise<{ lines: MemoryLine[]; searched: string[]; skipped: string[] }> {
  const words = [...new Set(folded(query).split(/\s+/).filter(Boolean))];
  const found: (MemoryLine & { readonly words: number })[] = [];
  const searched: string[] = [];
  const skipped: string[] = [];
  for (const name of await filesOf(folder)) {
    const text = await readMemoryFile(join(folder, name));
    if (text === undefined) continue;
    if (text === null) {
      skipped.push(name);
      continue;
    }
    searched.push(name);
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const held = folded(line);
      const count = words.filter((word) => held.includes(word)).length;
      if (count > 0) found.push({ file: name, line: index + 1, text: line.trim().slice(0, longestLine), words: count });
    }
  }
  found.sort((a, b) => b.words - a.words);
  return { lines: found.slice(0, limit).map(({ words: _, ...line }) => line), searched, skipped };
}

async function filesOf(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw readError(folder, thrown);
  }
  const logs = names.filter((name) => logName.test(name)).sort((a, b) => (a < b ? 1 : -1));
  return [...names.filter((name) => name === memoryFile), ...logs.slice(0, searchedLogs)];
}

/** Undefined when it is gone meanwhile, null when it can not be read as text. */
async function readMemoryFile(file: string): Promise<string | null | undefined> {
  try {
    return (await readTextFile(file, largestFile))?.text.replace(/^\uFEFF/, '');
  } catch (thrown) {
    if (thrown instanceof AppError) return null;
    throw thrown;
  }
}

/** What has to stand between the end of the file and a new entry. */
async function gap(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] === 0x0a ? '\n' : '\n\n';
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
