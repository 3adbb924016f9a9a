import { type FSWatcher as FolderWatcher, watch as watchOne } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { errnoOf } from '../files/file-error.ts';
import { isIgnoredFolder, isSkillFile, runnable } from './walk-root.ts';

export interface RootsWatch {
  /** Whether a change would be noticed by now. */
  ready(): boolean;
  dispose(): Promise<void>;
}

const debounceMs = 250;
const depthLimit = 8;

/**
 * Watches skill folders and calls back once after a burst of changes to what a row is made of: SKILL.md, actions.json,
 * scripts, folders. Folders that do not exist yet are waited for. When the system refuses (too many watches), `onError`
 * is told once and watching is over: the caller reads on demand.
 */
export function createRootsWatch(options: {
  readonly roots: readonly string[];
  readonly onChange: () => void;
  readonly onError: (detail: string) => void;
}): RootsWatch {
  let disposed = false;
  let ready = false;
  let timer: NodeJS.Timeout | null = null;
  let watcher: FSWatcher | null = null;
  const waiting = new Map<string, FolderWatcher>();
  const starting = start().catch(fail);

  async function start(): Promise<void> {
    const { watch } = await import('chokidar');
    if (disposed) return;
    const roots = new Set(options.roots);
    watcher = watch([], {
      ignoreInitial: true,
      followSymlinks: true,
      depth: depthLimit,
      ignorePermissionErrors: true,
      ignored: (path, info) => !roots.has(path) && isPassedOver(path, info?.isFile() ?? false),
    });
    watcher.on('all', schedule);
    watcher.on('error', fail);
    watcher.on('ready', () => {
      ready = true;
      // What changed between the last scan and now was not seen.
      schedule();
    });
    const existing: string[] = [];
    for (const root of roots) {
      if (await exists(root)) existing.push(root);
      else await waitFor(root);
    }
    if (disposed) return;
    if (existing.length === 0) ready = true;
    else watcher.add(existing);
  }

  /** Watches the nearest folder that exists until the missing one appears; never a whole home folder. */
  async function waitFor(root: string): Promise<void> {
    let child = root;
    let parent = dirname(child);
    while (!(await exists(parent))) {
      if (parent === dirname(parent)) return;
      child = parent;
      parent = dirname(child);
    }
    if (disposed) return;
    const name = basename(child);
    try {
      const parentWatcher = watchOne(parent, { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) void appeared(root, child);
      });
      parentWatcher.on('error', () => parentWatcher.close());
      waiting.get(root)?.close();
      waiting.set(root, parentWatcher);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    // It may have been made between the look and the watch.
    if (await exists(child)) await appeared(root, child);
  }

  async function appeared(root: string, child: string): Promise<void> {
    if (disposed || !waiting.has(root) || !(await exists(child)) || disposed) return;
    waiting.get(root)?.close();
    waiting.delete(root);
    if (await exists(root)) {
      watcher?.add(root);
      schedule();
    } else await waitFor(root);
  }

  function schedule(): void {
    if (disposed) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      options.onChange();
    }, debounceMs);
  }

  function fail(thrown: unknown): void {
    if (disposed) return;
    void dispose();
    options.onError(errnoOf(thrown) || (thrown instanceof Error ? thrown.message : String(thrown)));
  }

  async function dispose(): Promise<void> {
    disposed = true;
    ready = false;
    if (timer !== null) clearTimeout(timer);
    for (const parentWatcher of waiting.values()) parentWatcher.close();
    waiting.clear();
    await watcher?.close();
  }

  return {
    ready: () => ready,
    async dispose() {
      await dispose();
      await starting;
      await watcher?.close();
    },
  };
}

function isPassedOver(path: string, isFile: boolean): boolean {
  const name = basename(path);
  if (isIgnoredFolder(name)) return true;
  return isFile && !isSkillFile(name) && name !== 'actions.json' && !runnable.test(name);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
