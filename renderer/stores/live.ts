import { create } from 'zustand';
import type { AppEvent } from '../../shared/api/contract.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { RunSummary } from '../../shared/run/event.ts';
import { api, readError } from '../api/client.ts';
import { useActions } from './actions-store.ts';
import { useAppInfo } from './app-info-store.ts';
import { useChains } from './chains-store.ts';
import { noteJob, useJobs } from './jobs-store.ts';
import { noteRun, useRuns } from './runs-store.ts';
import { useSettingsStore } from './settings-store.ts';
import { useSkillsStore } from './skills-store.ts';

interface Connection {
  readonly state: 'connecting' | 'connected' | 'lost';
  readonly error: AppError | null;
}

/** Whether the program behind the window answers. */
export const useConnection = create<Connection>(() => ({ state: 'connecting', error: null }));

type ChainsListener = (names: readonly string[]) => void;
const chainsListeners = new Set<ChainsListener>();

/** Calls `listener` with the names of chains that changed on disk (empty = any may have); returns how to stop. */
export function onChainsChanged(listener: ChainsListener): () => void {
  chainsListeners.add(listener);
  return () => chainsListeners.delete(listener);
}

/**
 * Reads everything once and follows the changes until the returned function is called. A lost connection is taken up
 * again by itself, with everything read anew, since changes may have been missed.
 */
export function startLive(retryDelayMs: number = 1000): () => void {
  const stop = new AbortController();
  void follow(stop.signal, retryDelayMs);
  return () => stop.abort();
}

async function follow(signal: AbortSignal, retryDelayMs: number): Promise<void> {
  while (!signal.aborted) {
    try {
      const events = await api.app.watch(undefined, { signal });
      useConnection.setState({ state: 'connected', error: null });
      void readEverything();
      for await (const event of events) take(event);
      if (!signal.aborted) useConnection.setState({ state: 'lost', error: null });
    } catch (thrown) {
      if (signal.aborted) return;
      useConnection.setState({ state: 'lost', error: readError(thrown) });
    }
    await pause(retryDelayMs, signal);
  }
}

function readEverything(): Promise<unknown> {
  for (const listener of chainsListeners) listener([]);
  return Promise.all(
    [useAppInfo, useSettingsStore, useChains, useSkillsStore, useActions, useRuns, useJobs].map((store) =>
      store.getState().refresh(),
    ),
  );
}

function take(event: AppEvent): void {
  switch (event.kind) {
    case 'chains_changed':
      void useChains.getState().refresh();
      for (const listener of chainsListeners) listener(event.names);
      break;
    case 'skills_changed':
      void useSkillsStore.getState().refresh();
      void useActions.getState().refresh();
      break;
    case 'settings_changed':
      void useSettingsStore.getState().refresh();
      void useActions.getState().refresh();
      break;
    case 'run_changed':
      noteRun(event.run);
      noteLastRun(event.run);
      break;
    case 'job_changed':
      noteJob(event.job);
      break;
    case 'alive':
      break;
  }
}

function noteLastRun(run: RunSummary): void {
  const { value } = useChains.getState();
  if (value === null) return;
  const chain = value.find((other) => other.name === run.chain_name);
  if (chain === undefined) return;
  const last = chain.last_run;
  if (last !== null && last.run_id !== run.run_id && last.started_at > run.started_at) return;
  if (last?.run_id === run.run_id && last.state === run.state) return;
  const { run_id, started_at } = run;
  const next = { ...chain, last_run: { run_id, started_at, state: run.state } };
  useChains.setState({ value: value.map((other) => (other === chain ? next : other)) });
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
