import type { Readable } from 'node:stream';
import { type BoundedText, BoundedTextBuilder } from './bounded-text.ts';
import { CappedLog } from './capped-log.ts';
import { nativeEncoding, OutputDecoder } from './output-decoder.ts';
import { Redactor } from './redactor.ts';
import { startProcess } from './start-process.ts';
import { stopTree } from './stop-tree.ts';

export type OutputStream = 'stdout' | 'stderr';

export interface RunProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** On top of the small environment of `childEnvironment`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text for the standard input; without it the input is empty and closed. */
  readonly stdin?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Between SIGTERM and SIGKILL; default 5000. */
  readonly graceMs?: number;
  /** Stops the program. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the grace of a stop at once. */
  readonly force?: AbortSignal | undefined;
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly onOutput?: ((stream: OutputStream, text: string) => void) | undefined;
  /** Both streams as they came, appended. */
  readonly logFile?: string | undefined;
  /** Default 5 MB. */
  readonly logLimitBytes?: number;
  /** How much of each stream the result holds, in characters; default 64 KB. */
  readonly keepCharacters?: number | undefined;
  /** Values that appear nowhere: not in the callback, the file or the result. */
  readonly secrets?: readonly string[];
}

export interface ProcessResult {
  /** Null when a signal ended it or it never started. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Why it never started: a system error such as `ENOENT`; null when it did. */
  readonly spawnError: { readonly code: string; readonly message: string } | null;
  readonly stdout: BoundedText;
  readonly stderr: BoundedText;
  readonly outputBytes: number;
  readonly durationMs: number;
  /** Null when it never started. */
  readonly pid: number | null;
  /** Processes that it started and that could not be ended; 0 is the proof of a clean end. */
  readonly processesLeft: number;
}

/** After the last process has ended, how long its pipes may take to say so. */
const closeWaitMs = 2000;

/**
 * Runs a program to its end, in a process group of its own and without a shell. Whatever the program leaves behind
 * (children in the background, in sessions of their own) is ended too before this returns. Never throws for what a
 * program or the system does: the result says it.
 */
export async function runProcess(options: RunProcessOptions): Promise<ProcessResult> {
  const startedAt = performance.now();
  const start = await startProcess({
    command: options.command,
    args: options.args,
    cwd: options.cwd,
    env: options.env,
    writable: options.stdin !== undefined,
    signal: options.signal,
  });
  if (start.kind === 'cancelled') return notStarted({ cancelled: true });
  if (start.kind === 'failed') return notStarted({ spawnError: start.error });
  const { pid, tree, exited, closed, ...child } = start.process;
  options.onStart?.(pid);

  const collector = new OutputCollector(options);
  collector.read('stdout', child.stdout);
  collector.read('stderr', child.stderr);
  if (options.stdin !== undefined) {
    // A program that does not read its input closes it; that is its right.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin);
  }

  const stop = (graceMs: number) => stopTree({ rootPid: pid, tree, graceMs, force: options.force });
  const graceMs = options.graceMs ?? 5000;
  const end = await firstEnd(exited, options);
  let left = 0;
  if (end !== 'exited') left = await stop(graceMs);
  if (left === 0) {
    await exited;
    // Its children may go on without it, even in a session of their own.
    left = await stop(graceMs);
  }
  await within(closeWaitMs, closed);
  child.stdout.destroy();
  child.stderr.destroy();
  const status = left === 0 ? await exited : { code: null, signal: null };
  const output = await collector.finish();
  return {
    exitCode: status.code,
    exitSignal: status.signal,
    timedOut: end === 'timed_out',
    cancelled: end === 'cancelled',
    spawnError: null,
    ...output,
    durationMs: performance.now() - startedAt,
    pid,
    processesLeft: left,
  };
}

/** Decodes, redacts and spreads the output of both streams; stops reading while the disk is behind. */
class OutputCollector {
  readonly #options: RunProcessOptions;
  readonly #log: CappedLog | null;
  readonly #texts: Readonly<Record<OutputStream, BoundedTextBuilder>>;
  readonly #ends: (() => void)[] = [];
  readonly #streams: Readable[] = [];
  #bytes = 0;
  #paused = false;

  constructor(options: RunProcessOptions) {
    this.#options = options;
    const half = Math.floor((options.keepCharacters ?? 64 * 1024) / 2);
    this.#texts = { stdout: new BoundedTextBuilder(half, half), stderr: new BoundedTextBuilder() };
    this.#log =
      options.logFile === undefined ? null : new CappedLog(options.logFile, options.logLimitBytes ?? 5 * 1024 * 1024);
  }

  read(name: OutputStream, stream: Readable): void {
    const decoder = new OutputDecoder(nativeEncoding(process.platform, Intl.DateTimeFormat().resolvedOptions().locale));
    const redactor = new Redactor(this.#options.secrets ?? []);
    this.#streams.push(stream);
    stream.on('data', (bytes: Buffer) => {
      this.#bytes += bytes.length;
      this.#take(name, redactor.write(decoder.write(bytes)));
    });
    stream.on('error', () => undefined);
    this.#ends.push(() => this.#take(name, redactor.write(decoder.end()) + redactor.end()));
  }

  async finish(): Promise<Pick<ProcessResult, 'stdout' | 'stderr' | 'outputBytes'>> {
    for (const end of this.#ends) end();
    const [stdout, stderr] = [this.#texts.stdout.finish(), this.#texts.stderr.finish()];
    await this.#log?.finish(stdout.tail + stderr.tail);
    return { stdout, stderr, outputBytes: this.#bytes };
  }

  #take(name: OutputStream, text: string): void {
    if (text === '') return;
    this.#texts[name].push(text);
    this.#options.onOutput?.(name, text);
    if (this.#log === null || this.#log.write(text) || this.#paused) return;
    this.#paused = true;
    for (const stream of this.#streams) stream.pause();
    this.#log.drained(() => {
      this.#paused = false;
      for (const stream of this.#streams) stream.resume();
    });
  }
}

/** What ends the program first; later reasons do not count. */
function firstEnd(exited: Promise<unknown>, options: RunProcessOptions): Promise<'exited' | 'timed_out' | 'cancelled'> {
  return new Promise((resolve) => {
    const timer = options.timeoutMs === undefined ? null : setTimeout(() => settle('timed_out'), options.timeoutMs);
    const abort = () => settle('cancelled');
    const settle = (end: 'exited' | 'timed_out' | 'cancelled') => {
      if (timer !== null) clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      resolve(end);
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    void exited.then(() => settle('exited'));
  });
}

async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}

function notStarted(what: Partial<Pick<ProcessResult, 'cancelled' | 'spawnError'>>): ProcessResult {
  const nothing = new BoundedTextBuilder().finish();
  return {
    exitCode: null,
    exitSignal: null,
    timedOut: false,
    cancelled: false,
    spawnError: null,
    stdout: nothing,
    stderr: nothing,
    outputBytes: 0,
    durationMs: 0,
    pid: null,
    processesLeft: 0,
    ...what,
  };
}
