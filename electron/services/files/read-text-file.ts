import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { AppError } from '../../../shared/errors/app-error.ts';
import { errnoOf, readError } from './file-error.ts';

export interface TextFile {
  /** The bytes as text, a byte order mark included: writing it back gives the same bytes. */
  readonly text: string;
  /** SHA-256 of the bytes, hex. */
  readonly revision: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

const defaultLimitBytes = 32 * 1024 * 1024;

/**
 * Reads a UTF-8 text file whole; null when there is none. Errors: FILE_UNREADABLE (also for bytes that are not UTF-8,
 * detail `not UTF-8`), TOO_LARGE.
 */
export async function readTextFile(file: string, limitBytes = defaultLimitBytes): Promise<TextFile | null> {
  try {
    const info = await stat(file);
    if (info.size > limitBytes) throw new AppError('TOO_LARGE', { detail: `${info.size} bytes` }, { file });
    const bytes = await readFile(file);
    return {
      text: decodeUtf8(file, bytes),
      revision: revisionOf(bytes),
      bytes: bytes.length,
      modifiedMs: info.mtimeMs,
    };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw readError(file, thrown);
  }
}

/** SHA-256 of a text's UTF-8 bytes, or of bytes, as hex. */
export function revisionOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function decodeUtf8(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('FILE_UNREADABLE', { file, detail: 'not UTF-8' }, { file }, { cause });
  }
}
