import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { McpServer } from '../../../shared/settings/settings.ts';
import type { Log } from '../log.ts';
import { childEnvironment, isRefusedVariable } from '../processes/env.ts';
import { Secrets } from '../processes/secrets.ts';
import { type CallLimit, createCallLimit, untilAborted } from './call-limit.ts';
import { HttpLink } from './http-link.ts';
import type { Link, LinkEvents } from './link.ts';
import { readAnswer } from './mcp-answer.ts';
import { StdioLink } from './stdio-link.ts';
import { type Sentence, toolError } from './tool-texts.ts';

export interface McpClientOptions {
  readonly config: McpServer;
  /** Where a server's program starts. */
  readonly folder: string;
  /** Where the variables are that the settings name. */
  readonly environment: NodeJS.ProcessEnv;
  /** Of this program. */
  readonly version: string;
  readonly log: Log;
  /** Milliseconds without a call after which the server is ended. */
  readonly idleMs: number;
}

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** One use of a server. */
export interface ServerUse {
  /** What is used, in the words of an error: `server/tool`. */
  readonly name: string;
  readonly limit: CallLimit;
  readonly onText: (text: string) => void;
}

export interface ServerAnswer {
  readonly text: string;
  readonly json?: unknown;
  readonly isError: boolean;
}

interface Connection {
  readonly client: Client;
  readonly link: Link;
  isOpen: boolean;
  tools: Promise<readonly ServerTool[]> | null;
}

type ArgumentCheck = (args: unknown) => { readonly errorMessage: string | undefined };

interface Start {
  readonly promise: Promise<Connection>;
  readonly abort: AbortController;
  waiters: number;
}

/** How long a server may take to say that it still listens. */
const pingMs = 2000;
/** The library's own limit of a request; ours come before. */
const noLimit = { timeout: 2 ** 31 - 1 };
const mostTools = 2000;
/** Lines that are no messages and are told of one by one. */
const toldNoise = 20;
const codes = { timeout: -32_001, closed: -32_000 };

/**
 * One server of tools: started when it is first needed, kept while it is used, started again after it died. All that
 * it started ends with it.
 */
export class McpClient {
  readonly secrets = new Secrets();
  readonly #options: McpClientOptions;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #listeners = new Set<(text: string) => void>();
  readonly #stopping = new Set<Promise<void>>();
  #connection: Connection | null = null;
  #start: Start | null = null;
  #active = 0;
  /** A call was given up: the server may hang. */
  #isSuspect = false;
  #isRetired = false;
  readonly #checks = new WeakMap<ServerTool, ArgumentCheck | null>();
  readonly #onIdle: (() => void)[] = [];
  #idle: NodeJS.Timeout | undefined;
  #lastLine = '';
  #noise: string[] = [];

  constructor(options: McpClientOptions) {
    this.#options = options;
    const { config, environment } = options;
    this.#env = Object.fromEntries(Object.entries(config.env).map(([name, ours]) => [name, environment[ours]]));
    this.#headers = Object.fromEntries(
      Object.entries(config.headers).flatMap(([name, ours]) => headerOf(name, environment[ours])),
    );
    // What every program may see is no secret, and short values would make the output unreadable.
    const known = new Set(Object.values(childEnvironment({}, environment)));
    const passed = Object.values(this.#env).filter((value) => value !== undefined && value.length >= 8);
    this.secrets.add(passed.filter((value) => value !== undefined && !known.has(value)) as string[]);
    this.secrets.add(Object.values(config.headers).flatMap((ours) => environment[ours] ?? []));
  }

  /** What the server offers. Errors: TOOL_SERVER_FAILED; the limit's end is a rejection of any kind. */
  tools(use: ServerUse): Promise<readonly ServerTool[]> {
    return this.#use(use, (connection) => this.#tools(connection, use));
  }

