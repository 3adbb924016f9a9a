import { useEffect } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { Chain } from '../../shared/chain/chain.ts';
import { parseChainFile } from '../../shared/chain/chain-file.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { LogChunk, RunEvent, RunHeader } from '../../shared/run/event.ts';
import { applyEvent, foldRun, type RunState, type StepRunState } from '../../shared/run/run-state.ts';
import { api, readError } from '../api/client.ts';

/** One run as the window follows it. */
export interface RunView {
  /** Null until the journal was read. */
  readonly header: RunHeader | null;
  /** The chain as it was when the run started. */
  readonly chain: Chain | null;
  readonly state: RunState | null;
  readonly events: readonly RunEvent[];
  /** The newest output of all steps while it was watched, oldest first; whole outputs: `useStepLog`. */
  readonly logs: readonly LogChunk[];
  /** The journal's last line was torn, or a line could not be read. */
  readonly damaged: boolean;
  /** Events arrive as they happen; false for an ended run and while the connection is lost. */
  readonly connected: boolean;
  readonly error: AppError | null;
}

const empty: RunView = {
  header: null,
  chain: null,
  state: null,
  events: [],
  logs: [],
  damaged: false,
  connected: false,
  error: null,
};
const keptChunks = 2000;
const retryDelayMs = 1000;

interface Followed {
  readonly store: StoreApi<RunView>;
  users: number;
  /** Null before the first user came. */
  stop: AbortController | null;
}

const followed = new Map<string, Followed>();
const nothing = createStore<RunView>(() => empty);

/** Follows a run while the component is mounted: its journal from the start, then live, across lost connections. */
export function useRun(runId: string | null): RunView {
  return useStore(useRunStore(runId));
}

/** The state of one step; the component draws again only when this step changed. Null before the journal was read. */
export function useStepState(runId: string | null, stepId: string): StepRunState | null {
  return useStore(useRunStore(runId), (view) => view.state?.steps.get(stepId) ?? null);
}

/** Part of a run, chosen by `select`; draws again only when the chosen value changed. */
export function useRunPart<Part>(runId: string | null, select: (view: RunView) => Part): Part {
  return useStore(useRunStore(runId), select);
}

/** Calls `listener` with every piece of output of one try, as it arrives. Returns how to stop. */
export function onOutput(runId: string, stepId: string, tryNumber: number, listener: () => void): () => void {
  const store = followed.get(runId)?.store;
  if (store === undefined) return () => {};
  return store.subscribe((view, before) => {
    if (view.logs === before.logs && view.state === before.state) return;
    const step = view.state?.steps.get(stepId);
    const stepBefore = before.state?.steps.get(stepId);
    const printed =
      view.logs !== before.logs && view.logs.some((chunk) => chunk.step_id === stepId && chunk.try === tryNumber);
    if (printed || step !== stepBefore) listener();
  });
}

function useRunStore(runId: string | null): StoreApi<RunView> {
  const entry = runId === null ? null : entryOf(runId);
  useEffect(() => {
    if (runId === null) return;
    const mine = entryOf(runId);
    mine.users += 1;
    if (mine.stop === null) {
      mine.stop = new AbortController();
      void follow(runId, mine.store, mine.stop.signal);
    }
    return () => {
      mine.users -= 1;
      // The next user of the same render pass (React's double mounting, a tab that opens) takes it over.
      queueMicrotask(() => {
        if (mine.users > 0) return;
        mine.stop?.abort();
        if (followed.get(runId) === mine) followed.delete(runId);
      });
    };
  }, [runId]);
  return entry?.store ?? nothing;
}

function entryOf(runId: string): Followed {
  let entry = followed.get(runId);
  if (entry === undefined) {
    entry = { store: createStore<RunView>(() => empty), users: 0, stop: null };
    followed.set(runId, entry);
  }
  return entry;
}

async function follow(runId: string, store: StoreApi<RunView>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readJournal(runId, store);
      if (signal.aborted) return;
      if (await watchToEnd(runId, store, signal)) return;
    } catch (thrown) {
      if (signal.aborted) return;
      const error = readError(thrown);
      store.setState({ connected: false, error });
      if (error.code === 'RUN_NOT_FOUND' || error.code === 'RUN_JOURNAL_BROKEN') return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
  }
}

async function readJournal(runId: string, store: StoreApi<RunView>): Promise<void> {
  const { header, events, damaged } = await api.runs.get({ run_id: runId });
  const { chain } = parseChainFile(header.chain_text);
  store.setState({ header, chain, damaged, events, state: foldRun(header, chain, events), error: null });
}

/** True when the run has ended, false when the stream ended before it. */
async function watchToEnd(runId: string, store: StoreApi<RunView>, signal: AbortSignal): Promise<boolean> {
  const lastSeq = store.getState().events.at(-1)?.seq ?? -1;
  const batches = await api.runs.watch({ run_id: runId, after_seq: lastSeq }, { signal });
  store.setState({ connected: true });
  for await (const batch of batches) {
    store.setState((view) => withBatch(view, batch.events, batch.logs));
    if (batch.end) {
      store.setState({ connected: false });
      return true;
    }
  }
  store.setState({ connected: false });
  return false;
}

function withBatch(view: RunView, events: readonly RunEvent[], logs: readonly LogChunk[]): Partial<RunView> {
  const last = view.events.at(-1)?.seq ?? -1;
  const fresh = events.filter((event) => event.seq > last);
  const next: { -readonly [K in keyof RunView]?: RunView[K] } = {};
  if (fresh.length > 0 && view.state !== null) {
    next.events = [...view.events, ...fresh];
    next.state = fresh.reduce(applyEvent, view.state);
  }
  if (logs.length > 0) next.logs = [...view.logs, ...logs].slice(-keptChunks);
  return next;
}
