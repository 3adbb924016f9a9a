import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { McpServer } from '../../../shared/settings/settings.ts';
import { testFolder } from '../files/test-folder.ts';
import { isRunning } from '../processes/test-processes.ts';
import { startHttpServer, stdioServer, type ToolHome, toolHomes } from './tool-test-home.ts';

const folder = testFolder('tools');
const home = toolHomes(folder);
const lastingHome = toolHomes(folder, 'file');
const patience = { timeout: 10_000, interval: 20 };

describe('the tools of a program', () => {
  let shared: ToolHome;
  beforeAll(() => {
    shared = lastingHome({ mcp_servers: [stdioServer('test')] });
  });
  beforeEach(() => {
    shared.told.length = 0;
  });

  it('are listed with those built in, and called by their whole or bare name', async () => {
    const { tools, call } = shared;
    const names = (await tools.list()).map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['emit_text', 'memory_save', 'test/echo', 'test/add']));
    expect(names).not.toContain('http_get');
    expect((await tools.list()).find((tool) => tool.name === 'test/echo')).toMatchObject({
      server: 'test',
      tool: 'echo',
      description: 'The tool echo.',
      input_schema: { type: 'object', required: ['text'] },
    });
    expect(await call('test/echo', { text: 'héllo\n"x" 你好' })).toEqual({
      by: 'test/echo',
      text: 'héllo\n"x" 你好',
      isError: false,
    });
    expect(await call('echo', { text: '[1, 2]' })).toEqual({
      by: 'test/echo',
      text: '[1, 2]',
      json: [1, 2],
      isError: false,
    });
  });

  it('give their structured content as JSON, and say themselves that they failed', async () => {
    const { call } = shared;
    expect(await call('add', { a: 1, b: 2 })).toEqual({
      by: 'test/add',
      text: '1 + 2',
      json: { sum: 3 },
      isError: false,
    });
    expect(await call('fail', { text: 'no network' })).toMatchObject({ text: 'no network', isError: true });
  });

  it('run in one process, which is the same for the next call and for calls at the same time', async () => {
    const { call } = shared;
    const pids = await Promise.all([call('pid'), call('test/pid'), call('pid')]);
    expect(new Set([...pids, await call('pid')].map(({ text }) => text)).size).toBe(1);
  });

  it.each([
    [{ a: 'one', b: 2 }, 'a', /must be number/],
    [{ a: 1 }, 'b', /required/],
  ])('refuse %j and name the argument', async (args, field, detail) => {
    const { call } = shared;
    await expect(call('add', args)).rejects.toMatchObject({
      code: 'INVALID_TOOL_ARGS',
      params: { tool: 'test/add', field, detail: expect.stringMatching(detail) },
    });
  });

  it('tell of progress and of what the server writes on its standard error', async () => {
    const { call, told, folder } = shared;
    await call('say', { text: 'one\ntwo' });
    expect(told).toEqual(['one', 'two']);
    const stop = new AbortController();
    const waiting = call(
      'wait',
      { file: join(folder, randomUUID()) },
      { signal: stop.signal, onText: () => stop.abort() },
    );
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(told).toContain('1/3 waiting');
  });

  it('hear that a call is called off, and the server goes on', async () => {
    const { call, folder } = shared;
    const pid = (await call('pid')).text;
    const file = join(folder, randomUUID());
    const stop = new AbortController();
    const waiting = call('wait', { file }, { signal: stop.signal, onText: () => stop.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
    expect(readFileSync(file, 'utf8')).toBe('called off\n');
    expect((await call('pid')).text).toBe(pid);
  });

  it('hear that their time is over', async () => {
    const { call, folder } = shared;
    await call('pid');
    const file = join(folder, randomUUID());
    await expect(call('test/wait', { file }, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'TOOL_TIMEOUT',
      params: { tool: 'test/wait', seconds: 0.3 },
    });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
  });
});

