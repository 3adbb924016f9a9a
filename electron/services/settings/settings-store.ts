import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import type { SettingsView } from '../../../shared/api/contract.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import {
  defaultSettings,
  type SettingKey,
  type SettingProblem,
  type Settings,
  settingKeys,
  settingsTable,
} from '../../../shared/settings/settings.ts';
import { findTooDeep } from '../../../shared/text/json-depth.ts';
import { errnoOf, readError } from '../files/file-error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { type FolderWatch, watchFolder } from '../files/watch-folder.ts';
import { writeFileAtomic } from '../files/write-file-atomic.ts';
import type { Log } from '../log.ts';

export interface SettingsStore {
  /** Values, what the file sets, and what is wrong with it. Reads the file again when it changed. */
  view(): SettingsView;
  /** The effective values: defaults, the shipped file over them, the person's file over both. */
  values(): Settings;
  /**
   * Changes the named keys; null resets one to its default. Everything else in the file stays as it is written.
   * Errors: SETTINGS_INVALID (nothing is written), FILE_UNWRITABLE, FILE_LOCKED.
   */
  set(patch: Record<string, unknown>): Promise<SettingsView>;
  /** Called after the values changed, by this process or by another. Returns the way to stop. */
  onChange(callback: () => void): () => void;
  dispose(): Promise<void>;
}

interface Loaded {
  readonly stamp: string;
  readonly text: string;
  readonly fields: Record<string, unknown>;
  readonly values: Settings;
  readonly problems: SettingProblem[];
  /** Why the file may not be written: it could neither be read nor put aside. */
  readonly blocked: AppError | null;
}

/** How long a file that is not JSON is given: an editor may be in the middle of writing it. */
const halfWrittenMs = 150;

/**
 * Settings in `<home>/config.json`, shared with skill-sub's own scripts. A file that is not a JSON object is moved to
 * `config.json.broken-<time>` and never written over; a value of a wrong type stays in the file and its default is used.
 */
export function createSettingsStore(options: {
  readonly home: string;
  /** The shipped defaults, a JSON object; absent or missing = the table's. */
  readonly defaultsFile?: string;
  readonly log: Log;
  readonly now: () => number;
}): SettingsStore {
  const file = join(options.home, 'config.json');
  const defaults = readDefaults(options.defaultsFile, options.log);
  const callbacks = new Set<() => void>();
  let setAside: string | null = null;
  let watch: FolderWatch | null = null;
  let loaded = load(null);
  let announced = JSON.stringify(loaded.values);

  function current(): Loaded {
    if (stampOf(file) !== loaded.stamp) loaded = load(loaded);
    return loaded;
  }

  function load(before: Loaded | null): Loaded {
    let stamp = stampOf(file);
    let read = readObject(file);
    if (read.kind === 'broken' && isRecent(file, options.now())) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, halfWrittenMs);
      stamp = stampOf(file);
      read = readObject(file);
    }
    if (read.kind === 'object') return { stamp, blocked: null, ...evaluate(read.text, read.fields, defaults) };
    if (read.kind === 'absent') return { stamp, blocked: null, ...evaluate('', {}, defaults) };
    if (read.kind === 'unreadable') {
      options.log.warn('settings can not be read', { file, error: read.error });
      return { stamp, ...withProblem(before, read.error.message), blocked: read.error };
    }
    const place = `${file}.broken-${compactTime(options.now())}`;
    try {
      renameSync(file, place);
      setAside = place;
      options.log.warn('settings were not a JSON object and were put aside', { file, place, detail: read.detail });
      return { stamp: stampOf(file), ...withProblem(null, read.detail), blocked: null };
    } catch (thrown) {
      options.log.warn('settings are broken and can not be put aside', { file, error: thrown });
      return { stamp, ...withProblem(null, read.detail), blocked: readError(file, thrown) };
    }
  }

  function withProblem(before: Loaded | null, detail: string): Omit<Loaded, 'stamp' | 'blocked'> {
    const base = before ?? evaluate('', {}, defaults);
    return {
      text: base.text,
      fields: base.fields,
      values: base.values,
      problems: [...base.problems.filter((problem) => problem.key !== 'config.json'), { key: 'config.json', detail }],
    };
  }

  function view(): SettingsView {
    const { values, fields, problems } = current();
    return {
      values: { ...values },
      changed: settingKeys.filter((key) => Object.hasOwn(fields, key)),
      problems: [...problems],
      file,
      set_aside: setAside,
    };
  }

  async function set(patch: Record<string, unknown>): Promise<SettingsView> {
    checkPatch(patch);
    await withFileLock(file, async () => {
      const { text, blocked } = current();
      if (blocked !== null) {
        throw new AppError('FILE_UNWRITABLE', { file, detail: blocked.message }, { file }, { cause: blocked });
      }
      await writeFileAtomic(file, patched(text, patch));
    });
    announce();
    return view();
  }

  function announce(): void {
    const next = JSON.stringify(current().values);
    if (next === announced) return;
    announced = next;
    for (const callback of callbacks) callback();
  }

  return {
    view,
    values: () => current().values,
    set,
    onChange(callback) {
      callbacks.add(callback);
      watch ??= watchFolder(options.home, {
        onChange: announce,
        onError: (error) => options.log.warn('settings are not watched', { error }),
      });
      return () => callbacks.delete(callback);
    },
    async dispose() {
      callbacks.clear();
      await watch?.dispose();
    },
  };
}