  /** Errors: TOOL_SERVER_FAILED, TOOL_FAILED, INVALID_TOOL_ARGS; the limit's end is a rejection of any kind. */
  call(tool: ServerTool, args: Readonly<Record<string, unknown>>, use: ServerUse): Promise<ServerAnswer> {
    return this.#use(use, async (connection) => {
      const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
      await this.#checkArguments(tool, args, use.name);
      const request = { method: 'tools/call' as const, params: { name: tool.name, arguments: { ...args } } };
      const result = await connection.client.request(request, CallToolResultSchema, {
        ...noLimit,
        signal: use.limit.signal,
        onprogress: ({ progress, total, message }) => {
          const of = total === undefined ? '' : `/${total}`;
          use.onText(this.secrets.hidden(`${progress}${of}${message ? ` ${message}` : ''}`));
        },
      });
      return readAnswer(result);
    });
  }

  /** Ends the server once nobody uses it; returns when nothing of it is left. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#active > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.stop();
  }

  /** Ends the server; returns when nothing of it is left. A later use starts it again. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const start = this.#start;
    start?.abort.abort();
    await start?.promise.catch(() => undefined);
    if (this.#connection !== null) this.#end(this.#connection);
    await Promise.all(this.#stopping);
  }

  async #use<T>(use: ServerUse, work: (connection: Connection) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#active += 1;
    this.#listeners.add(use.onText);
    try {
      // An end that the system has reported already is noticed before anything is sent.
      await nextTurn();
      const connection = await this.#connect(use);
      return await this.#work(connection, use, work);
    } finally {
      // What the server wrote on its standard error before its answer comes by another pipe.
      await nextTurn();
      this.#listeners.delete(use.onText);
      this.#active -= 1;
      if (this.#active === 0) await this.#afterLast();
    }
  }

  async #work<T>(connection: Connection, use: ServerUse, work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await untilAborted(work(connection), use.limit.signal);
    } catch (thrown) {
      if (use.limit.reached !== null) {
        this.#isSuspect = true;
        throw thrown;
      }
      if (thrown instanceof AppError) throw thrown;
      if (errorCode(thrown) === codes.timeout) this.#isSuspect = true;
      if (isForgottenSession(thrown)) {
        // The server has started anew and took no notice of the request.
        this.#end(connection);
        const next = await this.#connect(use);
        return await untilAborted(work(next), use.limit.signal).catch((again) => {
          throw use.limit.reached === null ? this.#errorOf(again, next, use.name) : again;
        });
      }
      throw this.#errorOf(thrown, connection, use.name);
    }
  }

  async #afterLast(): Promise<void> {
    const connection = this.#connection;
    if (this.#isSuspect && connection !== null) {
      this.#isSuspect = false;
      if (!(await this.#listens(connection)) && this.#active === 0) {
        this.#options.log.warn('a tool server hangs and is ended', { server: this.#options.config.name });
        this.#end(connection);
        await Promise.all(this.#stopping);
      }
    }
    if (this.#active > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
    if (this.#isRetired) await this.stop();
    else {
      this.#idle = setTimeout(() => void this.stop(), this.#options.idleMs);
      this.#idle.unref();
    }
  }

  async #listens({ client, isOpen }: Connection): Promise<boolean> {
    if (!isOpen) return false;
    try {
      await client.ping({ timeout: pingMs });
      return true;
    } catch (thrown) {
      // An error of its own is an answer too.
      const code = errorCode(thrown);
      return code !== null && code !== codes.timeout && code !== codes.closed;
    }
  }

  async #connect(use: ServerUse): Promise<Connection> {
    const known = this.#connection;
    if (known !== null) {
      // What the system has told of the server's death is heard first; its last words may take longer than its end.
      await nextTurn();
      if (this.#connection === known && known.link.end !== null) this.#end(known);
      if (this.#connection !== null) return this.#connection;
    }
    this.#start ??= this.#begin();
    const start = this.#start;
    start.waiters += 1;
    try {
      return await untilAborted(start.promise, use.limit.signal);
    } finally {
      start.waiters -= 1;
      if (start.waiters === 0 && this.#start === start) {
        start.abort.abort();
        await start.promise.catch(() => undefined);
      }
    }
  }

  #begin(): Start {
    const abort = new AbortController();
    const promise = this.#open(abort.signal).finally(() => {
      this.#start = null;
    });
    promise.catch(() => undefined);
    return { promise, abort, waiters: 0 };
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { config, log } = this.#options;
    // Two of one server could fight over its files.
    await Promise.all(this.#stopping);
    const [{ Client: ClientOf }, { LoggingMessageNotificationSchema, ToolListChangedNotificationSchema }] =
      await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/types.js'),
      ]);
    const limit = createCallLimit(signal, config.timeout_seconds * 1000);
    this.#lastLine = '';
    this.#noise = [];
    this.#tellMissing();
    const link = await this.#link(limit.signal);
    const client = new ClientOf({ name: 'skill-chain-studio', version: this.#options.version }, { capabilities: {} });
    const connection: Connection = { client, link, isOpen: true, tools: null };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      connection.tools = null;
    });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      this.#tell(typeof params.data === 'string' ? params.data : JSON.stringify(params.data));
    });
    client.onerror = (error) => {
      log.debug('a tool server', { server: config.name, detail: this.secrets.hidden(error.message) });
      if (/^Maximum reconnection attempts/.test(error.message)) this.#end(connection);
    };
    client.onclose = () => {
      connection.isOpen = false;
      if (this.#connection !== connection) return;
      this.#connection = null;
      if (!link.isStopping) log.warn('a tool server ended by itself', { server: config.name, end: link.end });
      this.#end(connection);
    };
    try {
      await untilAborted(client.connect(link.transport, { ...noLimit, signal: limit.signal }), limit.signal);
      if (!connection.isOpen) throw new Error('closed');
      this.#connection = connection;
      return connection;
    } catch (thrown) {
      const end = link.end;
      await link.stop();
      throw this.#startError(thrown, link, end ?? link.end, limit);
    } finally {
      limit.release();
    }
  }

  async #link(signal: AbortSignal): Promise<Link> {
    const { config, folder } = this.#options;
    if (config.transport === 'http') {
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
      return new HttpLink(StreamableHTTPClientTransport, config.url, this.#headers);
    }
    const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const events: LinkEvents = {
      onStart: (pid) => this.#options.log.info('a tool server was started', { server: config.name, pid }),
      onLine: (line) => {
        if (line.trim() !== '') this.#lastLine = line;
        this.#tell(line);
      },
      onNoise: (line) => {
        if (this.#noise.length >= toldNoise) return;
        this.#noise.push(line.slice(0, 200));
        this.#tell(line.slice(0, 2000));
      },
    };
    const { command, args } = config;
    return new StdioLink({ command, args, cwd: folder, env: this.#env, signal }, events, (line) => {
      try {
        return JSONRPCMessageSchema.parse(JSON.parse(line));
      } catch {
        return null;
      }
    });
  }

  async #tools(connection: Connection, use: ServerUse): Promise<readonly ServerTool[]> {
    // One question for all who ask at the same time; an answer that failed is asked for again.
    connection.tools ??= this.#askTools(connection).catch((thrown) => {
      connection.tools = null;
      throw thrown;
    });
    return untilAborted(connection.tools, use.limit.signal);
  }

  async #askTools({ client }: Connection): Promise<readonly ServerTool[]> {
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const tools: ServerTool[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
        timeout: this.#options.config.timeout_seconds * 1000,
      });
      for (const { name, description, title, inputSchema } of page.tools) {
        tools.push({ name, description: description ?? title ?? '', input_schema: inputSchema });
      }
      cursor = page.nextCursor;
      // A server that gives the same page again and again would never come to an end.
      if (cursor !== undefined && seen.has(cursor)) break;
      if (cursor !== undefined) seen.add(cursor);
    } while (cursor !== undefined && tools.length < mostTools);
    return tools;
  }

  /** A wrong argument is found here, by its name, where the server's schema can be read. */
  async #checkArguments(tool: ServerTool, args: Readonly<Record<string, unknown>>, name: string): Promise<void> {
    if (!this.#checks.has(tool)) this.#checks.set(tool, await argumentCheck(tool.input_schema));
    const detail = this.#checks.get(tool)?.(args).errorMessage;
    if (detail === undefined) return;
    const [first = detail] = detail.split(/, (?=data[ /])/);
    const field = /^data\/(\S+)/.exec(first)?.[1] ?? /required property '(.*)'/.exec(first)?.[1] ?? '';
    throw new AppError('INVALID_TOOL_ARGS', {
      tool: name,
      field: field.replaceAll('/', '.'),
      detail: first.replace(/^data(\/\S+)? /, ''),
    });
  }

  /** Ends a connection; what is left of it goes on ending in the background, waited for by the next start. */
  #end(connection: Connection): void {
    if (this.#connection === connection) this.#connection = null;
    const stopped = connection.link.stop().catch((error) => {
      this.#options.log.warn('a tool server could not be ended', { server: this.#options.config.name, error });
    });
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
  }

  #tellMissing(): void {
    const { config, environment } = this.#options;
    for (const ours of [...Object.values(config.env), ...Object.values(config.headers)]) {
      if (environment[ours] === undefined) this.#tell(`${ours} is not set in the environment.`);
    }
    for (const name of Object.keys(config.env)) {
      if (isRefusedVariable(name)) this.#tell(`${name} changes how programs are loaded and is not passed on.`);
    }
  }

  #tell(text: string): void {
    const line = this.secrets.hidden(text);
    if (this.#listeners.size === 0) {
      this.#options.log.debug('a tool server', { server: this.#options.config.name, line: line.slice(0, 500) });
    }
    for (const listener of this.#listeners) listener(line);
  }

  #startError(thrown: unknown, link: Link, end: Link['end'], limit: CallLimit): AppError {
    const { command, timeout_seconds: seconds } = this.#options.config;
    if (limit.reached === 'cancelled') return new AppError('CANCELLED', {}, {}, { cause: thrown });
    if (link.spawnError?.code === 'ENOENT') return this.#failed([['programMissing', { program: command }]], thrown);
    if (limit.reached === 'time') return this.#failed([['silentAtStart', { seconds }], ...this.#words()], thrown);
    if (end !== null) return this.#failed([['endedAtStart', { end: endOf(end) }], ...this.#words()], thrown);
    return this.#failed([['notStarted', { detail: detailOf(thrown) }]], thrown);
  }

  #errorOf(thrown: unknown, connection: Connection, tool: string): AppError {
    if (thrown instanceof AppError) return thrown;
    const { link } = connection;
    if (link.end !== null) {
      return this.#failed([['endedInCall', { end: endOf(link.end) }], ...this.#words()], thrown);
    }
    if (link.isStopping) return this.#failed([['stopped']], thrown);
    const code = errorCode(thrown);
    if (!connection.isOpen || code === codes.closed) return this.#failed([['lost']], thrown);
    if (code === null) return this.#failed([['notStarted', { detail: detailOf(thrown) }]], thrown);
    return new AppError('TOOL_FAILED', { tool, detail: detailOf(thrown) }, {}, { cause: thrown });
  }

  #failed(detail: Sentence, cause: unknown): AppError {
    return toolError('TOOL_SERVER_FAILED', { server: this.#options.config.name }, { detail }, { cause });
  }

  #words(): Sentence {
    const [noise] = this.#noise;
    const line = this.secrets.hidden(this.#lastLine).slice(0, 500);
    if (line !== '') return [['lastLine', { line }]];
    return noise === undefined ? [] : [['noise', { line: this.secrets.hidden(noise) }]];
  }
}

