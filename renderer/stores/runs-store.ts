import type { RunSummary } from '../../shared/run/event.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

/** The newest runs of every chain, newest first. */
export const useRuns = createLoadedStore<RunSummary[]>(() => api.runs.list({ limit: 1000 }));

/** Puts a run that changed into the list without reading the list again. */
export function noteRun(run: RunSummary): void {
  const { value } = useRuns.getState();
  if (value === null) return;
  const known = value.some((other) => other.run_id === run.run_id);
  useRuns.setState({
    value: known ? value.map((other) => (other.run_id === run.run_id ? run : other)) : [run, ...value],
  });
}
