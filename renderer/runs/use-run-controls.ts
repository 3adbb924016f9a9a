import { useState } from 'react';
import type { AppError } from '../../shared/errors/app-error.ts';
import { hasEnded } from '../../shared/run/run-state.ts';
import { api, readError } from '../api/client.ts';
import { navigate } from '../stores/route.ts';
import type { RunView } from '../stores/run-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useNow } from '../ui/time.tsx';

export interface RunControls {
  /** The run is certain to end, and its programs are being ended. */
  readonly stopping: boolean;
  /** The programs had their time to end by themselves. */
  readonly mayForce: boolean;
  readonly starting: boolean;
  readonly error: AppError | null;
  readonly clearError: () => void;
  readonly stop: () => void;
  readonly force: () => void;
  /** Runs the chain, as it is now, again and shows the new run. */
  readonly again: () => void;
}

/** What a person can do with a run as a whole. */
export function useRunControls({ header, state, events }: RunView): RunControls {
  const { stop_grace_seconds: graceSeconds } = useSettings();
  const [asked, setAsked] = useState(false);
  const [forced, setForced] = useState(false);
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<AppError | null>(null);
  const isOver = state === null || hasEnded(state);
  const stopping = !isOver && (asked || state.ending !== null);
  const since = events.find((event) => event.kind === 'cancel_requested')?.at ?? null;
  const now = useNow(stopping ? 500 : null);

  async function cancel(force: boolean) {
    if (header === null) return;
    setAsked(true);
    setForced(force);
    setError(null);
    try {
      await api.runs.cancel({ run_id: header.run_id, ...(force ? { force } : {}) });
    } catch (thrown) {
      const failure = readError(thrown);
      setAsked(false);
      setForced(false);
      if (failure.code !== 'RUN_ENDED') setError(failure);
    }
  }

  async function again() {
    if (header === null) return;
    setStarting(true);
    setError(null);
    try {
      const started = await api.runs.start({ chain_name: header.chain_name, source: 'window' });
      navigate({ room: 'run', id: started.run_id });
    } catch (thrown) {
      setError(readError(thrown));
    } finally {
      setStarting(false);
    }
  }

  return {
    stopping,
    mayForce: stopping && !forced && since !== null && now - since > graceSeconds * 1000,
    starting,
    error,
    clearError: () => setError(null),
    stop: () => void cancel(false),
    force: () => void cancel(true),
    again: () => void again(),
  };
}
