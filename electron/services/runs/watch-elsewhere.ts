import { type FSWatcher, watch } from 'node:fs';
import type { RunBatch } from '../../../shared/api/contract.ts';
import type { LogChunk, RunEvent } from '../../../shared/run/event.ts';
import { applyEvent, hasEnded, type RunState } from '../../../shared/run/run-state.ts';
import { JournalTail } from './read-journal.ts';
import { readLogPart } from './read-log.ts';
import type { RunStore, StoredRun } from './run-store.ts';

const lookMs = 200;
/** Looks between two questions whether the owner still lives. */
const looksPerOwnerCheck = 10;

/**
 * Follows a run of another process by what that process writes: its journal and the logs of its running tries. Ends
 * with the run; when its process has died, the run is marked as interrupted first. `start` is given at once.
 */
export async function* watchElsewhere(
  store: RunStore,
  run: StoredRun,
  start: readonly RunEvent[],
  signal: AbortSignal | undefined,
): AsyncGenerator<RunBatch, void, void> {
  const runId = run.header.run_id;
  const folder = store.at(runId);
  const tail = new JournalTail(folder.journal, run.size, run.state.last_seq);
  const bell = new Bell(folder.journal, signal);
  const logs = new LogTails(folder.logFile, run.state);
  let state = run.state;
  try {
    if (start.length > 0) yield { events: [...start], logs: [], dropped_bytes: 0, end: false };
    for (let look = 0; signal?.aborted !== true; look += 1) {
      if (look % looksPerOwnerCheck === 0 && (await store.livingOwner(runId)) === null) await store.recover(runId);
      const events = tail.read();
      for (const event of events) state = applyEvent(state, event);
      const chunks = await logs.read(events);
      const end = hasEnded(state);
      if (events.length > 0 || chunks.length > 0) yield { events, logs: chunks, dropped_bytes: 0, end };
      if (end) return;
      await bell.rings();
    }
  } finally {
    bell.close();
  }
}

/** Reads on in the logs of the tries that run. */
class LogTails {
  readonly #fileOf: (stepId: string, tryNumber: number) => string;
  readonly #tails = new Map<string, { step_id: string; try: number; offset: number }>();

  constructor(fileOf: (stepId: string, tryNumber: number) => string, state: RunState) {
    this.#fileOf = fileOf;
    for (const step of state.steps.values()) {
      const last = step.tries.at(-1);
      if (step.state === 'running' && last !== undefined) this.#follow(step.id, last.try);
    }
  }

  /** What was printed since the last look; tries that ended with `events` are read to their end, once. */
  async read(events: readonly RunEvent[]): Promise<LogChunk[]> {
    for (const event of events) if (event.kind === 'step_started') this.#follow(event.step_id, event.try);
    const chunks: LogChunk[] = [];
    for (const tail of this.#tails.values()) {
      const part = await readLogPart(this.#fileOf(tail.step_id, tail.try), tail.offset);
      if (part === null || part.text === '') continue;
      tail.offset = part.offset + Buffer.byteLength(part.text);
      chunks.push({ step_id: tail.step_id, try: tail.try, stream: 'stdout', text: part.text });
    }
    for (const event of events) {
      if (event.kind === 'try_succeeded' || event.kind === 'try_failed') {
        this.#tails.delete(`${event.step_id} ${event.try}`);
      }
    }
    return chunks;
  }

  #follow(stepId: string, number: number): void {
    this.#tails.set(`${stepId} ${number}`, { step_id: stepId, try: number, offset: 0 });
  }
}

/** Waits for a change of a file, as the system tells of it, and never longer than a fifth of a second. */
class Bell {
  readonly #watcher: FSWatcher | null;
  readonly #signal: AbortSignal | undefined;
  #wake: (() => void) | null = null;

  constructor(file: string, signal: AbortSignal | undefined) {
    this.#signal = signal;
    try {
      this.#watcher = watch(file, () => this.#wake?.());
      this.#watcher.on('error', () => undefined);
    } catch {
      // Looking regularly is enough.
      this.#watcher = null;
    }
  }

  rings(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#signal?.removeEventListener('abort', done);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, lookMs);
      this.#wake = done;
      this.#signal?.addEventListener('abort', done, { once: true });
    });
  }

  close(): void {
    this.#watcher?.close();
  }
}
