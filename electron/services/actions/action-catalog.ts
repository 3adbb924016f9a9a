import { realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { actionArgv } from '../../../shared/action/argv.ts';
import { effectivePlacements } from '../../../shared/action/effective-placements.ts';
import { type InputValues, sensitiveFields, validateInput } from '../../../shared/action/input-schema.ts';
import {
  type LintedManifest,
  lintManifest,
  type ManifestFacts,
  manifestLimit,
} from '../../../shared/action/lint-manifest.ts';
import type { Action, ManifestProblem, SkillActions } from '../../../shared/action/manifest.ts';
import { manifestProblemText } from '../../../shared/action/manifest-texts.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import { skillKey, usableRows } from '../../../shared/skill/find-skill.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { errnoOf } from '../files/file-error.ts';
import type { Log } from '../log.ts';
import { searchPath } from '../processes/env.ts';
import { createProgramFinder } from '../skills/find-program.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import { isInside } from '../skills/walk-root.ts';
import { interpreterFor } from './interpreter.ts';

/** Key of the application's own manifest. */
export const ownSlug = 'studio';

export interface ResolvedAction {
  readonly action: Action;
  readonly slug: string;
  readonly skillName: string;
  /** Null for the application itself. */
  readonly skill: SkillRow | null;
  readonly placements: SkillActions['actions'][number]['placements'];
}

/** Everything that is needed to start an action, and what may be shown of it. */
export interface ActionCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** On top of the small environment that every child gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole argv with sensitive values as `***`. */
  readonly maskedArgv: readonly string[];
  /** Input with defaults, sensitive values as `***`. */
  readonly maskedInput: InputValues;
  /** Values that must appear nowhere, in every spelling in which a program may print them. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
}

export interface ActionCatalog {
  /** The application's own manifest first, then one entry per skill that has a manifest, also the broken ones. */
  list(): Promise<SkillActions[]>;
  /** Errors: SKILL_NOT_FOUND, MANIFEST_INVALID, ACTION_NOT_FOUND. */
  resolve(skillNameOrSlug: string, actionId: string): Promise<ResolvedAction>;
  /**
   * Errors: ACTION_INPUT_INVALID, SCRIPT_NOT_FOUND, PROGRAM_NOT_FOUND, ACTION_REFUSED (a command of
   * the window, or a script outside the skill).
   */
  command(resolved: ResolvedAction, input: Readonly<Record<string, unknown>>): Promise<ActionCommand>;
}

export interface ActionCatalogOptions {
  readonly skills: Pick<SkillLibrary, 'list' | 'find' | 'envNeeds'>;
  readonly settings: { values(): Pick<Settings, 'python' | 'step_timeout_seconds'> };
  /** `assets/actions.json` of the application. */
  readonly ownManifestFile: string;
  /** How this program's own command line is called; absent = Node and `dist/cli/main.js` beside `assets`. */
  readonly ownCli?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Record<string, string>;
  };
  readonly log: Log;
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** Scripts that an entrypoint can have, the first that exists is used. */
const mainScripts = ['main.py', 'main.mjs', 'main.js', 'main.sh'];

/** The actions that this application and the skills of this machine offer. */
export function createActionCatalog(options: ActionCatalogOptions): ActionCatalog {
  return new Catalog(options);
}

interface Entry {
  readonly actions: SkillActions;
  readonly skill: SkillRow | null;
}

class Catalog implements ActionCatalog {
  private readonly cache = new Map<string, { stamp: string; linted: LintedManifest }>();
  private readonly env: NodeJS.ProcessEnv;
  private readonly platform: NodeJS.Platform;

  constructor(private readonly options: ActionCatalogOptions) {
    this.env = options.env ?? process.env;
    this.platform = options.platform ?? process.platform;
  }

  async list(): Promise<SkillActions[]> {
    return (await this.entries()).map(({ actions }) => actions);
  }

