import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** A process as one look at the system saw it. `startedAt` tells it from a later process with the same number. */
export interface SeenProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** Which processes belong together. */
export interface ProcessScope {
  /** Number of the first process; it leads a process group of the same number. */
  readonly rootPid: number;
  /** `NAME=value` that stands in the environment of all of them, unless one of them took it out. */
  readonly mark: string;
}

interface ProcessRow extends SeenProcess {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/**
 * Keeps sight of all processes that one process started: its group, its session, children of children, and on Linux
 * whoever carries the mark, which finds a process that made a session of its own after its parent ended. What was
 * seen once stays known. Ended processes that nobody has waited for do not count.
 */
export class ProcessTree {
  readonly #scope: ProcessScope;
  #known = new Map<number, string>();

  constructor(scope: ProcessScope) {
    this.#scope = scope;
  }

  /** The processes that run now, without the root once the system says that it has ended. */
  async running(): Promise<SeenProcess[]> {
    const rows = await listProcesses(this.#scope.rootPid);
    const members = new Map<number, ProcessRow>();
    for (const row of rows) {
      if (this.#isMember(row)) members.set(row.pid, row);
    }
    addDescendants(rows, members);
    for (const row of rows) {
      if (!members.has(row.pid) && carriesMark(row.pid, this.#scope.mark)) members.set(row.pid, row);
    }
    addDescendants(rows, members);
    this.#known = new Map([...members.values()].map((row) => [row.pid, row.startedAt]));
    return [...members.values()];
  }

  #isMember(row: ProcessRow): boolean {
    const { rootPid } = this.#scope;
    const known = this.#known.get(row.pid) === row.startedAt;
    return known || row.pid === rootPid || row.group === rootPid || row.session === rootPid;
  }
}

/** The running processes whose environment holds `mark`; empty where the system does not show environments. */
export async function findMarked(mark: string, sincePid: number): Promise<SeenProcess[]> {
  const rows = await listProcesses(sincePid);
  return rows.filter((row) => carriesMark(row.pid, mark));
}

/** When the process started, in the system's own units; null when there is none of that number or it can not be seen. */
export async function processStart(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return readStat(pid)?.startedAt ?? null;
  if (process.platform === 'win32') return null;
  const rows = await psRows(['-p', String(pid)]);
  return rows.find((row) => row.pid === pid)?.startedAt ?? null;
}

async function listProcesses(sincePid: number): Promise<ProcessRow[]> {
  if (process.platform === 'win32') return [];
  const rows = process.platform === 'linux' ? procRows(sincePid) : await psRows(['-ax']);
  return rows.filter((row) => row.pid !== process.pid && row.pid > 1);
}

function addDescendants(rows: readonly ProcessRow[], members: Map<number, ProcessRow>): void {
  if (members.size === 0) return;
  for (let found = true; found; ) {
    found = false;
    for (const row of rows) {
      if (members.has(row.pid) || !members.has(row.parent)) continue;
      members.set(row.pid, row);
      found = true;
    }
  }
}

function procRows(sincePid: number): ProcessRow[] {
  const isYounger = youngerThan(sincePid);
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !isYounger(pid)) continue;
    const row = readStat(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/**
 * Numbers are given out in order, so that only those between the root's and the newest can be its descendants; this
 * spares reading every process of the machine. After the counter has gone round it is the other way about.
 */
function youngerThan(sincePid: number): (pid: number) => boolean {
  let newest: number;
  try {
    newest = Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1));
  } catch {
    return () => true;
  }
  if (!Number.isInteger(newest)) return () => true;
  return newest >= sincePid ? (pid) => pid >= sincePid : (pid) => pid >= sincePid || pid <= newest;
}

function readStat(pid: number): ProcessRow | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses and may itself hold parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X' || state === 'x') return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt: fields[19] ?? '' };
}

function carriesMark(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.startsWith(`${mark}\0`) || environment.includes(`\0${mark}\0`);
  } catch {
    return false;
  }
}

async function psRows(which: readonly string[]): Promise<ProcessRow[]> {
  let text: string;
  try {
    const fields = 'pid=,ppid=,pgid=,stat=,lstart=';
    ({ stdout: text } = await promisify(execFile)('/bin/ps', [...which, '-o', fields], {
      maxBuffer: 64 * 1024 * 1024,
    }));
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '' || state === undefined || state.startsWith('Z')) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, startedAt: started.join(' ') },
    ];
  });
}
