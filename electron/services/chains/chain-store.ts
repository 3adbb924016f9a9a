import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ChainDocument, ChainSummary } from '../../../shared/api/contract.ts';
import { applyEdit } from '../../../shared/chain/apply-edit.ts';
import { type Chain, ChainLayout, type ChainProblem } from '../../../shared/chain/chain.ts';
import { parseChainFile, serializeChain } from '../../../shared/chain/chain-file.ts';
import { chainGraph } from '../../../shared/chain/chain-graph.ts';
import { chainFileName, checkChainName, nameKey } from '../../../shared/chain/file-name.ts';
import { newChain } from '../../../shared/chain/new-chain.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { findCycle } from '../../../shared/graph/find-cycle.ts';
import { errnoOf, readError, writeError } from '../files/file-error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { localTime } from '../files/local-time.ts';
import { readTextFile, revisionOf } from '../files/read-text-file.ts';
import { type FolderWatch, watchFolder } from '../files/watch-folder.ts';
import { removeLeftovers, renameWithPatience, writeFileAtomic } from '../files/write-file-atomic.ts';
import type { Log } from '../log.ts';
import { type ChainRow, chainStamps, writeListCache } from './list-cache.ts';
import { createSideFiles } from './side-files.ts';
import { chainSummary, type StoredChain, storedChain, unreadableChain } from './stored-chain.ts';

/** Checks a chain against the skills of this machine; made by whoever knows them. */
export type ChainCheck = (chain: Chain, problems: readonly ChainProblem[]) => Promise<ChainProblem[]>;

export interface ChainStore {
  /** Every file of the folder, newest first; a broken one is a row with its reason. */
  list(check?: ChainCheck): Promise<Omit<ChainSummary, 'last_run'>[]>;
  /** Names of the chains, in the order of `list`. */
  names(): Promise<string[]>;
  /** Text, layout and draft; also of a broken file. Errors: CHAIN_NOT_FOUND, FILE_UNREADABLE. */
  get(name: string): Promise<ChainDocument>;
  /** A chain that can be worked with. Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN, FILE_UNREADABLE. */
  read(name: string): Promise<{ chain: Chain; text: string; revision: string; problems: ChainProblem[] }>;
  create(name: string, text?: string): Promise<{ name: string; revision: string }>;
  save(input: { name: string; text: string; base_revision: string; force?: boolean | undefined }): Promise<{
    revision: string;
  }>;
  rename(name: string, newName: string, baseRevision?: string): Promise<{ name: string; revision: string }>;
  duplicate(name: string, newName: string): Promise<{ name: string }>;
  delete(name: string): Promise<{ trashed: string }>;
  restore(trashed: string): Promise<{ name: string }>;
  saveLayout(name: string, layout: ChainLayout): Promise<void>;
  saveDraft(name: string, text: string, basedOn: string): Promise<void>;
  discardDraft(name: string): Promise<void>;
  /** Raises `exec_count` and sets `updated_at`, over whatever was saved meanwhile; nothing when the chain is gone. */
  countExecution(name: string, atMs: number): Promise<void>;
  /** Called with the names of chains that changed, by this process or by another. Returns the way to stop. */
  onChange(callback: (names: string[]) => void): () => void;
  dispose(): Promise<void>;
}

interface Entry {
  readonly name: string;
  readonly file: string;
  readonly stored: StoredChain;
}

/**
 * The chains of a data home: one file each, the files are the truth. `index.json` (name to path, for skill-sub's own
 * scripts) follows them. Every write is whole, under a lock, and carries the revision that it was based on.
 */
