import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import { indexSkills, type SkillIndex, skillKey } from '../../../shared/skill/find-skill.ts';
import { displayFields, readSkillHead, type SkillNeeds } from '../../../shared/skill/front-matter.ts';
import { needsRemarks, unmetNeeds } from '../../../shared/skill/needs.ts';
import { notice } from '../../../shared/skill/notice.ts';
import {
  type SkillDetail,
  type SkillNotice,
  type SkillRoot,
  type SkillRow,
  type SkillScan,
  type SkillState,
  skillStates,
} from '../../../shared/skill/skill.ts';
import { errnoOf } from '../files/file-error.ts';
import type { Log } from '../log.ts';
import { searchPath } from '../processes/env.ts';
import { createProgramFinder, type ProgramFinder } from './find-program.ts';
import { type HeadRead, readHead, readSkillText, stampOf } from './read-head.ts';
import { type FoundSkill, isIgnoredFolder, type WalkState, walkRoot } from './walk-root.ts';
import { createRootsWatch, type RootsWatch } from './watch-roots.ts';

export interface SkillLibrary {
  /** Searches every root again; only files that changed are read again. */
  scan(): Promise<SkillScan>;
  /** The last scan when it is known to be fresh, else a new one. */
  list(): Promise<SkillScan>;
  /** The skill that a chain or a manifest means by a name, a slug or a folder's name; null when no usable one fits. */
  find(name: string): Promise<SkillRow | null>;
  /** Errors: SKILL_NOT_FOUND. */
  get(id: string): Promise<SkillDetail>;
  /** Names of environment variables that the skill says it needs. */
  envNeeds(id: string): readonly string[];
  /** Called after a scan that found something else than the one before; watching starts with the first listener. */
  onChange(callback: (scan: SkillScan) => void): () => void;
  dispose(): Promise<void>;
}

export interface SkillLibraryOptions {
  readonly homeDir: string;
  /** `WORKBUDDY_SKILLS_DIR`, else `~/.workbuddy/skills`. */
  readonly skillsHome: string;
  readonly settings: {
    values(): Pick<Settings, 'skill_folders'>;
    onChange(callback: () => void): () => void;
  };
  /** Where installed samples are; the last root. */
  readonly samplesFolder?: string;
  readonly log: Log;
  /** Environment in which skills will run; absent = this process's. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** How long a scan counts as fresh when nothing tells of changes. */
const freshMs = 2_000;
/** Files listed for one skill. */
const fileLimit = 1_000;

/**
 * The skills of this machine. Every SKILL.md that is found is a row, whatever is wrong with it; the first usable one of
 * a name (root order, then path order) wins and the others say what hides them.
 */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  return new Library(options);
}

class Library implements SkillLibrary {
  private readonly cache = new Map<string, HeadRead>();
  private readonly listeners = new Set<(scan: SkillScan) => void>();
  private needs = new Map<string, SkillNeeds>();
  private last: { scan: SkillScan; at: number; signature: string; index: SkillIndex } | null = null;
  private queue: Promise<unknown> = Promise.resolve();
  private pending: Promise<SkillScan> | null = null;
  private watch: RootsWatch | null = null;
  private watchProblem: string | null = null;
  private disposed = false;
  private folders: string;
  private readonly stopSettings: () => void;

  constructor(private readonly options: SkillLibraryOptions) {
    this.folders = JSON.stringify(options.settings.values().skill_folders);
    this.stopSettings = options.settings.onChange(() => this.settingsChanged());
  }

  scan(): Promise<SkillScan> {
    // A scan that waits for its turn has not looked at anything yet: it serves every caller until then.
    if (this.pending === null) {
      this.pending = this.queue.then(() => {
        this.pending = null;
        return this.scanNow();
      });
      this.queue = this.pending.catch(() => undefined);
    }
    return this.pending;
  }

  async list(): Promise<SkillScan> {
    return this.last !== null && this.isFresh() ? this.last.scan : this.scan();
  }

  async find(name: string): Promise<SkillRow | null> {
    await this.list();
    return this.last?.index.find(name) ?? null;
  }

  async get(id: string): Promise<SkillDetail> {
    const row = await this.row(id);
    const folderName = basename(row.folder);
    const files = await listFiles(row.folder);
    try {
      const { text, truncated, badBytes } = readSkillText(row.file);
      const head = readSkillHead(text, { folderName, badBytes });
      const body = head === null ? text : text.slice(head.bodyStart).replace(/^\n+/, '');
      const fields = head === null ? [] : displayFields(head);
      const said = row.notices.some(({ code }) => code === 'bad_bytes');
      const shown = badBytes && !said ? { ...row, notices: [...row.notices, notice('warning', 'bad_bytes')] } : row;
      return { row: shown, body, truncated, fields, files };
    } catch (thrown) {
      this.options.log.debug('skill file not read', { file: row.file, error: errnoOf(thrown) });
      return { row, body: '', truncated: false, fields: [], files };
    }
  }

