import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunEvent, RunHeader } from '../../../shared/run/event.ts';
import { writeError } from '../files/file-error.ts';

/** The end of a line that is not the last of its decision. */
export const moreMark = ',"more":true}';

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

  /** An existing journal, of which `wholeSize` bytes are whole decisions: what a crash left half written is cut off. */
  static reopen(file: string, wholeSize: number): JournalWriter {
    const writer = JournalWriter.#at(file, 'a+');
    if (writer.#size <= wholeSize) return writer;
    writer.#size = wholeSize;
    writer.#takeBack();
    return writer;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#size;
  }

  /** The events of one decision; each but the last says that more follow, so that a reader takes all of them or none. */
  append(events: readonly RunEvent[], sync: boolean): void {
    let text = '';
    const last = events.length - 1;
    events.forEach((event, place) => {
      const line = JSON.stringify(event);
      text += place === last ? `${line}\n` : `${line.slice(0, -1)}${moreMark}\n`;
    });
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