export function createChainStore(options: {
  readonly home: string;
  readonly now: () => number;
  readonly log: Log;
}): ChainStore {
  const folder = join(options.home, 'chains');
  const indexFile = join(folder, 'index.json');
  const sides = createSideFiles(folder, options.now);
  const cache = new Map<string, { stamp: string; stored: StoredChain }>();
  const callbacks = new Set<(names: string[]) => void>();
  let watch: FolderWatch | null = null;
  let known = new Map<string, string>();
  let keptState = '';
  const cleaned = removeLeftovers(folder, isAlive);

  async function readEntry(base: string): Promise<StoredChain | null> {
    const file = join(folder, base);
    const info = await stat(file, { bigint: true }).catch(() => null);
    if (info === null || !info.isFile()) {
      cache.delete(base);
      return null;
    }
    const stamp = `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}`;
    const cached = cache.get(base);
    if (cached?.stamp === stamp) return cached.stored;
    const stored = await readTextFile(file).then(
      (read) => (read === null ? null : storedChain(base, read)),
      (thrown: unknown) => unreadableChain(base, thrown),
    );
    if (stored === null) cache.delete(base);
    else cache.set(base, { stamp, stored });
    return stored;
  }

  /** All entries by name; keeps the index in step. */
  async function entries(): Promise<Map<string, Entry>> {
    await cleaned;
    const bases = (await readdir(folder).catch(emptyWhenAbsent(folder))).filter(isChainBase).sort();
    const stored = (await Promise.all(bases.map(readEntry))).filter((one) => one !== null);
    const found = nameEntries(folder, stored);
    await keepIndex(found);
    return found;
  }

  async function keepIndex(found: Map<string, Entry>): Promise<void> {
    const index = [...found.values()]
      .filter(({ stored }) => stored.error === null)
      .map(({ name, file }) => [name, file] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const text = `${JSON.stringify(Object.fromEntries(index), null, 2)}\n`;
    const indexText = await readTextFile(indexFile).then(
      (read) => read?.text ?? null,
      () => null,
    );
    if (indexText === text || (indexText === null && index.length === 0)) return;
    await writeFileAtomic(indexFile, text).catch((error: unknown) =>
      // The index is a convenience for other programs; a folder that can not be written must still be readable.
      options.log.warn('the index of the chains can not be written', { error }),
    );
  }

  async function keepForNextStart(stamps: Record<string, string>, rows: readonly ChainRow[]): Promise<void> {
    // The first list after a change writes the index, whose stamp is not among these; the second one is kept.
    const state = JSON.stringify(stamps);
    if (state === keptState || !Object.hasOwn(stamps, 'index.json')) return;
    keptState = state;
    const plain = rows.map(({ problems: _problems, ...row }: ChainRow & { problems?: unknown }) => row);
    await writeListCache(folder, stamps, plain).catch((error: unknown) =>
      options.log.debug('the list of chains is not kept', { error }),
    );
  }

  async function find(name: string): Promise<Entry> {
    // The usual case reads one file: the one that a chain of this name is saved under.
    const direct = await readEntry(chainFileName(name));
    if (direct?.chain?.name === name) return { name, file: join(folder, direct.base), stored: direct };
    const entry = (await entries()).get(name);
    if (entry === undefined) throw new AppError('CHAIN_NOT_FOUND', { name });
    return entry;
  }

  async function read(name: string): ReturnType<ChainStore['read']> {
    const { chain, text, revision, problems, error } = (await find(name)).stored;
    if (chain === null) throw error ?? new AppError('CHAIN_NOT_FOUND', { name });
    return { chain, text, revision, problems: [...problems] };
  }

  async function checkFree(name: string, except?: string): Promise<void> {
    checkChainName(name);
    const key = nameKey(name);
    for (const other of (await entries()).keys()) {
      if (other === except) continue;
      if (other === name) throw new AppError('CHAIN_EXISTS', { name });
      if (nameKey(other) === key) throw new AppError('CHAIN_NAME_CLASH', { name, other });
    }
  }

  /** Adding, renaming and deleting change which names exist; they wait for each other under one lock. */
  async function withNames<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(folder, { recursive: true }).catch((thrown: unknown) => {
      throw writeError(folder, thrown);
    });
    return withFileLock(indexFile, work);
  }

  async function create(name: string, text?: string): Promise<{ name: string; revision: string }> {
    const content = textNamed(name, text, localTime(options.now()));
    refuseCycle(parseChainFile(content, chainFileName(name)).chain);
    await withNames(async () => {
      await checkFree(name);
      await writeNew(join(folder, chainFileName(name)), content);
      await entries();
    });
    announce([name]);
    return { name, revision: revisionOf(content) };
  }

  /** A file that is there although no chain has its name (unreadable, or another chain's) is not written over. */
  async function writeNew(file: string, content: string): Promise<void> {
    if ((await stat(file).catch(() => null)) !== null) throw new AppError('CHAIN_EXISTS', { name: basename(file) });
    await writeFileAtomic(file, content);
  }

  async function save(input: Parameters<ChainStore['save']>[0]): Promise<{ revision: string }> {
    const { name, text, base_revision: baseRevision, force = false } = input;
    const { file } = await find(name);
    const revision = await withFileLock(file, async () => {
      const { stored } = await find(name);
      if (stored.revision !== baseRevision && !force) throw conflict(name, stored.revision);
      const { chain } = parseChainFile(text, basename(file));
      refuseCycle(chain);
      // A changed name would leave the file under the old one; renaming is a call of its own.
      if (chain.name !== name && chain.name !== stored.chain?.name && stored.chain !== null) {
        throw new AppError('EDIT_REFUSED', { detail: `name: "${name}" -> "${chain.name}"` }, { field: 'name' });
      }
      if (revisionOf(text) !== stored.revision) await writeFileAtomic(file, text);
      return revisionOf(text);
    });
    await sides.removeDraft(basename(file));
    await entries();
    announce([name]);
    return { revision };
  }

  async function rename(name: string, newName: string, baseRevision?: string) {
    const result = await withNames(async () => {
      await checkFree(newName, name);
      const { file, stored } = await find(name);
      return withFileLock(file, async () => {
        if (baseRevision !== undefined && stored.revision !== baseRevision) throw conflict(name, stored.revision);
        const text = withFields(stored, { name: newName, updated_at: localTime(options.now()) });
        const target = join(folder, chainFileName(newName));
        const moves = target !== file;
        if (moves && (await isOtherFile(target, file))) throw new AppError('CHAIN_EXISTS', { name: newName });
        // Moved first, named second: a crash between leaves one whole file, still under its old name in the list.
        if (moves) await moveFile(file, target);
        try {
          await writeFileAtomic(target, text);
        } catch (thrown) {
          if (moves) await moveFile(target, file);
          throw thrown;
        }
        if (moves) await sides.move(basename(file), basename(target));
        return { name: newName, revision: revisionOf(text) };
      });
    });
    await entries();
    announce([name, newName]);
    return result;
  }

  async function duplicate(name: string, newName: string): Promise<{ name: string }> {
    const { file, stored } = await find(name);
    const now = localTime(options.now());
    await create(newName, withFields(stored, { name: newName, exec_count: 0, created_at: now, updated_at: now }));
    await sides.copyLayout(basename(file), chainFileName(newName));
    return { name: newName };
  }

  async function remove(name: string): Promise<{ trashed: string }> {
    const trashed = await withNames(async () => {
      const { file } = await find(name);
      return withFileLock(file, () => sides.trash(basename(file)));
    });
    await entries();
    announce([name]);
    return { trashed };
  }

  async function restore(trashed: string): Promise<{ name: string }> {
    const name = await withNames(async () => {
      const { file, base } = sides.trashed(trashed);
      const content = await readTextFile(file);
      if (content === null) throw new AppError('CHAIN_NOT_FOUND', { name: trashed });
      const stored = storedChain(base, content);
      const restored = stored.chain?.name || nameOfBase(base);
      if (stored.chain !== null) await checkFree(restored);
      if ((await stat(join(folder, base)).catch(() => null)) !== null) {
        throw new AppError('CHAIN_EXISTS', { name: restored });
      }
      await sides.putBack(trashed);
      return restored;
    });
    await entries();
    announce([name]);
    return { name };
  }

  async function countExecution(name: string, atMs: number): Promise<void> {
    const entry = await find(name).catch(() => null);
    if (entry === null || entry.stored.chain === null) return;
    await withFileLock(entry.file, async () => {
      const { stored } = await find(name);
      if (stored.chain === null) return;
      const count = (stored.chain.exec_count ?? 0) + 1;
      await writeFileAtomic(entry.file, withFields(stored, { exec_count: count, updated_at: localTime(atMs) }));
    });
    announce([name]);
  }

  function announce(names: string[]): void {
    for (const callback of callbacks) callback(names);
  }

  async function announceOutside(): Promise<void> {
    const found = await entries();
    const next = new Map([...found].map(([name, { stored }]) => [name, stored.revision]));
    const names = [...new Set([...known.keys(), ...next.keys()])].filter((name) => known.get(name) !== next.get(name));
    known = next;
    if (names.length > 0) announce(names);
  }

  async function startWatch(): Promise<void> {
    await mkdir(folder, { recursive: true }).catch(() => undefined);
    known = new Map([...(await entries())].map(([name, { stored }]) => [name, stored.revision]));
  }

  return {
    async list(check) {
      const stamps = stampsOf(folder);
      const rows = [...(await entries()).values()].map(async ({ name, file, stored }) => {
        const problems = stored.chain === null ? [] : await (check?.(stored.chain, stored.problems) ?? stored.problems);
        return chainSummary(name, file, stored, problems, localTime(stored.modifiedMs));
      });
      const sorted = (await Promise.all(rows)).sort(newestFirst);
      await keepForNextStart(stamps, sorted);
      return sorted;
    },
    async names() {
      return [...(await entries()).keys()];
    },
    async get(name) {
      const { file, stored } = await find(name);
      if (stored.revision === '' && stored.error !== null) throw stored.error;
      const base = basename(file);
      const draft = await sides.readDraft(base);
      return {
        name,
        file,
        text: stored.text,
        revision: stored.revision,
        layout: await sides.readLayout(base),
        draft: draft === null || draft.text === stored.text ? null : draft,
      };
    },
    read,
    create,
    save,
    rename,
    duplicate,
    delete: remove,
    restore,
    async saveLayout(name, layout) {
      const { file } = await find(name);
      await sides.writeLayout(basename(file), ChainLayout.parse(layout));
    },
    async saveDraft(name, text, basedOn) {
      const { file } = await find(name);
      await sides.writeDraft(basename(file), text, basedOn);
    },
    async discardDraft(name) {
      const { file } = await find(name);
      await sides.removeDraft(basename(file));
    },
    countExecution,
    onChange(callback) {
      callbacks.add(callback);
      if (watch === null) {
        // A folder that can not be read now may be later: then everything in it is new.
        const started = startWatch().catch((error: unknown) => warn(error));
        watch = watchFolder(folder, {
          onChange: () => void started.then(announceOutside).catch((error: unknown) => warn(error)),
          onError: warn,
        });
      }
      return () => callbacks.delete(callback);
    },
    async dispose() {
      callbacks.clear();
      await watch?.dispose();
    },
  };

  function warn(error: unknown): void {
    options.log.warn('the chains are not watched', { error });
  }
}