  envNeeds(id: string): readonly string[] {
    const needs = this.needs.get(id);
    if (needs === undefined) return [];
    return needs.primaryEnv === null ? needs.env : [...needs.env, needs.primaryEnv];
  }

  onChange(callback: (scan: SkillScan) => void): () => void {
    this.listeners.add(callback);
    if (this.watch === null) this.startWatch();
    return () => this.listeners.delete(callback);
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.listeners.clear();
    this.stopSettings();
    await this.watch?.dispose();
    await this.queue;
  }

  private async row(id: string): Promise<SkillRow> {
    const { rows } = await this.list();
    const row = rows.find((candidate) => candidate.id === id);
    if (row === undefined) throw new AppError('SKILL_NOT_FOUND', { name: id });
    return row;
  }

  private isFresh(): boolean {
    if (this.watch !== null && this.watchProblem === null && this.watch.ready()) return true;
    return this.last !== null && performance.now() - this.last.at < freshMs;
  }

  private settingsChanged(): void {
    const folders = JSON.stringify(this.options.settings.values().skill_folders);
    if (folders === this.folders || this.disposed) return;
    this.folders = folders;
    this.last = null;
    if (this.watch !== null) this.startWatch();
    this.scanAloud();
  }

  private startWatch(): void {
    void this.watch?.dispose();
    this.watchProblem = null;
    this.watch = createRootsWatch({
      roots: this.roots().map(({ folder }) => folder),
      onChange: () => this.scanAloud(),
      onError: (detail) => {
        this.watchProblem = detail;
        this.options.log.warn('skill folders are not watched', { detail });
        this.scanAloud();
      },
    });
  }

  private scanAloud(): void {
    if (this.disposed) return;
    this.scan().catch((thrown: unknown) => this.options.log.error('scan of skills failed', { error: thrown }));
  }

  private roots(): { id: string; host: string; folder: string }[] {
    const { homeDir, skillsHome, samplesFolder } = this.options;
    const named = (host: string, folder: string) => ({ id: host, host, folder });
    return [
      ...this.options.settings.values().skill_folders.map((folder, index) => ({
        id: `settings-${index + 1}`,
        host: 'settings',
        folder: expandHome(folder, homeDir),
      })),
      named('workbuddy', skillsHome),
      named('openclaw', join(homeDir, '.openclaw', 'skills')),
      named('agents', join(homeDir, '.agents', 'skills')),
      named('claude-code', join(homeDir, '.claude', 'skills')),
      ...(samplesFolder === undefined ? [] : [named('samples', samplesFolder)]),
    ];
  }

  private async scanNow(): Promise<SkillScan> {
    const startedAt = performance.now();
    const roots = this.roots();
    const state: WalkState = {
      boundaries: roots.flatMap(({ folder }) => realOrNone(folder)),
      folders: new Map(),
      files: new Set(),
    };
    const probe = this.machine();
    const needs = new Map<string, SkillNeeds>();
    const seen = new Set<string>();
    const rows: SkillRow[] = [];
    const rootRows: SkillRoot[] = [];
    for (const root of roots) {
      const walked = await walkRoot(root.folder, state);
      const own: SkillRow[] = [];
      for (const found of walked.found) {
        seen.add(found.file);
        own.push(this.makeRow(found, root.id, probe, needs));
      }
      if (walked.viaLinks) own.sort((a, b) => comparePaths(a.file, b.file));
      // One by one: a spread of many thousand arguments overflows the stack.
      for (const row of own) rows.push(row);
      const notices =
        this.watchProblem === null || !walked.exists
          ? [...walked.notices]
          : [...walked.notices, notice('warning', 'not_watched', { detail: this.watchProblem })];
      rootRows.push({ ...root, exists: walked.exists, found: own.length, notices });
    }
    hideDoubles(rows);
    for (const file of this.cache.keys()) if (!seen.has(file)) this.cache.delete(file);
    this.needs = needs;
    const scan: SkillScan = {
      roots: rootRows,
      rows,
      counts: { found: rows.length, by_state: countStates(rows) },
      duration_ms: performance.now() - startedAt,
    };
    this.remember(scan);
    return scan;
  }

  private remember(scan: SkillScan): void {
    const signature = this.listeners.size === 0 ? '' : JSON.stringify([scan.roots, scan.rows]);
    const before = this.last?.signature;
    this.last = { scan, at: performance.now(), signature, index: indexSkills(scan.rows) };
    if (before === signature || this.disposed) return;
    for (const listener of this.listeners) listener(scan);
  }

