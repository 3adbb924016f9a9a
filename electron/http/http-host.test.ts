import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { contract } from '../../shared/api/contract.ts';
import { createServices, followChanges, type Services } from '../services/create-services.ts';
import { createLog } from '../services/log.ts';
import { bodyLimitBytes, type HttpHost, startHttpHost } from './http-host.ts';

const repo = resolve(import.meta.dirname, '../..');
const index = '<!doctype html><title>page</title>';

let home: string;
let services: Services;
let host: HttpHost;
const hosts: HttpHost[] = [];
const said: string[] = [];
const patienceMs = 300;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'http-'));
  const page = join(home, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  mkdirSync(join(page, '.hidden'));
  writeFileSync(join(page, 'index.html'), index);
  writeFileSync(join(page, 'assets/app-1a2b.js'), 'export {};');
  writeFileSync(join(page, '.hidden/file.txt'), 'SECRET');
  writeFileSync(join(page, 'program.bin'), 'SECRET');
  writeFileSync(join(home, 'secret.txt'), 'SECRET');
  symlinkSync(join(home, 'secret.txt'), join(page, 'link.txt'));
  symlinkSync(home, join(page, 'up'));
  let ids = 0;
  services = await createServices({
    dataHome: join(home, 'data'),
    skillsHome: join(home, 'skills'),
    homeDir: home,
    appFolder: repo,
    version: '1.2.3',
    locale: 'en',
    log: createLog((level, message, fields) => said.push(`${level} ${message} ${JSON.stringify(fields)}`)),
    now: Date.now,
    newId() {
      ids += 1;
      return `id${ids}`;
    },
  });
  await followChanges(services);
  host = await open();
});
afterEach(async () => {
  for (const other of hosts.splice(1)) await other.close();
});
afterAll(async () => {
  for (const one of hosts) await one.close();
  await services.dispose();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

async function open(offered: Services = services): Promise<HttpHost> {
  const made = await startHttpHost(offered, { rendererFolder: join(home, 'page'), slowReaderMs: patienceMs });
  hosts.push(made);
  return made;
}

/** The same runs; `onLeave` hears when a watcher's line is cut. */
function watched(runs: Services['runs'], onLeave: () => void): Services['runs'] {
  return new Proxy(runs, {
    get(target, key) {
      if (key !== 'watch') {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return (runId: string, afterSeq?: number, signal?: AbortSignal) => {
        signal?.addEventListener('abort', onLeave);
        return target.watch(runId, afterSeq, signal);
      };
    },
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Code of the typed error in the body. */
  readonly code: string | undefined;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
}

/** One raw request, its path sent as it is written. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}, port = host.port): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const setHost = !Object.hasOwn(headers, 'host');
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, method, agent: false, setHost, headers: given as Record<string, string> },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const code = /"code":"APP"/.test(text) ? (JSON.parse(text).json.data.code as string) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json' };
const bearer = (token = host.token) => ({ ...json, authorization: `Bearer ${token}` });
const call = (headers: Asked['headers'], body: string | Buffer = '{}', path = '/rpc/app/info') =>
  ask(path, { method: 'POST', headers: headers ?? {}, body });

function client(headers: Record<string, string> = bearer()): ContractRouterClient<typeof contract> {
  return createORPCClient(new RPCLink({ url: `http://127.0.0.1:${host.port}/rpc`, headers }));
}

describe('the local server', () => {
  it('gives its address with the token in the fragment, where no server and no log sees it', async () => {
    expect(host.url).toBe(`http://127.0.0.1:${host.port}/#token=${host.token}`);
    expect(host.token).toMatch(/^[0-9a-f]{64}$/);
    expect((await open()).token).not.toBe(host.token);
    expect(said.join('\n')).not.toContain(host.token);
  });

  it('listens on this machine only', async () => {
    const refused = await new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.2', port: host.port });
      socket.once('connect', () => {
        socket.destroy();
        resolve('connected');
      });
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    expect(refused).toBe('ECONNREFUSED');
  });

  it('answers the contract', async () => {
    expect(await client().app.info()).toMatchObject({ version: '1.2.3', transport: 'server', first_start: true });
    const events = await client().app.watch();
    expect((await events.next()).value).toEqual({ kind: 'alive' });
    await client().chains.create({ name: '一个', text: JSON.stringify({ name: '一个', steps: [] }) });
    for await (const event of events) {
      if (event.kind !== 'chains_changed') continue;
      expect(event.names).toContain('一个');
      break;
    }
    expect((await client().chains.list()).map(({ name }) => name)).toEqual(['一个']);
  });

  it('answers a failure as the typed error, also in a stream', async () => {
    await expect(client().chains.get({ name: 'nobody' })).rejects.toMatchObject({
      code: 'APP',
      defined: true,
      data: { code: 'CHAIN_NOT_FOUND', params: { name: 'nobody' } },
    });
    const stream = await client().runs.watch({ run_id: 'no-such-run' });
    await expect(stream.next()).rejects.toMatchObject({ code: 'APP', data: { code: 'RUN_NOT_FOUND' } });
    await expect(client().chains.get({ name: '' })).rejects.toMatchObject({
      data: { code: 'INPUT_INVALID', place: { field: 'name' } },
    });
  });
});

describe('a caller', () => {
  it.each([
    ['with no token', json],
    ['with a wrong bearer token', bearer('0'.repeat(64))],
    ['with the beginning of the token', 'beginning'],
    ['with a cookie that it made up', { ...json, cookie: 'made up' }],
    ['with the token as cookie', 'cookie'],
  ] as const)('%s is refused', async (_how, given) => {
    const headers =
      given === 'beginning'
        ? bearer(host.token.slice(0, 40))
        : given === 'cookie'
          ? { ...json, cookie: `studio-session-${host.port}=${host.token}` }
          : 'cookie' in given
            ? { ...json, cookie: `studio-session-${host.port}=${'a'.repeat(64)}` }
            : given;
    for (const path of ['/rpc/app/info', '/rpc/chains/list', '/rpc/runs/watch', '/rpc']) {
      expect(await call(headers, '{}', path)).toMatchObject({ status: 401, code: 'NOT_AUTHORISED' });
    }
  });

  it('gets a session for the token: a cookie that no script reads and no other site sends', async () => {
    const session = (token: unknown) => call(json, JSON.stringify({ token }), '/session');
    for (const wrong of ['', 'x', '0'.repeat(64), 5, null, undefined, { a: 1 }]) {
      const answer = await session(wrong);
      expect(answer).toMatchObject({ status: 401, code: 'NOT_AUTHORISED' });
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
    const answer = await session(host.token);
    expect(answer.status).toBe(204);
    const [cookie] = answer.headers['set-cookie'] ?? [];
    const [pair, ...attributes] = (cookie ?? '').split('; ');
    expect(attributes).toEqual(['HttpOnly', 'SameSite=Strict', 'Path=/']);
    expect(pair).toMatch(new RegExp(`^studio-session-${host.port}=[0-9a-f]{64}$`));
    expect(pair).not.toContain(host.token);
    const asked = { method: 'POST', headers: { ...json, cookie: `other=1; ${pair}` }, body: '{}' };
    expect(await ask('/rpc/app/info', asked)).toMatchObject({ status: 200 });
    const other = await open();
    expect(await ask('/rpc/app/info', asked, other.port)).toMatchObject({ status: 401 });
  });

  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example:PORT',
    '127.0.0.1.nip.io:PORT',
    '[::1]:PORT',
    '0.0.0.0:PORT',
    '',
  ])('that names the host "%s" is refused, for the page too', async (name) => {
    const header = name.replace('PORT', String(host.port));
    expect(await call({ ...bearer(), host: header })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const page = await ask('/', { headers: { host: header } });
    expect(page.status).toBe(403);
    expect(page.text).not.toContain('<title>');
  });

  it('may say localhost', async () => {
    const name = `localhost:${host.port}`;
    expect(await call({ ...bearer(), host: name, origin: `http://${name}` })).toMatchObject({ status: 200 });
  });

  it.each([
    ['origin', 'https://evil.example'],
    ['origin', 'http://evil.example:PORT'],
    ['origin', 'https://127.0.0.1:PORT'],
    ['origin', 'http://127.0.0.1:1'],
    ['origin', 'http://localhost:PORT'],
    ['origin', 'null'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
    ['content-type', 'text/plain'],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['content-type', 'multipart/form-data; boundary=x'],
    ['content-type', undefined],
  ] as const)('with %s %s is refused, with the right token too', async (name, value) => {
    const headers = { ...bearer(), [name]: value?.replace('PORT', String(host.port)) };
    for (const path of ['/rpc/app/info', '/session']) {
      const answer = await call(headers, JSON.stringify({ token: host.token }), path);
      expect(answer).toMatchObject({ status: 403, code: 'FORBIDDEN' });
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(Object.keys(answer.headers).filter((header) => header.startsWith('access-control-'))).toEqual([]);
    }
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('can not call with %s', async (method) => {
    for (const path of ['/rpc/app/info', '/session']) {
      expect((await ask(path, { method, headers: bearer() })).status).toBe(403);
    }
  });

  it('gets the place of a fault for what is no JSON and for a call that does not exist', async () => {
    expect(await call(bearer(), '{"json": ')).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
    expect(await call(bearer(), '{}', '/rpc/chains/nothing')).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
    expect(await call(bearer(), '{}', '/rpc/__proto__')).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });
});

describe('a body', () => {
  it('of one megabyte is read, one byte more is not', async () => {
    const body = (bytes: number) => {
      const frame = JSON.stringify({ json: { name: 'big', text: '', based_on: '' } });
      return frame.replace('"text":""', `"text":"${'x'.repeat(bytes - frame.length)}"`);
    };
    await services.chains.create('big', undefined);
    const [fits, over] = [body(bodyLimitBytes), body(bodyLimitBytes + 1)];
    expect([fits.length, over.length]).toEqual([1_048_576, 1_048_577]);
    expect(await call(bearer(), fits, '/rpc/chains/saveDraft')).toMatchObject({ status: 200 });
    expect(await call(bearer(), over, '/rpc/chains/saveDraft')).toMatchObject({ status: 413, code: 'TOO_LARGE' });
  });

  it('that announces too much is refused before it is sent', async () => {
    const answer = await raw(
      `POST /rpc/app/info HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${host.token}\r\nContent-Length: 999999999\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
  });

  it('that comes in endless pieces is cut off, and the server answers others', async () => {
    const head = `POST /rpc/app/info HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${host.token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await raw(head + chunk.repeat(40))).toMatch(/^HTTP\/1\.1 413 /);
    expect(await call(bearer())).toMatchObject({ status: 200 });
  });

  /** Sends bytes on a socket of its own and returns what came until the server closed it. */
  function raw(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: host.port });
      let got = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        got += part;
      });
      // A server that closes while bytes are still coming makes the rest of the sending fail.
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(got));
      socket.write(bytes);
    });
  }
});

