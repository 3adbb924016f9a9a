import { open } from 'node:fs/promises';
import { errnoOf, readError } from '../files/file-error.ts';

const partLimit = 256 * 1024;

/**
 * At most 256 KB of a text file from `offset` (bytes; below 0 counts from the end), cut between characters. The result's
 * `offset` is where its text begins. Null when there is no such file. Errors: FILE_UNREADABLE.
 */
export async function readLogPart(
  file: string,
  offset: number,
): Promise<{ text: string; offset: number; size: number } | null> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const from = Math.min(size, offset < 0 ? Math.max(0, size + offset) : offset);
      const bytes = Buffer.alloc(Math.min(partLimit, size - from));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      const read = bytes.subarray(0, bytesRead);
      const start = from === 0 ? 0 : characterStart(read, 0);
      const end = from + bytesRead < size ? lastCharacterEnd(read) : bytesRead;
      return { text: read.subarray(start, Math.max(start, end)).toString('utf8'), offset: from + start, size };
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw readError(file, thrown);
  }
}

/** The first place from `at` on where a character begins. */
function characterStart(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place < bytes.length && place < at + 4 && ((bytes[place] ?? 0) & 0xc0) === 0x80) place += 1;
  return place;
}

/** The end without a character of which only the beginning was read. */
function lastCharacterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
