import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ProcessTree, SeenProcess } from './process-tree.ts';

/** How long ended processes may take to disappear after SIGKILL; a process in an uninterruptible wait takes longer. */
const killWaitMs = 3000;

export interface StopOptions {
  readonly rootPid: number;
  readonly tree: ProcessTree;
  /** Milliseconds between asking (SIGTERM) and ending (SIGKILL). */
  readonly graceMs: number;
  /** Ends the grace at once. */
  readonly force?: AbortSignal | undefined;
}

/**
 * Ends a process and everything it started: SIGTERM to its group and to those who left the group, after the grace
 * SIGKILL, again and again until none is left. Returns how many could not be ended. On Windows `taskkill` ends the
 * tree at once.
 */
export async function stopTree(options: StopOptions): Promise<number> {
  if (process.platform === 'win32') return stopWindowsTree(options.rootPid);
  const asked = new Set<string>();
  const graceEnd = performance.now() + options.graceMs;
  let members = await options.tree.running();
  for (let pause = 5; members.length > 0; pause = Math.min(100, pause * 2)) {
    const isOver = () => options.force?.aborted === true || performance.now() >= graceEnd;
    if (isOver()) break;
    for (const member of members) {
      const name = `${member.pid} ${member.startedAt}`;
      if (!asked.has(name)) send(member, 'SIGTERM');
      asked.add(name);
    }
    await delay(Math.min(pause, Math.max(1, graceEnd - performance.now())), undefined, {
      ...(options.force === undefined ? {} : { signal: options.force }),
    }).catch(() => undefined);
    members = await options.tree.running();
  }
  const killEnd = performance.now() + killWaitMs;
  for (let pause = 2; members.length > 0 && performance.now() < killEnd; pause = Math.min(50, pause * 2)) {
    // The group first: it reaches children that were born after the look at the system.
    sendGroup(options.rootPid);
    for (const member of members) send(member, 'SIGKILL');
    await delay(pause);
    members = await options.tree.running();
  }
  return members.length;
}

function send(target: SeenProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(target.pid, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user; the next look at the system tells.
  }
}

function sendGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // No group of that number any more.
  }
}

async function stopWindowsTree(pid: number): Promise<number> {
  await promisify(execFile)('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }).catch(
    () => undefined,
  );
  try {
    process.kill(pid, 0);
    return 1;
  } catch {
    return 0;
  }
}
