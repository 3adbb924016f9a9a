import { type Dirent, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { notice } from '../../../shared/skill/notice.ts';
import type { SkillNotice } from '../../../shared/skill/skill.ts';
import { errnoOf } from '../files/file-error.ts';
import { notAFile } from './read-head.ts';

/** A SKILL.md (in any letter case) that the walk met. */
export interface FoundSkill {
  readonly file: string;
  readonly folder: string;
  /** Why it can not be read, when the walk knows already. */
  readonly problem: SkillNotice | null;
  readonly remarks: readonly SkillNotice[];
  /** Folder of the skill around this one. */
  readonly nestedIn: string | null;
  /** File of the same folder that is used instead of this one. */
  readonly besides: string | null;
  hasActions: boolean;
  /** Relative to `folder`, `/` between parts. */
  readonly scripts: string[];
}

export interface WalkedRoot {
  readonly exists: boolean;
  /** In path order, except what was reached by a link. */
  readonly found: readonly FoundSkill[];
  readonly viaLinks: boolean;
  readonly notices: readonly SkillNotice[];
}

/** What the walks of one scan share, so that each folder and file is met once. */
export interface WalkState {
  /** Real paths of all roots: where links may lead. */
  readonly boundaries: readonly string[];
  readonly folders: Map<string, string>;
  readonly files: Set<string>;
}

/** Folders that hold no skills and may be huge. */
const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
]);
export const runnable = /\.(py|js|mjs|cjs|sh)$/;

const depthLimit = 16;
const folderLimit = 20_000;
const scriptLimit = 200;
/** A walk gives way to other work after this long. */
const sliceMs = 12;

interface Task {
  readonly path: string;
  readonly real: string;
  readonly depth: number;
  readonly skill: FoundSkill | null;
  /** Path from the skill's folder to this one, `` for the folder itself. */
  readonly inside: string;
}

/**
 * Walks one root and finds every SKILL.md in it, also the broken, the nested and the linked ones. Links are followed
 * inside the boundaries only, after the real folders; real paths are tracked, so a loop ends. Nothing that goes wrong
 * inside stops the walk; it becomes a notice.
 */
export async function walkRoot(root: string, state: WalkState): Promise<WalkedRoot> {
  const walk = new Walk(state);
  let real: string;
  try {
    real = realpathSync(root);
    if (!statSync(real).isDirectory()) return missing(notice('warning', 'root_unreadable', { detail: 'ENOTDIR' }));
  } catch (thrown) {
    const detail = errnoOf(thrown) || String(thrown);
    return missing(
      detail === 'ENOENT' ? notice('info', 'root_missing') : notice('warning', 'root_unreadable', { detail }),
    );
  }
  const searched = state.folders.get(real);
  if (searched !== undefined) {
    return {
      exists: true,
      found: [],
      viaLinks: false,
      notices: [notice('info', 'root_searched', { folder: searched })],
    };
  }
  await walk.run({ path: root, real, depth: 0, skill: null, inside: '' });
  return { exists: true, found: walk.found, viaLinks: walk.viaLinks, notices: walk.notices() };
}

function missing(why: SkillNotice): WalkedRoot {
  return { exists: false, found: [], viaLinks: false, notices: [why] };
}

class Walk {
  readonly found: FoundSkill[] = [];
  viaLinks = false;
  private readonly tasks: Task[] = [];
  private readonly links: { readonly task: Task; readonly name: string }[] = [];
  private folderCount = 0;
  private tooDeep = 0;
  private stopped = false;
  private linksListed = 0;
  private readonly unreadable: { folder: string; detail: string }[] = [];
  private readonly refused: { link: string; target: string }[] = [];

  constructor(private readonly state: WalkState) {}

  async run(root: Task): Promise<void> {
    this.tasks.push(root);
    let sliceStart = performance.now();
    for (;;) {
      const task = this.tasks.pop();
      if (task !== undefined) {
        this.folder(task, root.path);
      } else {
        const link = this.links.shift();
        if (link === undefined) break;
        this.viaLinks = true;
        this.link(link.task, link.name);
      }
      if ((this.folderCount & 31) === 0 && performance.now() - sliceStart > sliceMs) {
        await nextTurn();
        sliceStart = performance.now();
      }
    }
  }