/** Gives every file one name: what it says itself, else its file's; the second of two equal ones goes by its file. */
function nameEntries(folder: string, all: readonly StoredChain[]): Map<string, Entry> {
  const found = new Map<string, Entry>();
  const own = (stored: StoredChain) => stored.chain?.name || nameOfBase(stored.base);
  const atHome = all.filter((stored) => chainFileName(own(stored)) === stored.base);
  for (const stored of [...atHome, ...all.filter((one) => !atHome.includes(one))]) {
    const name = own(stored);
    const file = join(folder, stored.base);
    if (!found.has(name)) found.set(name, { name, file, stored });
    else {
      const shown = freeName(found, nameOfBase(stored.base));
      const error = stored.error ?? new AppError('CHAIN_EXISTS', { name }, { file: stored.base });
      found.set(shown, { name: shown, file, stored: { ...stored, chain: null, error } });
    }
  }
  return found;
}

function freeName(found: ReadonlyMap<string, unknown>, wanted: string): string {
  if (!found.has(wanted)) return wanted;
  let number = 2;
  while (found.has(`${wanted} (${number})`)) number += 1;
  return `${wanted} (${number})`;
}

function nameOfBase(base: string): string {
  const stem = base.slice(0, -'.json'.length);
  try {
    return decodeURIComponent(stem);
  } catch {
    return stem;
  }
}

