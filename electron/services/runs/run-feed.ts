import type { RunBatch } from '../../../shared/api/contract.ts';
import type { LogChunk, RunEvent } from '../../../shared/run/event.ts';

/** Log text that waits for one reader, in UTF-16 units; what is more is left out, oldest first. */
const waitingLimit = 256 * 1024;
const pauseMs = 100;

/** Hands the events and the output of one run to everyone who watches it. */
export class RunFeed {
  readonly #readers = new Set<FeedReader>();
  #end: { readonly problem: Error | null } | null = null;

  /** A reader that gets everything from now on; after the end it gets the end. */
  subscribe(): FeedReader {
    const reader = new FeedReader(() => this.#readers.delete(reader));
    this.#readers.add(reader);
    if (this.#end !== null) reader.end(this.#end.problem);
    return reader;
  }

  push(events: readonly RunEvent[], logs: readonly LogChunk[]): void {
    for (const reader of this.#readers) reader.push(events, logs);
  }

  /** No more events come; `problem` is what went wrong, when something did. */
  end(problem: Error | null = null): void {
    this.#end = { problem };
    for (const reader of this.#readers) reader.end(problem);
  }
}

/** What waits for one reader. A slow one loses output (and is told how much), never an event. */
export class FeedReader {
  readonly #leave: () => void;
  #events: RunEvent[] = [];
  #logs: LogChunk[] = [];
  #waiting = 0;
  #dropped = 0;
  #ended = false;
  #problem: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(events: readonly RunEvent[], logs: readonly LogChunk[]): void {
    this.#events.push(...events);
    for (const chunk of logs) this.#pushLog(chunk);
    this.#wake?.();
  }

  /** It reads no more. */
  leave(): void {
    this.#leave();
  }

  end(problem: Error | null): void {
    this.#ended = true;
    this.#problem = problem;
    this.#wake?.();
  }

  /**
   * Batches until the run has ended or the signal aborts, at most ten a second. `start` is given first, together with
   * what has come meanwhile. Throws the problem that ended the feed.
   */
  async *batches(start: readonly RunEvent[], signal: AbortSignal | undefined): AsyncGenerator<RunBatch, void, void> {
    this.#events.unshift(...start);
    const abort = () => this.#wake?.();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      while (signal?.aborted !== true) {
        if (this.#isEmpty() && !this.#ended) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = null;
          continue;
        }
        const batch = this.#take();
        if (batch.events.length > 0 || batch.logs.length > 0 || batch.end) yield batch;
        if (this.#ended && this.#isEmpty()) {
          if (this.#problem !== null) throw this.#problem;
          return;
        }
        await pause(signal);
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#leave();
    }
  }

  #isEmpty(): boolean {
    return this.#events.length === 0 && this.#logs.length === 0;
  }

  #take(): RunBatch {
    const batch = {
      events: this.#events,
      logs: this.#logs,
      dropped_bytes: this.#dropped,
      end: this.#ended && this.#problem === null,
    };
    this.#events = [];
    this.#logs = [];
    this.#waiting = 0;
    this.#dropped = 0;
    return batch;
  }

  #pushLog(chunk: LogChunk): void {
    const last = this.#logs.at(-1);
    const same = last?.step_id === chunk.step_id && last.try === chunk.try && last.stream === chunk.stream;
    if (same && last.text.length < 16 * 1024) {
      this.#logs[this.#logs.length - 1] = { ...last, text: last.text + chunk.text };
    } else this.#logs.push(chunk);
    this.#waiting += chunk.text.length;
    while (this.#waiting > waitingLimit && this.#logs.length > 1) {
      const oldest = this.#logs.shift()!;
      this.#waiting -= oldest.text.length;
      this.#dropped += Buffer.byteLength(oldest.text);
    }
  }
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, pauseMs);
    signal?.addEventListener('abort', done, { once: true });
  });
}