  notices(): SkillNotice[] {
    const notices: SkillNotice[] = [];
    const first = this.unreadable[0];
    if (first !== undefined) {
      notices.push(notice('warning', 'folder_unreadable', { count: this.unreadable.length, ...first }));
    }
    const refused = this.refused[0];
    if (refused !== undefined)
      notices.push(notice('warning', 'links_refused', { count: this.refused.length, ...refused }));
    if (this.linksListed > 0) notices.push(notice('info', 'links_listed', { count: this.linksListed }));
    if (this.tooDeep > 0) notices.push(notice('warning', 'depth_limit', { count: this.tooDeep, limit: depthLimit }));
    if (this.stopped) notices.push(notice('warning', 'folder_limit', { limit: folderLimit }));
    return notices;
  }

  private folder(task: Task, rootPath: string): void {
    if (this.state.folders.has(task.real)) return;
    if (this.folderCount >= folderLimit) {
      this.stopped = true;
      return;
    }
    this.folderCount += 1;
    this.state.folders.set(task.real, rootPath);
    let entries: Dirent[];
    try {
      entries = readdirSync(task.path, { withFileTypes: true });
    } catch (thrown) {
      this.unreadable.push({ folder: task.path, detail: errnoOf(thrown) || String(thrown) });
      return;
    }
    const own = this.skillFiles(task, entries);
    const skill = own ?? task.skill;
    const inside = own === null ? task.inside : '';
    const collect = skill !== null && (inside === '' || inside === 'scripts' || inside.startsWith('scripts/'));
    const folders: string[] = [];
    for (const entry of entries) {
      const name = entry.name;
      if (entry.isDirectory()) {
        if (!isIgnoredFolder(name)) folders.push(name);
      } else if (entry.isSymbolicLink()) {
        if (!isSkillFile(name)) this.links.push({ task: { ...task, skill, inside }, name });
      } else if (skill !== null && entry.isFile()) {
        if (collect && runnable.test(name) && name !== '__init__.py' && skill.scripts.length < scriptLimit) {
          skill.scripts.push(inside === '' ? name : `${inside}/${name}`);
        } else if (inside === 'assets' && name === 'actions.json') skill.hasActions = true;
      }
    }
    this.descend(task, folders, skill, inside);
  }

  private descend(task: Task, names: string[], skill: FoundSkill | null, inside: string): void {
    if (task.depth >= depthLimit) {
      this.tooDeep += names.length;
      return;
    }
    // The stack is emptied from its end: the first name is pushed last.
    if (names.length > 1) names.sort((a, b) => (a < b ? 1 : -1));
    for (const name of names) {
      this.tasks.push({
        path: task.path + sep + name,
        real: task.real + sep + name,
        depth: task.depth + 1,
        skill,
        inside: skill === null ? '' : inside === '' ? name : `${inside}/${name}`,
      });
    }
  }

  /** Records each SKILL.md of a folder; returns the one that makes the folder a skill. */
  private skillFiles(task: Task, entries: readonly Dirent[]): FoundSkill | null {
    let candidates: Dirent[] | null = null;
    for (const entry of entries) {
      if (isSkillFile(entry.name)) {
        if (candidates === null) candidates = [entry];
        else candidates.push(entry);
      }
    }
    if (candidates === null) return null;
    if (candidates.length > 1) candidates.sort((a, b) => (a.name < b.name ? -1 : 1));
    let used: FoundSkill | null = null;
    for (const entry of candidates) {
      const file = task.path + sep + entry.name;
      const problem = this.entryProblem(entry, file, task.real + sep + entry.name);
      if (problem === 'listed') continue;
      const remarks = entry.name === 'SKILL.md' ? [] : [notice('warning', 'file_name_case', { name: entry.name })];
      const skill: FoundSkill = {
        file,
        folder: task.path,
        problem,
        remarks,
        nestedIn: task.skill?.folder ?? null,
        besides: used?.file ?? null,
        hasActions: false,
        scripts: [],
      };
      this.found.push(skill);
      if (used === null && problem === null) used = skill;
    }
    return used;
  }

