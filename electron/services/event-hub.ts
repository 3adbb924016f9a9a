import type { AppEvent } from '../../shared/api/contract.ts';

export interface EventHub {
  publish(event: AppEvent): void;
  /** Events from now on, until the signal aborts; a sign of life when nothing happened for a while. */
  watch(signal: AbortSignal | undefined): AsyncGenerator<AppEvent, void, void>;
}

/**
 * Tells every watcher that something changed. What waits for a slow watcher is merged (one entry per run, per job, per
 * kind), so that it never grows with the number of changes.
 */
export function createEventHub(aliveMs = 15_000): EventHub {
  const watchers = new Set<(event: AppEvent) => void>();
  return {
    publish(event) {
      for (const watcher of watchers) watcher(event);
    },
    async *watch(signal) {
      const waiting = new Map<string, AppEvent>();
      let wake: () => void = () => undefined;
      const watcher = (event: AppEvent) => {
        const key = mergeKey(event);
        const merged = merge(waiting.get(key), event);
        // Deleted first, so that the order of the entries is the order of their newest change.
        waiting.delete(key);
        waiting.set(key, merged);
        wake();
      };
      const stop = () => wake();
      watchers.add(watcher);
      signal?.addEventListener('abort', stop);
      try {
        // Says at once that the line stands; whoever watches reads everything after this.
        yield { kind: 'alive' };
        while (signal?.aborted !== true) {
          const [next] = waiting;
          if (next !== undefined) {
            waiting.delete(next[0]);
            yield next[1];
            continue;
          }
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((resolve) => {
            wake = resolve;
            timer = setTimeout(() => {
              waiting.set('alive', { kind: 'alive' });
              resolve();
            }, aliveMs);
          });
          clearTimeout(timer);
          wake = () => undefined;
        }
      } finally {
        watchers.delete(watcher);
        signal?.removeEventListener('abort', stop);
      }
    },
  };
}

function mergeKey(event: AppEvent): string {
  if (event.kind === 'run_changed') return `run ${event.run.run_id}`;
  if (event.kind === 'job_changed') return `job ${event.job.id}`;
  return event.kind;
}

function merge(before: AppEvent | undefined, event: AppEvent): AppEvent {
  if (before?.kind !== 'chains_changed' || event.kind !== 'chains_changed') return event;
  return { kind: 'chains_changed', names: [...new Set([...before.names, ...event.names])] };
}
