import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunEvent, RunHeader } from '../../../shared/run/event.ts';
import { writeError } from '../files/file-error.ts';

/**
 * Appends to a journal. Writing waits for the system and not for the disk: an event is in the file before anybody can
 * act on it, and a line costs a few microseconds. Errors: FILE_UNWRITABLE; the file then ends with its last whole line.
 */
export class JournalWriter {
  readonly #file: string;
  readonly #descriptor: number;
  #size: number;
  #open = true;

  private constructor(file: string, descriptor: number) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
  }

  /** A new journal with its header; it is on the disk with the first events that are synced. */
  static create(file: string, header: RunHeader): JournalWriter {
    const writer = JournalWriter.#at(file, 'ax');
    writer.#write(`${JSON.stringify(header)}\n`, false);
    syncFolder(dirname(file));
    syncFolder(dirname(dirname(file)));
    return writer;
  }

  /** An existing journal. What a crash cut off stays in the file, as a line that readers pass over. */
  static reopen(file: string): JournalWriter {
    const writer = JournalWriter.#at(file, 'a+');
    if (writer.#size > 0 && !writer.#endsWithLine()) writer.#write('\n', false);
    return writer;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#size;
  }

  append(events: readonly RunEvent[], sync: boolean): void {
    let text = '';
    for (const event of events) text += `${JSON.stringify(event)}\n`;
    this.#write(text, sync);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#descriptor);
  }

  static #at(file: string, flags: string): JournalWriter {
    try {
      return new JournalWriter(file, openSync(file, flags, 0o600));
    } catch (thrown) {
      throw writeError(file, thrown);
    }
  }

  #write(text: string, sync: boolean): void {
    const length = Buffer.byteLength(text);
    try {
      let done = writeSync(this.#descriptor, text);
      // A disk that is nearly full takes a part; the next call then says why.
      const bytes = done < length ? Buffer.from(text) : null;
      while (bytes !== null && done < length) done += writeSync(this.#descriptor, bytes, done, length - done);
      if (sync) fdatasyncSync(this.#descriptor);
    } catch (thrown) {
      this.#takeBack();
      throw writeError(this.#file, thrown);
    }
    this.#size += length;
  }

  /** A full disk takes half a line; the half must not stay. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#descriptor, this.#size);
    } catch {
      // The reader drops a torn last line.
    }
  }

  #endsWithLine(): boolean {
    const last = Buffer.alloc(1);
    readSync(this.#descriptor, last, 0, 1, this.#size - 1);
    return last[0] === 10;
  }
}

/** A new file is only there after a power loss when its folder was written too. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows does not open folders; its file system keeps them by itself.
  }
}
