import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { normalizeText, readSkillHead, type SkillHead } from '../../../shared/skill/front-matter.ts';
import { notice } from '../../../shared/skill/notice.ts';
import type { SkillNotice } from '../../../shared/skill/skill.ts';
import { errnoOf } from '../files/file-error.ts';

/** Largest SKILL.md that is read, in bytes; OpenClaw's limit. */
export const skillFileLimit = 256_000;
const firstPart = 4096;
const largeFile = 100_000;
/** Two changes within one tick of a file system's clock look the same. */
const tickMs = 50;

export interface HeadRead {
  /** Null when the file could not be read as text at all; `problem` says why. */
  readonly head: SkillHead | null;
  readonly problem: SkillNotice | null;
  readonly remarks: readonly SkillNotice[];
  readonly sizeBytes: number;
  /** Tells a changed file from one that is still the same. */
  readonly stamp: string;
  /** The last change was long enough before the reading for the stamp to tell of the next one. */
  readonly settled: boolean;
}

// One buffer for all reads: they are synchronous, and a scan makes thousands of them.
const buffer = Buffer.allocUnsafeSlow(skillFileLimit + 1);

/**
 * Reads the head of one SKILL.md: the first 4 KB and, where the front matter goes on, the rest. Synchronous on purpose:
 * it is several times cheaper than a promise per file. Never throws and never waits for a pipe.
 */
export function readHead(file: string, folderName: string): HeadRead {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const info = fstatSync(descriptor);
    const common = { sizeBytes: info.size, stamp: stampOf(info), settled: Date.now() - info.ctimeMs > tickMs };
    const failed = (problem: SkillNotice): HeadRead => ({ head: null, problem, remarks: [], ...common });
    if (!info.isFile()) return failed(notAFile(file, info));
    if (info.size > skillFileLimit) {
      return failed(
        notice('error', 'too_large', { size_kb: kilobytes(info.size), limit_kb: kilobytes(skillFileLimit) }),
      );
    }
    let length = readUpTo(descriptor, firstPart);
    let end = headEnd(length);
    let head = encodingProblem(length) ?? decodeHead(end, folderName, end < length || length === firstPart);
    if (head === null) {
      length = readUpTo(descriptor, skillFileLimit + 1);
      end = length;
      head = decodeHead(end, folderName, false);
    }
    if (head === null || 'code' in head) return failed(head ?? notice('error', 'no_front_matter'));
    const remarks: SkillNotice[] = [];
    if (info.size > largeFile) remarks.push(notice('info', 'large_file', { size_kb: kilobytes(info.size) }));
    if (end < length && length < firstPart && isBlank(end, length)) remarks.push(notice('info', 'body_empty'));
    return { head, problem: null, remarks, ...common };
  } catch (thrown) {
    const detail = errnoOf(thrown) || String(thrown);
    const code = detail === 'ELOOP' ? 'link_loop' : 'unreadable';
    return {
      head: null,
      problem: notice('error', code, { detail }),
      remarks: [],
      sizeBytes: 0,
      stamp: '',
      settled: false,
    };
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** The whole text with LF line ends, at most the limit. Errors of the file system are thrown as they are. */
export function readSkillText(file: string): { text: string; truncated: boolean; badBytes: boolean } {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) return { text: '', truncated: false, badBytes: false };
    const read = readUpTo(descriptor, skillFileLimit + 1);
    const length = Math.min(read, skillFileLimit);
    const bytes = buffer.subarray(0, length);
    return {
      text: normalizeText(bytes.toString('utf8')),
      truncated: read > skillFileLimit,
      badBytes: read <= skillFileLimit && !isUtf8(bytes),
    };
  } finally {
    closeSync(descriptor);
  }
}

/** Changes whenever the file's bytes may have changed. */
export function stampOf(info: Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>): string {
  return `${info.size}:${info.mtimeMs}:${info.ctimeMs}:${info.ino}`;
}

export function notAFile(
  file: string,
  info: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean; isBlockDevice(): boolean },
): SkillNotice {
  const kind = info.isDirectory() ? 'folder' : info.isFIFO() ? 'pipe' : info.isSocket() ? 'socket' : 'device';
  return notice('error', 'not_a_file', { name: file.split(/[\\/]/).pop() ?? '', kind });
}

function readUpTo(descriptor: number, limit: number): number {
  let length = 0;
  while (length < limit) {
    const count = readSync(descriptor, buffer, length, limit - length, length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/** End of the closing fence's line in the common case, so that the body is not decoded; else all that was read. */
function headEnd(length: number): number {
  if (length < 8 || buffer[0] !== 0x2d || buffer[3] !== 0x0a) return length;
  const end = buffer.subarray(0, length).indexOf('\n---\n', 3, 'latin1');
  return end < 0 ? length : end + 5;
}

function encodingProblem(length: number): SkillNotice | null {
  const [first, second] = buffer;
  if (length < 2) return null;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const bare =
    length >= 4 &&
    ((first !== 0 && second === 0 && buffer[3] === 0) || (first === 0 && second !== 0 && buffer[2] === 0));
  return marked || bare ? notice('error', 'utf16', {}, 1) : null;
}

function decodeHead(end: number, folderName: string, partial: boolean): SkillHead | null {
  const text = buffer.toString('utf8', 0, end);
  const badBytes = text.includes('\ufffd') && !isUtf8(buffer.subarray(0, partial ? wholeCharacters(end) : end));
  return readSkillHead(text, { folderName, badBytes, partial });
}

/** `end` without a character that the cut went through. */
function wholeCharacters(end: number): number {
  for (let back = 1; back <= 4 && back <= end; back += 1) {
    const byte = buffer[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? end - back : end;
  }
  return end;
}

function isBlank(from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const byte = buffer[i]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000);
}
