import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { closestNames } from '../../../shared/chain/closest-names.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { McpServer, Settings } from '../../../shared/settings/settings.ts';
import type { Log } from '../log.ts';
import { builtInLimitMs, builtInTools } from './built-in-tools.ts';
import { type CallLimit, createCallLimit, untilAborted } from './call-limit.ts';
import { type NetEdge, realNet } from './http-get.ts';
import { McpClient, type ServerTool } from './mcp-client.ts';
import type { ToolCallOptions, ToolInfo, ToolResult } from './tool.ts';
import { type Sentence, toolError } from './tool-texts.ts';

export interface ToolsOptions {
  readonly settings: { values(): Pick<Settings, 'mcp_servers' | 'http_get_tool' | 'memory_folder'> };
  /** Where memory is kept when the settings name no folder; absolute. */
  readonly memoryFolder: string;
  /** Of this program. */
  readonly version: string;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The person's home: where servers start, and what `~` and relative folders in the settings refer to. */
  readonly homeDir?: string;
  /** Where the variables are that the settings name. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly net?: NetEdge;
  /** Milliseconds without a call after which a server is ended. */
  readonly idleMs?: number;
}

export interface Tools {
  /** Every tool that can be used now; servers are started for it, and one that does not answer is left out. */
  list(options?: { readonly signal?: AbortSignal }): Promise<ToolInfo[]>;
  /**
   * Calls a tool by its name: a built-in one, `server/tool`, or the bare name where only one server has it. Errors:
   * TOOL_NOT_FOUND, TOOL_AMBIGUOUS, TOOL_REFUSED, TOOL_FAILED, TOOL_TIMEOUT, TOOL_SERVER_FAILED, INVALID_TOOL_ARGS,
   * CANCELLED; FILE_LOCKED, FILE_UNWRITABLE, FILE_UNREADABLE for the memory.
   */
  call(name: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolResult>;
  /** Ends every server; returns when nothing of them is left. */
  dispose(): Promise<void>;
}

/** What one call may add to the log of a try, in signs. */
const longestTalk = 256 * 1024;
const defaultIdleMs = 5 * 60 * 1000;

/** The tools that steps can use. A server is started when one of its tools is first needed. */
export function createTools(options: ToolsOptions): Tools {
  return new ToolRegistry(options);
}

interface Found {
  readonly client: McpClient;
  readonly tool: ServerTool;
  /** `server/tool`. */
  readonly name: string;
  /** What the server's settings allow for a call. */
  readonly limitMs: number;
}

class ToolRegistry implements Tools {
  readonly #options: ToolsOptions;
  readonly #home: string;
  readonly #clients = new Map<string, { readonly key: string; readonly client: McpClient }>();
  /** Those whose settings changed; they end when their last call has. */
  readonly #retired = new Set<McpClient>();
  #isDisposed = false;

  constructor(options: ToolsOptions) {
    this.#options = options;
    this.#home = options.homeDir ?? homedir();
  }

  async list(options: { readonly signal?: AbortSignal } = {}): Promise<ToolInfo[]> {
    const limit = createCallLimit(options.signal ?? new AbortController().signal, 2 ** 31 - 1);
    try {
      return await this.#list(limit, () => undefined);
    } catch (thrown) {
      throw limit.reached === null ? thrown : new AppError('CANCELLED', {}, {}, { cause: thrown });
    } finally {
      limit.release();
    }
  }