describe('a server', () => {
  it('that was killed between two calls is started again by the next one', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] });
    const first = Number((await call('pid')).text);
    process.kill(first, 'SIGKILL');
    await vi.waitFor(() => expect(isRunning(first)).toBe(false), patience);
    // A call that comes while the system is still clearing it away is told that it was lost.
    const second = await vi.waitFor(async () => Number((await call('pid')).text), patience);
    expect(second).not.toBe(first);
    expect(isRunning(second)).toBe(true);
  });

  it('that ends during a call says how and with which words; the next call starts it again', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] });
    await expect(call('die')).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: { server: 'test', detail: 'it ended during the call (exit code 7). Its last words: out of luck' },
    });
    expect((await call('echo', { text: 'again' })).text).toBe('again');
  });

  it('that hears nothing any more is ended when the time of its only call is over', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] });
    const pid = Number((await call('pid')).text);
    await expect(call('test/loop', {}, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' });
    expect(isRunning(pid)).toBe(false);
    expect(Number((await call('pid')).text)).not.toBe(pid);
  });

  it.each([
    ['ends with its input', []],
    ['ends only by force', ['--deaf']],
  ])('that never answers and %s is ended when its time is over, and its words are told', async (_name, more) => {
    const pids: number[] = [];
    const { call, told } = home(
      { mcp_servers: [stdioServer('mute', ['--noise', '--silent', ...more], { timeout_seconds: 1 })] },
      { log: { ...console, info: (_message, fields) => pids.push(Number(fields?.['pid'])) } },
    );
    await expect(call('mute/echo', { text: 'x' })).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: {
        server: 'mute',
        detail:
          'it timed out: no answer to "initialize" within 1 second. It printed text that is no MCP message: Welcome to the notes server!',
      },
    });
    expect(told).toContain('Welcome to the notes server!');
    expect(pids).toHaveLength(1);
    expect(isRunning(pids[0]!)).toBe(false);
  });

  it('that is being started is ended when nobody waits for it any more', async () => {
    const pids: number[] = [];
    const stop = new AbortController();
    const started = (pid: unknown) => {
      pids.push(Number(pid));
      stop.abort();
    };
    const { call } = home(
      { mcp_servers: [stdioServer('mute', ['--silent'])] },
      { log: { ...console, info: (_message, fields) => started(fields?.['pid']) } },
    );
    const waiting = call('mute/echo', { text: 'x' }, { signal: stop.signal });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(pids).toHaveLength(1);
    expect(isRunning(pids[0]!)).toBe(false);
  });

  it('that ends at its start says how and with which words', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test', ['--exit', '3'])] });
    await expect(call('test/echo', { text: 'x' })).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: {
        detail: 'it ended at its start (exit code 3). Its last words: no such table: connection refused',
        'detail:zh-CN': '它在启动时结束（退出码 3）。它最后的输出：no such table: connection refused',
      },
    });
  });

  it('whose program does not exist says so', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test', [], { command: 'no-such-program-anywhere' })] });
    await expect(call('test/echo')).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: { detail: 'the program "no-such-program-anywhere" was not found.' },
    });
  });

  it('that prints text between its messages works all the same', async () => {
    const { call, told } = home({ mcp_servers: [stdioServer('test', ['--noise'])] });
    expect((await call('echo', { text: 'x' })).text).toBe('x');
    expect(told).toContain('Welcome to the notes server!');
  });

  it('leaves nothing behind: a deaf one and its deaf grandchild in another session end with the service', async () => {
    const { call, tools } = home({ mcp_servers: [stdioServer('test', ['--deaf'])] });
    const pids = [Number((await call('pid')).text), Number((await call('child')).text)];
    expect(pids.map(isRunning)).toEqual([true, true]);
    await tools.dispose();
    expect(pids.map(isRunning)).toEqual([false, false]);
    await expect(call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('takes its grandchildren along when it is killed', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] });
    const [pid, child] = [Number((await call('pid')).text), Number((await call('child')).text)];
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isRunning(child)).toBe(false), patience);
  });

  it('ends when it has nothing to do, and when it is turned off', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] }, { idleMs: 10 });
    const pid = Number((await call('pid')).text);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patience);

    const other = home({ mcp_servers: [stdioServer('test')] });
    const second = Number((await other.call('pid')).text);
    other.set({ mcp_servers: [stdioServer('test', [], { enabled: false })] });
    expect((await other.tools.list()).filter((tool) => tool.server !== null)).toEqual([]);
    await vi.waitFor(() => expect(isRunning(second)).toBe(false), patience);
  });

  it('is another one once its settings changed; the call that is on its way comes to its end first', async () => {
    const { call, set, folder } = home({ mcp_servers: [stdioServer('test')] });
    const pid = Number((await call('pid')).text);
    const stop = new AbortController();
    const waiting = call(
      'wait',
      { file: join(folder, 'off') },
      {
        signal: stop.signal,
        onText: () => {
          set({ mcp_servers: [stdioServer('test', ['--noise'])] });
          void call('pid').then(({ text }) => {
            expect(Number(text)).not.toBe(pid);
            expect(isRunning(pid)).toBe(true);
            stop.abort();
          });
        },
      },
    );
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patience);
  });

  it('sees only the variables that it is given, and their values are hidden', async () => {
    const environment = { ...process.env, MY_KEY: 'sk-very-secret', OTHER_KEY: 'sk-another', NODE_OPTIONS: '' };
    const env = { SERVER_KEY: 'MY_KEY', HOME: 'HOME', LD_PRELOAD: 'MY_KEY', ABSENT: 'NOT_SET_ANYWHERE' };
    const { call, hidden, told } = home({ mcp_servers: [stdioServer('test', [], { env })] }, { environment });
    const seen = (await call('environment')).json as Record<string, string>;
    expect(seen).toMatchObject({ SERVER_KEY: 'sk-very-secret', HOME: process.env['HOME'] });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['MY_KEY']));
    expect(JSON.stringify(seen)).not.toContain('sk-another');
    expect(seen).not.toHaveProperty('LD_PRELOAD');
    expect(seen).not.toHaveProperty('VITEST');
    expect(hidden).toEqual(['sk-very-secret']);
    expect(told).toContain('NOT_SET_ANYWHERE is not set in the environment.');
    await call('say', { text: 'my key is sk-very-secret' });
    expect(told.join()).not.toContain('sk-very-secret');
  });
});