  private entryProblem(entry: Dirent, file: string, real: string): SkillNotice | null | 'listed' {
    if (entry.isFile()) {
      if (this.state.files.has(real)) return 'listed';
      this.state.files.add(real);
      return null;
    }
    if (!entry.isSymbolicLink()) return notAFile(file, entry);
    const target = resolveLink(file);
    if ('problem' in target) return target.problem;
    if (!this.isAllowed(target.real)) {
      this.refused.push({ link: file, target: target.real });
      return notice('error', 'link_outside', { target: target.real });
    }
    const info = statSync(target.real, { throwIfNoEntry: false });
    if (info === undefined) return notice('error', 'link_broken', { target: target.real });
    if (!info.isFile()) return notAFile(file, info);
    if (this.state.files.has(target.real)) {
      this.linksListed += 1;
      return 'listed';
    }
    this.state.files.add(target.real);
    return null;
  }

  /** A link that is not named SKILL.md: followed when it leads to a folder inside the boundaries. */
  private link(task: Task, name: string): void {
    const path = join(task.path, name);
    const target = resolveLink(path);
    if ('problem' in target) {
      // A dead link inside a skill, or one that looks like a file, hides no skill.
      if (task.skill === null && !/.\.[^.]+$/.test(name)) this.recordLink(path, target.problem);
      return;
    }
    const info = statSync(target.real, { throwIfNoEntry: false });
    if (info === undefined || !info.isDirectory()) {
      if (info?.isFile() && task.skill !== null && task.inside === 'assets' && name === 'actions.json') {
        task.skill.hasActions = this.isAllowed(target.real);
      }
      return;
    }
    if (isIgnoredFolder(name) || isIgnoredFolder(basename(target.real))) return;
    if (!this.isAllowed(target.real)) {
      this.refused.push({ link: path, target: target.real });
      if (holdsSkillFile(target.real)) this.recordLink(path, notice('error', 'link_outside', { target: target.real }));
      return;
    }
    if (this.state.folders.has(target.real)) {
      this.linksListed += 1;
      return;
    }
    if (task.depth >= depthLimit) {
      this.tooDeep += 1;
      return;
    }
    const inside = task.skill === null ? '' : task.inside === '' ? name : `${task.inside}/${name}`;
    this.tasks.push({ path, real: target.real, depth: task.depth + 1, skill: task.skill, inside });
  }

  private recordLink(folder: string, problem: SkillNotice): void {
    this.found.push({
      file: join(folder, 'SKILL.md'),
      folder,
      problem,
      remarks: [],
      nestedIn: null,
      besides: null,
      hasActions: false,
      scripts: [],
    });
  }

  private isAllowed(real: string): boolean {
    return this.state.boundaries.some((boundary) => isInside(real, boundary));
  }
}

/** Whether a real path is a folder or lies in it. */
export function isInside(real: string, folder: string): boolean {
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Also a folder that is just being copied into place (`.name.123.part`). */
export function isIgnoredFolder(name: string): boolean {
  return ignoredFolders.has(name) || (name.startsWith('.') && name.endsWith('.part'));
}

export function isSkillFile(name: string): boolean {
  return name.length === 8 && (name === 'SKILL.md' || name.toLowerCase() === 'skill.md');
}

function holdsSkillFile(folder: string): boolean {
  try {
    return readdirSync(folder).some(isSkillFile);
  } catch {
    return false;
  }
}

function resolveLink(path: string): { real: string } | { problem: SkillNotice } {
  try {
    return { real: realpathSync(path) };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ELOOP') return { problem: notice('error', 'link_loop') };
    if (errnoOf(thrown) === 'ENOENT') return { problem: notice('error', 'link_broken', { target: linkTarget(path) }) };
    return { problem: notice('error', 'unreadable', { detail: errnoOf(thrown) || String(thrown) }) };
  }
}

function linkTarget(path: string): string {
  try {
    return join(dirname(path), readlinkSync(path));
  } catch {
    return path;
  }
}