/** Null for a schema that we can not read: it is the server's business then. */
async function argumentCheck(schema: ServerTool['input_schema']): Promise<ArgumentCheck | null> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');
  try {
    return new AjvJsonSchemaValidator().getValidator({ ...schema });
  } catch {
    return null;
  }
}

/** A key alone becomes the usual form of that header. */
function headerOf(name: string, value: string | undefined): [string, string][] {
  if (value === undefined) return [];
  const isBareKey = name.toLowerCase() === 'authorization' && !/\s/.test(value);
  return [[name, isBareKey ? `Bearer ${value}` : value]];
}

function endOf({ code, signal }: NonNullable<Link['end']>): Sentence {
  return code === null ? [['exitSignal', { signal: signal ?? '?' }]] : [['exitCode', { code }]];
}

/** The number of an error of the protocol; null for every other error. */
function errorCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || thrown.name !== 'McpError' || !('code' in thrown)) return null;
  return typeof thrown.code === 'number' ? thrown.code : null;
}

/** The number of the answer to a request over HTTP; null for every other error. */
function httpStatus(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || thrown.name === 'McpError' || !('code' in thrown)) return null;
  return typeof thrown.code === 'number' && thrown.code >= 100 ? thrown.code : null;
}

function isForgottenSession(thrown: unknown): boolean {
  const status = httpStatus(thrown);
  return status === 404 || (status === 400 && /session/i.test((thrown as Error).message));
}

function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const status = httpStatus(thrown);
  const text = thrown.message.replace(/^(MCP error -?\d+: |Streamable HTTP error: )/, '').slice(0, 2000);
  const cause = thrown.cause instanceof Error ? thrown.cause : null;
  const reason = cause === null ? '' : cause.message || String((cause as NodeJS.ErrnoException).code ?? '');
  return [status === null ? '' : `HTTP ${status}`, text, reason].filter((part) => part !== '').join(': ');
}