function isChainBase(base: string): boolean {
  return base.endsWith('.json') && !base.startsWith('.') && base !== 'index.json';
}

function textNamed(name: string, text: string | undefined, now: string): string {
  if (text === undefined) return serializeChain(newChain(name, now), null);
  const { chain } = parseChainFile(text, chainFileName(name));
  if (chain.name === name) return text;
  return serializeChain(applyEdit(chain, { kind: 'update_chain', patch: { name } }), text);
}

function withFields(stored: StoredChain, patch: Record<string, unknown>): string {
  if (stored.chain === null) throw stored.error ?? new AppError('CHAIN_FILE_BROKEN', { detail: stored.base });
  return serializeChain(applyEdit(stored.chain, { kind: 'update_chain', patch }), stored.text);
}

/** Refuses a chain that can never run. Its own check, since it must not depend on the skills of this machine. */
function refuseCycle(chain: Chain): void {
  const cycle = findCycle(chainGraph(chain));
  if (cycle === null) return;
  const names = new Map(chain.steps.map((step) => [step.id, step.step_name || step.id]));
  throw new AppError('CHAIN_CYCLE', { path: cycle.map((id) => names.get(id) ?? id).join(' -> ') });
}

function conflict(name: string, revision: string): AppError {
  return new AppError('CONFLICT', { name, revision });
}

async function isOtherFile(target: string, file: string): Promise<boolean> {
  const there = await stat(target).catch(() => null);
  if (there === null) return false;
  // On a file system that ignores case, the new path of a changed case is the old file.
  const here = await stat(file).catch(() => null);
  return here === null || here.ino !== there.ino || here.dev !== there.dev;
}

async function moveFile(from: string, to: string): Promise<void> {
  await renameWithPatience(from, to).catch((thrown: unknown) => {
    throw writeError(to, thrown);
  });
}

function emptyWhenAbsent(folder: string): (thrown: unknown) => string[] {
  return (thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw readError(folder, thrown);
  };
}

function newestFirst(a: { updated_at: string; name: string }, b: { updated_at: string; name: string }): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function stampsOf(folder: string): Record<string, string> {
  try {
    return chainStamps(folder);
  } catch {
    return {};
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return errnoOf(thrown) === 'EPERM';
  }
}