  async call(name: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolResult> {
    if (this.#isDisposed) throw new AppError('CANCELLED');
    const limit = createCallLimit(options.signal, options.timeoutMs ?? this.#findLimitMs(name));
    try {
      const onText = cappedLines(options.onText);
      if (builtInTools.has(name)) return await this.#callBuiltIn(name, args, limit, onText);
      const found = await this.#find(name, limit, onText, options.hide);
      if (options.timeoutMs === null) limit.restart(found.limitMs);
      const answer = await found.client.call(found.tool, args, { name: found.name, limit, onText });
      return { by: found.name, ...answer };
    } catch (thrown) {
      if (limit.reached === 'time') {
        const seconds = Math.round(limit.timeoutMs / 100) / 10;
        throw new AppError('TOOL_TIMEOUT', { tool: name, seconds }, {}, { cause: thrown });
      }
      if (limit.reached === 'cancelled') throw new AppError('CANCELLED', {}, {}, { cause: thrown });
      throw thrown;
    } finally {
      limit.release();
    }
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const clients = [...[...this.#clients.values()].map(({ client }) => client), ...this.#retired];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.stop()));
  }

  async #callBuiltIn(
    name: string,
    args: Readonly<Record<string, unknown>>,
    limit: CallLimit,
    onText: (text: string) => void,
  ): Promise<ToolResult> {
    const { net = realNet, now, version } = this.#options;
    if (name === 'http_get' && !this.#options.settings.values().http_get_tool) {
      throw toolError('TOOL_REFUSED', { tool: name }, { detail: [['off']] });
    }
    const work = builtInTools.get(name)!.run(args, {
      memoryFolder: this.#memoryFolder(),
      net,
      agent: `skill-chain-studio/${version}`,
      now,
      list: () => this.#list(limit, onText),
      signal: limit.signal,
      onText,
    });
    return { by: name, isError: false, ...(await untilAborted(work, limit.signal)) };
  }

  async #find(
    name: string,
    limit: CallLimit,
    onText: (text: string) => void,
    hide: ToolCallOptions['hide'],
  ): Promise<Found> {
    const servers = this.#servers();
    const slash = name.indexOf('/');
    const own = slash === -1 ? undefined : servers.find((server) => server.name === name.slice(0, slash));
    const asked = own === undefined ? servers : [own];
    const wanted = own === undefined ? name : name.slice(slash + 1);
    const clients = asked.map((config) => ({
      server: config.name,
      limitMs: config.timeout_seconds * 1000,
      client: this.#client(config),
    }));
    for (const { client } of clients) hide?.(client.secrets.values);
    const answers = await Promise.allSettled(
      clients.map(({ client, server }) => client.tools({ name: server, limit, onText })),
    );
    // Whose time is over knows nothing of what there is.
    if (limit.reached !== null) throw limit.signal.reason;
    if (own !== undefined && answers[0]?.status === 'rejected') throw answers[0].reason;
    const found: Found[] = [];
    const names: string[] = own === undefined ? this.#builtInInfos().map((tool) => tool.name) : [];
    const silent: string[] = [];
    for (const [index, answer] of answers.entries()) {
      const { client, server, limitMs } = clients[index]!;
      if (answer.status === 'rejected') {
        this.#silent(server, answer.reason, onText);
        silent.push(server);
        continue;
      }
      for (const tool of answer.value) {
        names.push(`${server}/${tool.name}`);
        if (tool.name === wanted) found.push({ client, tool, name: `${server}/${tool.name}`, limitMs });
      }
    }
    const [first, ...others] = found;
    if (first === undefined) throw notFound(name, names, silent);
    if (others.length > 0)
      throw new AppError('TOOL_AMBIGUOUS', { name, names: found.map((one) => one.name).join(', ') });
    return first;
  }

  async #list(limit: CallLimit, onText: (text: string) => void): Promise<ToolInfo[]> {
    const servers = this.#isDisposed ? [] : this.#servers();
    const lists = await Promise.all(
      servers.map(async (config) => {
        try {
          const tools = await this.#client(config).tools({ name: config.name, limit, onText });
          return tools.map(
            ({ name, description, input_schema }): ToolInfo => ({
              name: `${config.name}/${name}`,
              server: config.name,
              tool: name,
              description,
              input_schema,
            }),
          );
        } catch (thrown) {
          if (limit.reached === null) this.#silent(config.name, thrown, onText);
          return [];
        }
      }),
    );
    if (limit.reached !== null) throw limit.signal.reason;
    return [...this.#builtInInfos(), ...lists.flat()];
  }

  #builtInInfos(): ToolInfo[] {
    const { http_get_tool: web } = this.#options.settings.values();
    return [...builtInTools.values()].map(({ info }) => info).filter((info) => web || info.name !== 'http_get');
  }

  #silent(server: string, thrown: unknown, onText: (text: string) => void): void {
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    this.#options.log.warn('a tool server does not say which tools it has', { server, detail });
    onText(detail);
  }

  /** Those that are in use; of two with one name the first. */
  #servers(): McpServer[] {
    const servers = new Map<string, McpServer>();
    for (const server of this.#options.settings.values().mcp_servers) {
      if (server.enabled && !servers.has(server.name)) servers.set(server.name, server);
    }
    for (const [name, { key, client }] of this.#clients) {
      const config = servers.get(name);
      if (config !== undefined && key === JSON.stringify(config)) continue;
      this.#clients.delete(name);
      this.#retired.add(client);
      void client.retire().then(() => this.#retired.delete(client));
    }
    return [...servers.values()];
  }

  #client(config: McpServer): McpClient {
    const known = this.#clients.get(config.name);
    if (known !== undefined) return known.client;
    if (this.#isDisposed) throw new AppError('CANCELLED');
    const { environment = process.env, log, version, idleMs = defaultIdleMs } = this.#options;
    const client = new McpClient({ config, folder: this.#home, environment, version, log, idleMs });
    this.#clients.set(config.name, { key: JSON.stringify(config), client });
    return client;
  }

  /** Until it is known whose tool it is; what the servers' own limits end before that has the better words. */
  #findLimitMs(name: string): number {
    if (builtInTools.has(name) && name !== 'list_tools') return builtInLimitMs;
    const seconds = Math.max(0, ...this.#servers().map((server) => server.timeout_seconds));
    return builtInLimitMs + 2 * seconds * 1000;
  }

  #memoryFolder(): string {
    const named = this.#options.settings.values().memory_folder.trim();
    if (named === '') return this.#options.memoryFolder;
    if (/^~(?=$|[\\/])/.test(named)) return join(this.#home, named.slice(1));
    return isAbsolute(named) ? named : resolve(this.#home, named);
  }
}

function notFound(name: string, names: readonly string[], silent: readonly string[]): AppError {
  const bare = new Map(names.map((one) => [one.slice(one.indexOf('/') + 1), one]));
  const near = new Set([
    ...closestNames(name, names),
    ...closestNames(name.slice(name.indexOf('/') + 1), bare.keys()).map((one) => bare.get(one)!),
  ]);
  const sentence: Sentence = [
    ...(near.size === 0 ? [] : ([['closest', { names: [...near].slice(0, 3).join(', ') }]] as const)),
    ...(silent.length === 0 ? [] : ([['silentServers', { names: silent.join(', ') }]] as const)),
  ];
  return toolError('TOOL_NOT_FOUND', { name }, { near: sentence });
}

/** Hands on whole lines until they are too many. */
function cappedLines(onText: (text: string) => void): (text: string) => void {
  let left = longestTalk;
  return (text) => {
    if (left <= 0) return;
    left -= text.length + 1;
    onText(text.slice(0, longestTalk));
    if (left <= 0) onText('[more is left out]');
  };
}
