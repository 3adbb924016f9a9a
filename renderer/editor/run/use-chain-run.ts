import { useCallback, useEffect, useRef, useState } from 'react';
import type { AppError } from '../../../shared/errors/app-error.ts';
import type { RunStateName } from '../../../shared/run/event.ts';
import { api, readError } from '../../api/client.ts';
import { useRunPart } from '../../stores/run-store.ts';
import { useRuns } from '../../stores/runs-store.ts';
import { useEditor } from '../state/editor-context.ts';
import type { OpenChain } from '../state/open-chains.ts';

export interface ChainRun {
  readonly runId: string | null;
  readonly state: RunStateName | null;
  /** Programs may still be running or stopping. */
  readonly active: boolean;
  readonly starting: boolean;
  /** When the person asked to stop; null when nobody did. */
  readonly stopAsked: number | null;
  readonly error: AppError | null;
  start(): Promise<void>;
  stop(force?: boolean): Promise<void>;
  clearError(): void;
}

/**
 * The run that the editor shows: the newest unfinished one of this chain when it was opened, then whatever was started
 * here. A start saves first, so that what runs is what is on the screen.
 */
export function useChainRun(opened: OpenChain): ChainRun {
  const { store, saver } = opened;
  const runId = useEditor((state) => state.runId);
  const state = useRunPart(runId, (view) => view.state?.state ?? null);
  const ended = useRunPart(runId, (view) => view.state?.ended_at ?? null);
  const [starting, setStarting] = useState(false);
  const [stopAsked, setStopAsked] = useState<number | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  // Until its journal was read, a run counts as running: it was just started, and a second click starts no second one.
  const unread = useRunPart(runId, (view) => view.state === null && view.error === null);
  const active = runId !== null && ended === null && (state !== null || unread);
  useNewestRun(opened);

  const start = useCallback(async () => {
    setStarting(true);
    setError(null);
    setStopAsked(null);
    try {
      if (!(await saver.save())) return;
      const { file, showRun, setPanel, announce } = store.getState();
      const started = await api.runs.start({ chain_name: file.name, source: 'window' });
      showRun(started.run_id);
      setPanel('run');
      announce('announce.runStarted');
    } catch (thrown) {
      setError(readError(thrown));
    } finally {
      setStarting(false);
    }
  }, [store, saver]);

  const stop = useCallback(
    async (force = false) => {
      const { runId: id, announce } = store.getState();
      if (id === null) return;
      setStopAsked((before) => before ?? Date.now());
      announce('announce.stopping');
      try {
        await api.runs.cancel({ run_id: id, ...(force ? { force } : {}) });
      } catch (thrown) {
        const failure = readError(thrown);
        if (failure.code !== 'RUN_ENDED') setError(failure);
        setStopAsked(null);
      }
    },
    [store],
  );
  const clearError = useCallback(() => setError(null), []);
  return { runId, state, active, starting, stopAsked, error, start, stop, clearError };
}

/** Shows an unfinished run of this chain as soon as it is known, wherever it was started. */
function useNewestRun({ store }: OpenChain): void {
  const name = useEditor((state) => state.file.name);
  const newest = useRuns((runs) => runs.value?.find((run) => run.chain_name === name) ?? null);
  const seen = useRef<string | null>(null);
  const open = newest !== null && newest.ended_at === null;
  const newestId = newest?.run_id ?? null;
  useEffect(() => {
    if (!open || newestId === null || seen.current === newestId) return;
    seen.current = newestId;
    const { runId, showRun, panel, setPanel } = store.getState();
    if (runId === newestId) return;
    showRun(newestId);
    if (panel === null) setPanel('run');
  }, [open, newestId, store]);
}