describe('a name', () => {
  it('that is nearly right is answered with the closest ones', async () => {
    const { call } = home({ mcp_servers: [stdioServer('test')] });
    await expect(call('test/ecko')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      params: { name: 'test/ecko', near: expect.stringContaining('test/echo') },
    });
    await expect(call('emit_tex')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringMatching(/There is no tool named "emit_tex"\. Did you mean emit_text/),
    });
  });

  it('that two servers have is not guessed; one that does not answer is named', async () => {
    const two = home({ mcp_servers: [stdioServer('one'), stdioServer('two')] });
    await expect(two.call('echo', { text: 'x' })).rejects.toMatchObject({
      code: 'TOOL_AMBIGUOUS',
      params: { names: 'one/echo, two/echo' },
    });
    const { call, told } = home({ mcp_servers: [stdioServer('one'), stdioServer('broken', ['--exit', '1'])] });
    expect((await call('echo', { text: 'x' })).by).toBe('one/echo');
    expect(told.join('\n')).toMatch(/"broken" can not be used/);
    await expect(call('nothing_like_it')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      params: { near: expect.stringMatching(/did not say which tools they have: broken/) },
    });
  });
});

describe('the tools of an address', () => {
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  beforeAll(async () => {
    server = await startHttpServer();
  });
  afterAll(() => server.kill());

  const httpServer = (path: string, more: Partial<McpServer> = {}) =>
    McpServer.parse({ name: 'web', transport: 'http', url: `${server.url}${path}`, timeout_seconds: 20, ...more });

  it('are listed and called, with structured results, failures, progress and an end in the middle', async () => {
    const { call, tools, told, folder } = home({ mcp_servers: [httpServer('/mcp')] });
    expect((await tools.list()).map((tool) => tool.name)).toContain('web/add');
    expect(await call('add', { a: 2, b: 3 })).toMatchObject({ by: 'web/add', json: { sum: 5 } });
    expect(await call('fail', { text: 'no' })).toMatchObject({ isError: true, text: 'no' });
    const stop = new AbortController();
    const file = join(folder, 'off');
    const waiting = call('wait', { file }, { signal: stop.signal, onText: () => stop.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(told).toContain('1/3 waiting');
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
  });

  it('are found again after the server started anew and forgot everybody', async () => {
    const own = await startHttpServer();
    const { call } = home({
      mcp_servers: [McpServer.parse({ name: 'web', transport: 'http', url: `${own.url}/mcp`, timeout_seconds: 20 })],
    });
    const first = (await call('web/pid')).text;
    await own.kill();
    await expect(call('web/pid')).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: { detail: expect.stringMatching(/ECONNREFUSED|ECONNRESET|other side closed|lost/) },
    });
    const again = await startHttpServer(own.port);
    try {
      const second = (await call('web/pid')).text;
      expect(second).not.toBe(first);
    } finally {
      await again.kill();
    }
  });

  it('fail at once when the answer is cut off in the middle', async () => {
    const { call } = home({ mcp_servers: [httpServer('/cut')] });
    await expect(call('web/echo')).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: { detail: 'the connection was lost.' },
    });
  });

  it('are reached with a key from the environment, and say 401 without it', async () => {
    const { call, hidden } = home(
      { mcp_servers: [httpServer('/closed', { headers: { Authorization: 'WEB_KEY' } })] },
      { environment: { ...process.env, WEB_KEY: 'letmein' } },
    );
    expect((await call('web/echo', { text: 'x' })).text).toBe('x');
    expect(hidden).toEqual(['letmein']);
    const closed = home({ mcp_servers: [httpServer('/closed')] });
    await expect(closed.call('web/echo', { text: 'x' })).rejects.toMatchObject({
      code: 'TOOL_SERVER_FAILED',
      params: { detail: expect.stringMatching(/^HTTP 401: .*who are you/) },
    });
  });
});
