import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import type { contract } from '../shared/api/contract.ts';

/** A home folder of its own: data, skills and everything a program may look for below HOME. */
export interface Home {
  readonly home: string;
  readonly data: string;
  remove(): void;
}

/** The built local server as a real child process, and a typed client that calls it with its token. */
export interface Host {
  readonly url: string;
  readonly pid: number;
  readonly client: ContractRouterClient<typeof contract>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL: the process gets no chance to tidy up. Waits for the end. */
  kill(): Promise<void>;
}

export function createHome(): Home {
  const home = mkdtempSync(join(tmpdir(), 'studio-e2e-'));
  return {
    home,
    data: join(home, 'data'),
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export function homeEnvironment(home: Home, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    LANG: 'en_US.UTF-8',
    HOME: home.home,
    USERPROFILE: home.home,
    SKILL_SUB_HOME: home.data,
    ...extra,
  };
}

/** Starts `skill-sub serve` on a free port of a home and waits for its address. */
export async function startHost(home: Home, extra: Record<string, string> = {}): Promise<Host> {
  const child = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], {
    env: homeEnvironment(home, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await readAddress(child);
  const { origin, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  const client: Host['client'] = createORPCClient(
    new RPCLink({ url: `${origin}/rpc`, headers: { authorization: `Bearer ${token}` } }),
  );
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((ended) => {
      if (child.exitCode !== null || child.signalCode !== null) return ended();
      child.once('exit', () => ended());
      child.kill(signal);
    });
  return { url, pid: child.pid!, client, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = '';
    child.stderr?.on('data', (part: Buffer) => {
      said += part.toString();
    });
    child.once('exit', (code, signal) => failed(new Error(`The server ended with ${code ?? signal}: ${said}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = /http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]+/.exec(line);
      if (match) found(match[0]);
    });
  });
}