  private makeRow(found: FoundSkill, rootId: string, probe: Probe, needs: Map<string, SkillNeeds>): SkillRow {
    const folderName = basename(found.folder);
    const read = found.problem === null ? this.read(found.file, folderName) : null;
    const head = read?.head ?? null;
    const id = idOf(found.file);
    const notices: SkillNotice[] = [...found.remarks];
    const problem = found.problem ?? read?.problem ?? null;
    if (problem !== null) notices.push(problem);
    if (head !== null) notices.push(...head.notices);
    if (read !== null) notices.push(...read.remarks);
    let state: SkillState = head === null || head.broken ? 'broken' : 'ready';
    if (head !== null && state === 'ready') {
      needs.set(id, head.needs);
      notices.push(...needsRemarks(head.needs));
      const unmet = unmetNeeds(head.needs, probe);
      notices.push(...unmet);
      if (unmet.length > 0 || head.needs.unreadable) state = 'not_eligible';
    }
    if (state !== 'broken' && found.nestedIn !== null) {
      state = 'disabled';
      notices.push(notice('info', 'nested', { parent: basename(found.nestedIn) }));
    }
    if (found.besides !== null) {
      if (state !== 'broken') state = 'shadowed';
      notices.push(notice('warning', 'two_files', { other: basename(found.besides) }));
    }
    return {
      id,
      name: head?.name ?? folderName.normalize('NFC'),
      slug: head?.slug ?? null,
      description: head?.description ?? '',
      emoji: head?.emoji ?? null,
      version: head?.version ?? null,
      state,
      notices,
      shadowed_by: state === 'shadowed' && found.besides !== null ? idOf(found.besides) : null,
      root_id: rootId,
      folder: found.folder,
      file: found.file,
      size_bytes: read?.sizeBytes ?? 0,
      has_actions: found.hasActions,
      scripts: [...found.scripts].sort(),
    };
  }

  private read(file: string, folderName: string): HeadRead {
    const known = this.cache.get(file);
    if (known?.settled === true && known.stamp === currentStamp(file)) return known;
    const read = readHead(file, folderName);
    this.cache.set(file, read);
    return read;
  }

  private machine(): Probe {
    const env = this.options.env ?? process.env;
    const platform = this.options.platform ?? process.platform;
    const findProgram: ProgramFinder = createProgramFinder({ ...env, PATH: searchPath(env) }, platform);
    return {
      platform,
      hasBin: (name) => findProgram(name) !== null,
      hasEnv: (name) => (env[name] ?? '').trim() !== '',
    };
  }
}

type Probe = Parameters<typeof unmetNeeds>[1];

/** The first usable row of a name stays; the later ones become `shadowed`. */
function hideDoubles(rows: SkillRow[]): void {
  const winners = new Map<string, SkillRow>();
  for (const [index, row] of rows.entries()) {
    if (row.state !== 'ready' && row.state !== 'not_eligible') continue;
    const key = skillKey(row.name);
    const winner = winners.get(key);
    if (winner === undefined) {
      winners.set(key, row);
      continue;
    }
    rows[index] = {
      ...row,
      state: 'shadowed',
      shadowed_by: winner.id,
      notices: [...row.notices, notice('info', 'shadowed_by', { name: winner.name, folder: winner.folder })],
    };
  }
}

function countStates(rows: readonly SkillRow[]): Record<SkillState, number> {
  const counts = Object.fromEntries(skillStates.map((state) => [state, 0])) as Record<SkillState, number>;
  for (const row of rows) counts[row.state] += 1;
  return counts;
}

function currentStamp(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  return info === undefined ? '' : stampOf(info);
}

/** Folder by folder, so that `a/b` comes before `a-b/c`. */
function comparePaths(a: string, b: string): number {
  const left = a.replaceAll(sep, '\u0001');
  const right = b.replaceAll(sep, '\u0001');
  return left < right ? -1 : left > right ? 1 : 0;
}

function idOf(file: string): string {
  return hash('sha256', file).slice(0, 16);
}

function expandHome(folder: string, homeDir: string): string {
  if (folder === '~') return homeDir;
  if (/^~[\\/]/.test(folder)) return join(homeDir, folder.slice(2));
  return isAbsolute(folder) ? resolve(folder) : resolve(homeDir, folder);
}

function realOrNone(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}

/** Files of a skill's folder, links not followed, at most the limit; `/` between parts. */
async function listFiles(folder: string): Promise<{ path: string; size_bytes: number }[]> {
  const files: { path: string; size_bytes: number }[] = [];
  const folders = [folder];
  while (folders.length > 0 && files.length < fileLimit) {
    const current = folders.shift()!;
    const entries = await readdir(current, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (!isIgnoredFolder(entry.name)) folders.push(path);
      } else if (entry.isFile() && files.length < fileLimit) {
        const info = await stat(path).catch(() => null);
        files.push({ path: relative(folder, path).split(sep).join('/'), size_bytes: info?.size ?? 0 });
      }
    }
  }
  return files;
}
