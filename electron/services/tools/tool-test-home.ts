import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { defaultSettings, McpServer, type Settings } from '../../../shared/settings/settings.ts';
import { testProgram } from '../files/test-folder.ts';
import { silentLog } from '../log.ts';
import { createTools, type Tools, type ToolsOptions } from './tool-registry.ts';

/** The server's program in one file, which starts in half the time. */
let program = '';

export interface ToolHome {
  readonly tools: Tools;
  readonly folder: string;
  /** What the calls told meanwhile. */
  readonly told: string[];
  readonly hidden: string[];
  /** Changes the settings as a person would. */
  set(values: Partial<Settings>): void;
  call(name: string, args?: Record<string, unknown>, more?: CallExtras): ReturnType<Tools['call']>;
}

interface CallExtras {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onText?: (text: string) => void;
}

/** For tests: settings of one server, as the file has them. */
export function stdioServer(name: string, args: readonly string[] = [], more: Partial<McpServer> = {}): McpServer {
  return McpServer.parse({ name, command: process.execPath, args: [program, ...args], timeout_seconds: 20, ...more });
}

/** For tests: tools over real servers; everything is ended after each test, or only at the end of the file. */
export function toolHomes(
  folder: string,
  life: 'test' | 'file' = 'test',
): (values: Partial<Settings>, more?: Partial<ToolsOptions>) => ToolHome {
  const open: Tools[] = [];
  beforeAll(async () => {
    program ||= await testProgram(folder, 'mcp-server', "import './e2e/programs/mcp-server.mjs';");
  });
  (life === 'test' ? afterEach : afterAll)(async () => {
    await Promise.all(open.splice(0).map((tools) => tools.dispose()));
  });
  return (values, more = {}) => {
    let settings: Settings = { ...defaultSettings(), ...values };
    const home = mkdtempSync(join(folder, 'tools-'));
    const told: string[] = [];
    const hidden: string[] = [];
    const tools = createTools({
      settings: { values: () => settings },
      memoryFolder: join(home, 'memory'),
      version: '0.0.0',
      log: silentLog,
      now: Date.now,
      homeDir: home,
      ...more,
    });
    open.push(tools);
    return {
      tools,
      folder: home,
      told,
      hidden,
      set: (next) => {
        settings = { ...settings, ...next };
      },
      call: (name, args = {}, { signal = new AbortController().signal, timeoutMs, onText } = {}) =>
        tools.call(name, args, {
          signal,
          timeoutMs: timeoutMs ?? null,
          onText: (text) => {
            told.push(text);
            onText?.(text);
          },
          hide: (more) => hidden.push(...more),
        }),
    };
  };
}

/** For tests: a server at an address of this machine, as a process of its own. `port` 0 = any free one. */
export async function startHttpServer(port = 0): Promise<{ url: string; port: number; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [program, '--http', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const line = await new Promise<string>((done) => child.stdout.once('data', (bytes) => done(String(bytes))));
  const found = Number(/PORT (\d+)/.exec(line)?.[1]);
  return {
    url: `http://127.0.0.1:${found}`,
    port: found,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
