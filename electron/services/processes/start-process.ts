import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { childEnvironment, markPrefix } from './env.ts';
import { ProcessTree } from './process-tree.ts';

export interface StartOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** On top of the small environment of `childEnvironment`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether somebody will write to its standard input; without it the input is empty. */
  readonly writable: boolean;
  /** A process that is not wanted any more is not started. */
  readonly signal?: AbortSignal | undefined;
}

export interface SpawnError {
  /** A system error such as `ENOENT`. */
  readonly code: string;
  readonly message: string;
}

export interface StartedProcess {
  readonly pid: number;
  /** Null when it is not `writable`. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** It and all that it starts. */
  readonly tree: ProcessTree;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** After its end, when nobody holds its output any more. */
  readonly closed: Promise<void>;
}

export type StartResult =
  | { readonly kind: 'started'; readonly process: StartedProcess }
  | { readonly kind: 'failed'; readonly error: SpawnError }
  | { readonly kind: 'cancelled' };

/**
 * Starts a program in a process group of its own, without a shell, with a small environment and a mark in it by which
 * all that it starts is found. Whoever calls this has to see to its end (`stopTree`). Never throws for what a program
 * or the system does.
 */
export async function startProcess(options: StartOptions): Promise<StartResult> {
  // Loaded by the first program that is started: most commands start none.
  const [{ execa }, folder] = await Promise.all([import('execa'), stat(options.cwd).catch(() => null)]);
  if (options.signal?.aborted === true) return { kind: 'cancelled' };
  if (folder === null || !folder.isDirectory()) {
    return failed('ENOTDIR', `The folder does not exist: ${options.cwd}`);
  }
  if ([options.command, ...options.args].some((part) => part.includes('\0'))) {
    return failed('EINVAL', 'An argument holds a NUL character.');
  }
  const mark = `${markPrefix}${randomBytes(9).toString('hex').toUpperCase()}`;
  const child = execa(options.command, [...options.args], {
    cwd: options.cwd,
    env: { ...childEnvironment(options.env), [mark]: '1' },
    extendEnv: false,
    // The leader of its own group can be ended together with its children.
    detached: process.platform !== 'win32',
    cleanup: false,
    reject: false,
    buffer: false,
    windowsHide: true,
    stdin: options.writable ? 'pipe' : 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { pid } = child;
  if (pid === undefined) return { kind: 'failed', error: spawnErrorOf(await child) };
  // The result of the library is not used; what matters of it is observed here.
  void child.catch(() => undefined);
  return {
    kind: 'started',
    process: {
      pid,
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      tree: new ProcessTree({ rootPid: pid, mark: `${mark}=1` }),
      exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
      closed: new Promise((resolve) => child.once('close', () => resolve())),
    },
  };
}

function failed(code: string, message: string): StartResult {
  return { kind: 'failed', error: { code, message } };
}

function spawnErrorOf(result: unknown): SpawnError {
  const failure = result as { code?: string; cause?: { code?: string; message?: string }; originalMessage?: string };
  const code = failure.code ?? failure.cause?.code ?? 'UNKNOWN';
  return { code, message: failure.cause?.message ?? failure.originalMessage ?? code };
}