  async resolve(skillNameOrSlug: string, actionId: string): Promise<ResolvedAction> {
    const entry = await this.entry(skillNameOrSlug);
    const { actions, skill } = entry;
    const found = actions.actions.find(({ action }) => action.id === actionId);
    if (found === undefined) throw missingAction(actions, actionId);
    return {
      action: found.action,
      slug: actions.slug,
      skillName: actions.skill_name,
      skill,
      placements: found.placements,
    };
  }

  async command(resolved: ResolvedAction, input: Readonly<Record<string, unknown>>): Promise<ActionCommand> {
    const { action, skill } = resolved;
    const values = validateInput(action, input);
    const args = actionArgv(action, values);
    const masked = actionArgv(action, values, { mask: true });
    const base = skill === null ? this.ownCommand(action) : this.skillCommand(skill, action);
    const hidden = sensitiveFields(action.inputSchema).filter((field) => Object.hasOwn(values, field));
    const seconds = action.timeoutSeconds ?? this.options.settings.values().step_timeout_seconds;
    return {
      command: base.command,
      args: [...base.args, ...args],
      cwd: base.cwd,
      env: base.env,
      maskedArgv: [base.command, ...base.args, ...masked],
      maskedInput: { ...values, ...Object.fromEntries(hidden.map((field) => [field, '***'])) },
      secrets: hidden.flatMap((field) => spellings(String(values[field]))),
      // setTimeout can not count further.
      timeoutMs: Math.min(seconds * 1000, 2 ** 31 - 1),
    };
  }

  private async entry(name: string): Promise<Entry> {
    const entries = await this.entries();
    const key = skillKey(name);
    const bySlug = entries.find(({ actions }) => skillKey(actions.slug) === key);
    if (bySlug !== undefined) return bySlug;
    const skill = await this.options.skills.find(name);
    if (skill === null) throw new AppError('SKILL_NOT_FOUND', { name });
    const byRow = entries.find((entry) => entry.skill?.id === skill.id);
    if (byRow !== undefined) return byRow;
    const actions = {
      slug: skill.slug ?? skill.name,
      skill_id: skill.id,
      skill_name: skill.name,
      file: '',
      actions: [],
      problems: [],
    };
    return { actions, skill };
  }

  private async entries(): Promise<Entry[]> {
    const { rows } = await this.options.skills.list();
    const used = new Set([ownSlug]);
    const entries: Entry[] = [{ actions: await this.ownActions(), skill: null }];
    for (const skill of usableRows(rows)) {
      if (!skill.has_actions) continue;
      const file = join(skill.folder, 'assets', 'actions.json');
      const linted = await this.read(file, { slug: skill.slug, name: skill.name, folder: basename(skill.folder) });
      const slug = keyFor(skill, linted, used);
      used.add(skillKey(slug));
      entries.push({ actions: { slug, skill_id: skill.id, skill_name: skill.name, file, ...offered(linted) }, skill });
    }
    return entries;
  }

  private async ownActions(): Promise<SkillActions> {
    const file = this.options.ownManifestFile;
    const linted = await this.read(file, { own: true });
    return { slug: ownSlug, skill_id: null, skill_name: ownSlug, file, ...offered(linted) };
  }

  private async read(file: string, facts: ManifestFacts): Promise<LintedManifest> {
    const factsText = JSON.stringify(facts);
    try {
      const info = statSync(file);
      const stamp = `${info.size}:${info.mtimeMs}:${info.ctimeMs}:${info.ino}:${factsText}`;
      const known = this.cache.get(file);
      if (known?.stamp === stamp) return known.linted;
      if (!info.isFile()) return broken('file_unreadable', { detail: 'not a file' });
      const linted =
        info.size > manifestLimit
          ? broken('too_large', { size_kb: Math.ceil(info.size / 1000), limit_kb: manifestLimit / 1000 })
          : lintManifest(await readFile(file, 'utf8'), facts);
      this.cache.set(file, { stamp, linted });
      return linted;
    } catch (thrown) {
      const detail = errnoOf(thrown) || String(thrown);
      this.options.log.warn('manifest not read', { file, detail });
      return broken('file_unreadable', { detail });
    }
  }