/** Far from what the writer's recursion bears. */
const maxDepth = 200;

type ReadObject =
  | { readonly kind: 'absent' }
  | { readonly kind: 'object'; readonly text: string; readonly fields: Record<string, unknown> }
  | { readonly kind: 'broken'; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly error: AppError };

function readObject(file: string): ReadObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    return errnoOf(thrown) === 'ENOENT' ? { kind: 'absent' } : { kind: 'unreadable', error: readError(file, thrown) };
  }
  try {
    const value: unknown = JSON.parse(withoutMark(text));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { kind: 'broken', detail: 'not a JSON object' };
    }
    // The writer's parser calls itself for each level.
    if (findTooDeep(text, maxDepth) !== -1) return { kind: 'broken', detail: `nested deeper than ${maxDepth} levels` };
    return { kind: 'object', text, fields: value as Record<string, unknown> };
  } catch (thrown) {
    return { kind: 'broken', detail: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function readDefaults(file: string | undefined, log: Log): Settings {
  const table = defaultSettings();
  if (file === undefined || !existsSync(file)) return table;
  const read = readObject(file);
  if (read.kind !== 'object') {
    log.warn('the shipped settings can not be read', { file });
    return table;
  }
  return evaluate('', read.fields, table).values;
}

function evaluate(
  text: string,
  fields: Record<string, unknown>,
  defaults: Settings,
): Omit<Loaded, 'stamp' | 'blocked'> {
  const values: Record<string, unknown> = { ...defaults };
  const problems: SettingProblem[] = [];
  for (const key of settingKeys) {
    if (!Object.hasOwn(fields, key)) continue;
    const parsed = settingsTable[key].schema.safeParse(fields[key]);
    if (parsed.success) values[key] = parsed.data;
    else problems.push({ key, detail: issueText(parsed.error.issues), found: shortJson(fields[key]) });
  }
  return { text, fields, values: values as Settings, problems };
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

function checkPatch(patch: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(patch)) {
    if (!isSettingKey(key)) throw new AppError('SETTINGS_INVALID', { key, detail: 'unknown key' }, { field: key });
    if (value === null) continue;
    const parsed = settingsTable[key].schema.safeParse(value);
    if (!parsed.success) {
      throw new AppError('SETTINGS_INVALID', { key, detail: issueText(parsed.error.issues) }, { field: key });
    }
  }
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

function issueText(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const first = issues[0];
  if (first === undefined) return '';
  return first.path.length === 0 ? first.message : `${first.path.join('.')}: ${first.message}`;
}

function patched(text: string, patch: Record<string, unknown>): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let body = withoutMark(text);
  if (body.trim() === '') body = '{}\n';
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: body.includes('\r\n') ? '\r\n' : '\n' };
  for (const [key, value] of Object.entries(patch)) {
    body = applyEdits(body, modify(body, [key], value === null ? undefined : value, { formattingOptions }));
  }
  return mark + body;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Changes whenever the file does: every write of ours is a new inode, every other one a new time or size. */
function stampOf(file: string): string {
  try {
    const info = statSync(file, { bigint: true });
    return `${info.ino}:${info.size}:${info.mtimeNs}`;
  } catch (thrown) {
    return errnoOf(thrown);
  }
}

function isRecent(file: string, nowMs: number): boolean {
  const info = statSync(file, { throwIfNoEntry: false });
  return info !== undefined && nowMs - info.mtimeMs < 2_000;
}

function compactTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:]/g, '').replace('.', '-');
}
