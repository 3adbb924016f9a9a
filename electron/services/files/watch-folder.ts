import { basename } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { isLockName } from './file-lock.ts';
import { isTemporaryName } from './write-file-atomic.ts';

export interface FolderWatch {
  dispose(): Promise<void>;
}

/**
 * Calls back once, `debounceMs` after the last of a burst of changes directly in a folder, and once when the watching
 * has begun, since a change before it may have been missed; temporary files and locks are passed over. The folder need not
 * exist yet. When watching is not possible (too many watches), `onError` is told and the caller reads on demand.
 */
export function watchFolder(
  folder: string,
  options: {
    readonly debounceMs?: number;
    readonly onChange: () => void;
    readonly onError: (thrown: unknown) => void;
  },
): FolderWatch {
  let disposed = false;
  let timer: NodeJS.Timeout | null = null;
  let watcher: FSWatcher | null = null;
  const started = start();

  async function start(): Promise<void> {
    try {
      const { watch } = await import('chokidar');
      if (disposed) return;
      watcher = watch(folder, {
        depth: 0,
        ignoreInitial: true,
        ignored: (path) => path !== folder && isPassedOver(basename(path)),
      });
      watcher.on('all', schedule);
      // What changed before the watcher stood was seen by nobody.
      watcher.on('ready', schedule);
      watcher.on('error', options.onError);
    } catch (thrown) {
      options.onError(thrown);
    }
  }

  function schedule(): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      options.onChange();
    }, options.debounceMs ?? 100);
  }

  return {
    async dispose() {
      disposed = true;
      if (timer !== null) clearTimeout(timer);
      await started;
      await watcher?.close();
    },
  };
}

function isPassedOver(name: string): boolean {
  return isTemporaryName(name) || isLockName(name);
}