  private skillCommand(
    skill: SkillRow,
    action: Action,
  ): Omit<ActionCommand, 'maskedArgv' | 'maskedInput' | 'secrets' | 'timeoutMs'> {
    if (action.entrypoint.type === 'app') throw windowCommand(action);
    const script = this.mainScript(skill);
    const interpreter = interpreterFor(script, {
      python: this.options.settings.values().python,
      skillFolder: skill.folder,
      findProgram: createProgramFinder({ ...this.env, PATH: searchPath(this.env) }, this.platform),
      platform: this.platform,
    });
    const env: Record<string, string> = { SKILL_ROOT: skill.folder };
    for (const name of this.options.skills.envNeeds(skill.id)) {
      const value = this.env[name];
      if (value !== undefined) env[name] = value;
    }
    return interpreter === null
      ? { command: script, args: [], cwd: skill.folder, env }
      : { command: interpreter, args: [script], cwd: skill.folder, env };
  }

  private mainScript(skill: SkillRow): string {
    const missing = () =>
      new AppError('SCRIPT_NOT_FOUND', { name: skill.name, script: 'scripts/main.py' }, { file: skill.folder });
    for (const name of mainScripts) {
      const file = join(skill.folder, 'scripts', name);
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
      // A link may not make a skill run what lies outside of it.
      if (!isInside(realpathSync(file), realpathSync(skill.folder))) {
        throw new AppError('ACTION_REFUSED', {
          action: name,
          detail: 'the script lies outside the skill folder',
          'detail:zh-CN': '脚本位于技能文件夹之外',
        });
      }
      return file;
    }
    throw missing();
  }

  private ownCommand(action: Action): Omit<ActionCommand, 'maskedArgv' | 'maskedInput' | 'secrets' | 'timeoutMs'> {
    if (action.entrypoint.type === 'app') throw windowCommand(action);
    const appFolder = dirname(dirname(this.options.ownManifestFile));
    const cli = this.options.ownCli ?? { command: process.execPath, args: [join(appFolder, 'dist', 'cli', 'main.js')] };
    return { command: cli.command, args: [...cli.args], cwd: appFolder, env: { ...cli.env } };
  }
}

/**
 * The key by which a manifest's actions are run: its `skill`, but only where that names the skill it lies in, so that
 * no skill answers for another.
 */
function keyFor(skill: SkillRow, { manifest, problems }: LintedManifest, used: ReadonlySet<string>): string {
  const mismatch = problems.some(({ code }) => code === 'skill_mismatch');
  const candidates = [mismatch ? null : manifest?.skill, skill.slug, skill.name, basename(skill.folder)];
  const free = candidates.find((name) => typeof name === 'string' && name !== '' && !used.has(skillKey(name)));
  return free ?? skill.id;
}

function offered({ manifest, problems }: LintedManifest): Pick<SkillActions, 'actions' | 'problems'> {
  const actions = (manifest?.actions ?? []).map((action) => ({ action, ...effectivePlacements(action) }));
  return { actions, problems: [...problems] };
}

function broken(code: 'file_unreadable' | 'too_large', params: ManifestProblem['params']): LintedManifest {
  return { manifest: null, problems: [{ severity: 'error', code, path: '', params }] };
}

function missingAction(actions: SkillActions, actionId: string): AppError {
  // An action with an error is left out; the person wants to hear of the error, not that it does not exist.
  const error = actions.problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return new AppError('ACTION_NOT_FOUND', { skill: actions.skill_name, action: actionId });
  const place = {
    file: actions.file,
    ...(error.line === undefined ? {} : { line: error.line }),
    ...(error.column === undefined ? {} : { column: error.column }),
    ...(error.path === '' ? {} : { field: error.path }),
  };
  const detail = manifestProblemText('en', error);
  return new AppError('MANIFEST_INVALID', { detail, 'detail:zh-CN': manifestProblemText('zh-CN', error) }, place);
}

function windowCommand(action: Action): AppError {
  return new AppError('ACTION_REFUSED', {
    action: action.id,
    detail: 'it is a command of the window',
    'detail:zh-CN': '它是窗口命令',
  });
}

/** A secret as it is, as JSON writes it and as a URL writes it. */
function spellings(value: string): string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(Buffer.from(value).toString())])];
}
