import { StringDecoder } from 'node:string_decoder';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type SpawnError, type StartedProcess, startProcess } from '../processes/start-process.ts';
import { stopTree } from '../processes/stop-tree.ts';
import { endsWithin } from './call-limit.ts';
import type { Link, LinkEvents } from './link.ts';

/** A line of this length is no message of a tool; the protocol's library draws the line there too. */
const longestMessage = 10 * 1024 * 1024;
/** A server ends by itself when its input ends; this is how long it may take. */
const closeMs = 1000;
/** After that, between SIGTERM and SIGKILL. */
const graceMs = 1000;
/** How long its pipes may take to say that they are empty. */
const drainMs = 500;

interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/**
 * A server on the standard streams of a program of ours. The library's own transport would end the program alone and
 * hand on a larger environment; this one starts it like every other program and ends all that it started.
 */
export class StdioLink implements Link, Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  spawnError: SpawnError | null = null;
  end: { readonly code: number | null; readonly signal: string | null } | null = null;
  isStopping = false;
  readonly #options: StdioOptions;
  readonly #events: LinkEvents;
  readonly #read: (line: string) => JSONRPCMessage | null;
  #process: StartedProcess | null = null;
  #starting: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;
  #closed = false;

  /** `read`: a line as a message, null when it is none. */
  constructor(options: StdioOptions, events: LinkEvents, read: (line: string) => JSONRPCMessage | null) {
    this.#options = options;
    this.#events = events;
    this.#read = read;
  }

  get transport(): Transport {
    return this;
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const start = await startProcess({ ...this.#options, writable: true });
    if (start.kind === 'cancelled') throw new Error('cancelled');
    if (start.kind === 'failed') {
      this.spawnError = start.error;
      throw new Error(start.error.message);
    }
    const started = start.process;
    this.#process = started;
    this.#events.onStart(started.pid);
    started.stdin?.on('error', () => undefined);
    readLines(started.stdout, longestMessage, (line) => this.#take(line));
    readLines(started.stderr, 8 * 1024, (line) => this.#events.onLine(line));
    void started.exited.then((end) => {
      this.end = end;
      // Whatever it started ends with it.
      void this.stop();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#process?.stdin;
    if (input == null || !input.writable) throw new Error('The server takes no more messages.');
    await new Promise<void>((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  async close(): Promise<void> {
    await this.stop();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.isStopping = this.end === null;
    await this.#starting?.catch(() => undefined);
    const started = this.#process;
    if (started !== null) await this.#endAll(started);
    this.#close();
  }

  async #endAll(started: StartedProcess): Promise<void> {
    started.stdin?.end();
    if (this.end === null) await endsWithin(started.exited, closeMs);
    // Its last answer may still be in the pipe, unless a child of it holds the pipe open.
    else await endsWithin(started.closed, drainMs);
    if (this.end !== null) this.#close();
    const left = await stopTree({ rootPid: started.pid, tree: started.tree, graceMs });
    if (left > 0) this.#events.onLine(`${left} processes of the server could not be ended.`);
    await endsWithin(started.closed, drainMs);
    started.stdout.destroy();
    started.stderr.destroy();
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const message = this.#read(line);
    if (message === null) this.#events.onNoise(line);
    else this.onmessage?.(message);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** Calls back with each line, without its end; a longer one is cut there and the rest of it left out. */
function readLines(stream: StartedProcess['stdout'], longest: number, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  const add = (text: string) => {
    if (length < longest) parts.push(text.slice(0, longest - length));
    length += text.length;
  };
  const finish = () => {
    const line = parts.join('');
    parts = [];
    length = 0;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  };
  const take = (text: string) => {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      add(text.slice(from, at));
      finish();
      from = at + 1;
    }
    if (from < text.length) add(text.slice(from));
  };
  stream.on('data', (bytes: Buffer) => take(decoder.write(bytes)));
  stream.on('error', () => undefined);
  stream.on('end', () => {
    take(decoder.end());
    if (length > 0) finish();
  });
}