describe('the page', () => {
  it('is served without a token, since it holds nothing', async () => {
    for (const path of ['/', '/index.html', '/?x=1']) {
      expect(await ask(path)).toMatchObject({ status: 200, text: index });
    }
    const script = await ask('/assets/app-1a2b.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['cache-control']).toContain('immutable');
    expect((await ask('/')).headers['cache-control']).toBe('no-cache');
    const head = await ask('/', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(index.length));
    expect((await ask('/', { method: 'POST', body: '{}' })).status).toBe(403);
    // Opened by a link from anywhere.
    expect((await ask('/', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/..\\..\\secret.txt',
    '/%252e%252e/secret.txt',
    '//etc/hostname',
    '/etc/hostname',
    '/link.txt',
    '/up/secret.txt',
    '/.hidden/file.txt',
    '/%2ehidden/file.txt',
    '/program.bin',
    '/secret.txt%00.html',
    '/index.html%00',
    '/%',
    '/%ff',
    '/assets',
    '/assets/',
    '/nothing.js',
    '/C:/secret.txt',
  ])('has nothing at %s', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('SECRET');
  });

  it('and every other answer carries the security headers', async () => {
    const answers = [
      await ask('/'),
      await ask('/nothing.js'),
      await call(json),
      await call(bearer()),
      await ask('/', { headers: { host: 'evil.example' } }),
      await call(json, JSON.stringify({ token: host.token }), '/session'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200, 403, 204]);
    for (const { headers } of answers) {
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    for (const { headers } of answers.slice(2)) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('a reader of a stream', () => {
  it('that takes nothing is cut off, and the run goes on', async () => {
    const scripts = join(home, 'skills/chatty/scripts');
    mkdirSync(scripts, { recursive: true });
    writeFileSync(join(home, 'skills/chatty/SKILL.md'), '---\nname: chatty\ndescription: Prints.\n---\n');
    const gate = join(home, 'gate');
    // Prints for as long as nobody opens the gate, so that the reader's cut is what ends the printing.
    writeFileSync(
      join(scripts, 'main.mjs'),
      `import { existsSync } from 'node:fs';
      const line = 'x'.repeat(65536) + '\\n';
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(gate)})) process.stdout.write(line.repeat(4));
        else clearInterval(timer);
      }, 5);`,
    );
    await services.skills.scan();
    await client().chains.create({
      name: 'chatty',
      text: JSON.stringify({
        name: 'chatty',
        steps: [
          {
            index: 1,
            skill_name: 'chatty',
            step_name: 'print',
            action: 'print',
            kind: 'skill_exec',
            with: { entrypoint: 'main.mjs' },
          },
        ],
      }),
    });
    const { run_id: runId } = await client().runs.start({ chain_name: 'chatty' });
    const body = JSON.stringify({ json: { run_id: runId } });
    let left = () => {};
    const wasLeft = new Promise<void>((resolve) => {
      left = resolve;
    });
    const other = await open({ ...services, runs: watched(services.runs, () => left()) });
    const socket = connect({ host: '127.0.0.1', port: other.port });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /rpc/runs/watch HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${other.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await wasLeft;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    expect((await services.runs.list({ chain_name: 'chatty' }))[0]).toMatchObject({ run_id: runId, state: 'running' });
    writeFileSync(gate, '');
    expect(await services.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
  });

  it('that has nothing to read is left alone', async () => {
    const events = await client().app.watch();
    expect((await events.next()).value).toEqual({ kind: 'alive' });
    // Longer than the patience with a reader that takes nothing.
    await new Promise((resolve) => setTimeout(resolve, patienceMs * 3));
    const next = events.next();
    await services.chains.create('later', undefined);
    expect((await next).value).toMatchObject({ kind: 'chains_changed' });
    await events.return?.(undefined);
  });

  it('is ended when the server closes, and the run goes on', async () => {
    const other = await open();
    const headers = bearer(other.token);
    const answer = await new Promise<{ ended: Promise<unknown> }>((resolve) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port: other.port, path: '/rpc/app/watch', method: 'POST', agent: false, headers },
        (response) => {
          const ended = new Promise((done) => response.once('close', done));
          response.on('error', () => undefined);
          response.once('data', () => resolve({ ended }));
        },
      );
      sent.on('error', () => undefined);
      sent.end('{}');
    });
    await other.close();
    await answer.ended;
    await expect(ask('/', {}, other.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await call(bearer())).toMatchObject({ status: 200 });
  });
});
