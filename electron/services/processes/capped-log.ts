import { createWriteStream, type WriteStream } from 'node:fs';

/**
 * A log file of limited size. After the limit only the amount is counted; `finish` then adds a note and the last part.
 * A file that can not be written is given up: the program it belongs to goes on.
 */
export class CappedLog {
  readonly #stream: WriteStream;
  readonly #limit: number;
  #written = 0;
  #left = 0;
  #broken: Error | null = null;

  constructor(file: string, limitBytes: number) {
    this.#limit = limitBytes;
    this.#stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
    this.#stream.on('error', (error) => {
      this.#broken = error;
      this.#stream.emit('drain');
    });
  }

  /** The reason why nothing is written any more; null when all is well. */
  get problem(): Error | null {
    return this.#broken;
  }

  /** False when the disk is behind: wait for `drained` before reading more. */
  write(text: string): boolean {
    if (this.#broken !== null || text === '') return true;
    const bytes = Buffer.from(text);
    const room = this.#limit - this.#written;
    const part = bytes.length <= room ? bytes : bytes.subarray(0, characterEnd(bytes, room));
    // One cut ends the writing; a small later piece that would fit must not stand behind a gap.
    if (part.length < bytes.length) this.#written = this.#limit;
    else this.#written += part.length;
    this.#left += bytes.length - part.length;
    return part.length === 0 || this.#stream.write(part);
  }

  drained(callback: () => void): void {
    this.#stream.once('drain', callback);
  }

  /** Closes the file; `tail` is the last part of the output, written when something was left out. */
  async finish(tail: string): Promise<void> {
    if (this.#left > 0 && this.#broken === null) {
      const kept = tail.slice(-16 * 1024);
      this.#stream.write(`\n[... output cut here: ${this.#left} bytes left out; its last part follows ...]\n${kept}`);
    }
    await new Promise<void>((resolve) => {
      if (this.#broken !== null || this.#stream.closed) resolve();
      else {
        this.#stream.once('close', resolve);
        this.#stream.end();
      }
    });
  }
}

/** The largest cut not above `at` that does not fall inside a character. */
function characterEnd(bytes: Uint8Array, at: number): number {
  let end = Math.max(0, at);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
