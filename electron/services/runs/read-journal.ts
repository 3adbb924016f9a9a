import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { AppError } from '../../../shared/errors/app-error.ts';
import { RunEvent, RunHeader } from '../../../shared/run/event.ts';
import { errnoOf, readError } from '../files/file-error.ts';
import { moreMark } from './journal-writer.ts';

export interface Journal {
  readonly header: RunHeader;
  readonly events: readonly RunEvent[];
  /** The last line was torn, or a line could not be read; such lines are left out. */
  readonly damaged: boolean;
  readonly size: number;
  /** The part of the file that holds whole decisions; what is behind it was cut off while it was written. */
  readonly whole_size: number;
}

/**
 * Reads a journal to its end. Errors: RUN_NOT_FOUND (no journal), RUN_JOURNAL_BROKEN (no header can be read),
 * FILE_UNREADABLE.
 */
export async function readJournal(file: string, runId: string): Promise<Journal> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') throw new AppError('RUN_NOT_FOUND', { id: runId }, {}, { cause: thrown });
    throw readError(file, thrown);
  }
  return parseJournal(bytes, file, runId);
}

/** The journal that these bytes are. Errors: RUN_JOURNAL_BROKEN. */
export function parseJournal(bytes: Buffer, file: string, runId: string): Journal {
  const lines = bytes.toString('utf8').split('\n');
  // A file that ends as it should has nothing after its last line end.
  const rest = lines.pop() ?? '';
  const header = readHeader(lines[0] ?? rest);
  if (header === null) {
    throw new AppError('RUN_JOURNAL_BROKEN', { id: runId, detail: 'header' }, { file, line: 1 });
  }
  const collected = new EventLines();
  let offset = 0;
  let wholeSize = bytes.length;
  lines.forEach((line, place) => {
    if (place > 0) collected.add(line);
    offset += Buffer.byteLength(line) + 1;
    if (!collected.isOpen) wholeSize = offset;
  });
  // A header that nothing follows may lack its line end.
  if (lines.length === 0) wholeSize = bytes.length;
  const isTorn = lines.length > 0 && (rest !== '' || collected.isOpen);
  return {
    header,
    events: collected.events,
    damaged: collected.damaged || isTorn,
    size: bytes.length,
    whole_size: wholeSize,
  };
}

/** Reads what another process appends to a journal, as it grows. */
export class JournalTail {
  readonly #file: string;
  #offset: number;
  #rest = Buffer.alloc(0);
  readonly #lines: EventLines;

  /** `offset`: size of what was read already, `lastSeq`: the number of its last event. */
  constructor(file: string, offset: number, lastSeq: number) {
    this.#file = file;
    this.#offset = offset;
    this.#lines = new EventLines(lastSeq);
  }

  /** The events of whole lines that came since the last call. Throws the system's error when the file is gone. */
  read(): RunEvent[] {
    const descriptor = openSync(this.#file, 'r');
    try {
      const block = Buffer.alloc(64 * 1024);
      for (;;) {
        const length = readSync(descriptor, block, 0, block.length, this.#offset);
        if (length === 0) break;
        this.#offset += length;
        this.#rest = Buffer.concat([this.#rest, block.subarray(0, length)]);
      }
    } finally {
      closeSync(descriptor);
    }
    const end = this.#rest.lastIndexOf(10);
    if (end < 0) return [];
    for (const line of this.#rest.subarray(0, end).toString('utf8').split('\n')) this.#lines.add(line);
    this.#rest = this.#rest.subarray(end + 1);
    return this.#lines.take();
  }
}

/** Whether these events end a run: nothing comes after them. */
export function endsRun(events: readonly RunEvent[]): boolean {
  const last = events.at(-1)?.kind;
  return last === 'run_ended' || last === 'run_interrupted';
}

class EventLines {
  readonly events: RunEvent[] = [];
  damaged = false;
  lastSeq: number;
  /** Events whose decision is not whole yet. */
  #open: RunEvent[] = [];

  constructor(lastSeq = -1) {
    this.lastSeq = lastSeq;
  }

  add(line: string): void {
    if (line === '') return;
    const event = readEvent(line);
    // A number that was there already is a line of somebody who should not have written; a gap is a lost line.
    if (event === null || event.seq <= this.lastSeq) {
      this.damaged = true;
      return;
    }
    if (event.seq !== this.lastSeq + 1 || (event.kind === 'run_interrupted' && event.torn)) this.damaged = true;
    this.lastSeq = event.seq;
    this.#open.push(event);
    if (line.endsWith(moreMark)) return;
    this.events.push(...this.#open);
    this.#open = [];
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** The whole decisions so far, each once. */
  take(): RunEvent[] {
    return this.events.splice(0);
  }
}

function readHeader(line: string): RunHeader | null {
  const value = parsed(line);
  const result = RunHeader.safeParse(value);
  return result.success ? result.data : null;
}

function readEvent(line: string): RunEvent | null {
  const result = RunEvent.safeParse(parsed(line));
  return result.success ? result.data : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
