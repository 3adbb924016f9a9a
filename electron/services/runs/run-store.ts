import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { RunSummary } from '../../../shared/run/event.ts';
import { foldRun, type RunState, summarize } from '../../../shared/run/run-state.ts';
import { errnoOf } from '../files/file-error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { writeFileAtomic } from '../files/write-file-atomic.ts';
import type { Log } from '../log.ts';
import { endMarked } from '../processes/end-marked.ts';
import { JournalWriter } from './journal-writer.ts';
import { runMark } from './live-run.ts';
import { endsRun, type Journal, readJournal } from './read-journal.ts';
import { isRunId, type RunFolder, runFolder } from './run-folder.ts';
import { isAlive, type Owner, readOwner, removeOwner } from './run-owner.ts';

const StoredSummary = z.object({ journal_size: z.number(), summary: RunSummary });

/** A journal and the state that it tells of. */
export interface StoredRun extends Journal {
  readonly state: RunState;
}

/**
 * The runs of a data home as they are on the disk: this process's own, those of other processes, and those whose
 * process died. A summary is remembered by the size of its journal, which only grows.
 */
export class RunStore {
  readonly folder: string;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #summaries = new Map<string, { size: number; summary: RunSummary }>();

  constructor(home: string, now: () => number, log: Log) {
    this.folder = join(home, 'runs');
    this.#now = now;
    this.#log = log;
  }

  at(runId: string): RunFolder {
    return runFolder(this.folder, runId);
  }

  /** Ids of all runs, newest first. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter(isRunId).sort().reverse();
  }

  /** Errors: RUN_NOT_FOUND, RUN_JOURNAL_BROKEN, FILE_UNREADABLE. */
  async read(runId: string): Promise<StoredRun> {
    const journal = await readJournal(this.at(runId).journal, runId);
    try {
      const { chain } = parseChainFile(journal.header.chain_text);
      return { ...journal, state: foldRun(journal.header, chain, journal.events) };
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      const params = { id: runId, detail: thrown.message };
      throw new AppError('RUN_JOURNAL_BROKEN', params, { file: this.at(runId).journal, line: 1 }, { cause: thrown });
    }
  }

  /** Null for a folder without a journal: its process died before the run began. */
  async summary(runId: string): Promise<RunSummary | null> {
    const folder = this.at(runId);
    const info = await stat(folder.journal).catch(() => null);
    if (info === null) return null;
    const known = this.#summaries.get(runId) ?? (await readStoredSummary(folder.summary));
    if (known?.size === info.size) {
      this.#summaries.set(runId, known);
      return known.summary;
    }
    try {
      const run = await this.read(runId);
      const summary = summarize(run.header, run.state, run.damaged);
      this.#summaries.set(runId, { size: run.size, summary });
      return summary;
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      if (thrown.code === 'RUN_NOT_FOUND') return null;
      return unreadable(runId, info.mtimeMs);
    }
  }

  /** Remembers the summary of a run that has ended, so that nobody has to read its journal for the list. */
  async keepSummary(runId: string, summary: RunSummary): Promise<void> {
    const folder = this.at(runId);
    try {
      const { size } = await stat(folder.journal);
      this.#summaries.set(runId, { size, summary });
      await writeFileAtomic(folder.summary, JSON.stringify({ journal_size: size, summary }));
    } catch (thrown) {
      this.#log.warn('the summary of a run can not be kept', { run: runId, error: thrown });
    }
  }

  /** The living process that a run belongs to; null when there is none. */
  async livingOwner(runId: string): Promise<Owner | null> {
    const file = this.at(runId).owner;
    const owner = await readOwner(file);
    return owner !== null && (await isAlive(owner, file)) ? owner : null;
  }

  /**
   * Marks a run whose process died as interrupted and ends what that process left running. Returns its summary, or
   * null when there was nothing to do: it has ended, it lives, or somebody else was faster.
   */
  async recover(runId: string): Promise<RunSummary | null> {
    const folder = this.at(runId);
    const known = await this.summary(runId);
    if (known === null || known.ended_at !== null) return null;
    if ((await this.livingOwner(runId)) !== null) return null;
    const changed = await withFileLock(folder.journal, async () => {
      const journal = await readJournal(folder.journal, runId).catch(() => null);
      if (journal === null || endsRun(journal.events)) return false;
      const { found, left } = await endMarked(runMark(runId), 0);
      const lastAt = journal.events.at(-1)?.at ?? 0;
      const seq = (journal.events.at(-1)?.seq ?? -1) + 1;
      const writer = JournalWriter.reopen(folder.journal, journal.whole_size);
      try {
        const torn = journal.whole_size < journal.size ? { torn: true } : {};
        writer.append([{ seq, at: Math.max(lastAt, this.#now()), kind: 'run_interrupted', ...torn }], true);
      } finally {
        writer.close();
      }
      this.#log.info('a run was interrupted', { run: runId, processes_ended: found - left, processes_left: left });
      return true;
    });
    await removeOwner(folder.owner);
    if (!changed) return null;
    const summary = await this.summary(runId);
    if (summary !== null) await this.keepSummary(runId, summary);
    return summary;
  }

  async remove(runId: string): Promise<void> {
    const { folder } = this.at(runId);
    // Moved out of the list first: a removal that is cut off must not leave half a run.
    const aside = join(this.folder, `.removed-${runId}`);
    try {
      await rename(folder, aside);
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOENT') throw new AppError('RUN_NOT_FOUND', { id: runId }, {}, { cause: thrown });
      throw thrown;
    }
    this.#summaries.delete(runId);
    await rm(aside, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Ends removals that were cut off. */
  async removeLeftovers(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith('.removed-'))) {
      await rm(join(this.folder, name), { recursive: true, force: true });
    }
  }
}

async function readStoredSummary(file: string): Promise<{ size: number; summary: RunSummary } | undefined> {
  try {
    const { journal_size, summary } = StoredSummary.parse(JSON.parse(await readFile(file, 'utf8')));
    return { size: journal_size, summary };
  } catch {
    return undefined;
  }
}

/** A row for a run whose journal can not be read: it is there, so it is listed. */
function unreadable(runId: string, changedMs: number): RunSummary {
  const at = new Date(changedMs).toISOString();
  return {
    run_id: runId,
    chain_name: '',
    state: 'interrupted',
    started_at: at,
    ended_at: at,
    duration_ms: null,
    steps_total: 0,
    steps_by_state: {},
    retries: 0,
    open_questions: 0,
    source: '',
    damaged: true,
  };
}
