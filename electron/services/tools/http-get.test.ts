import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '../files/test-folder.ts';
import { httpGet, type NetEdge } from './http-get.ts';
import { toolHomes } from './tool-test-home.ts';

const home = toolHomes(testFolder('http-get'));
let port = 0;
let requests: IncomingMessage[] = [];
const server = createServer((request, response) => {
  requests.push(request);
  answer(request.url ?? '', response);
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function answer(path: string, response: ServerResponse): void {
  const page = (type: string, body: string | Buffer, more = {}) =>
    response.writeHead(200, { 'content-type': type, ...more }).end(body);
  if (path === '/text') page('text/plain; charset=utf-8', 'héllo 你好');
  else if (path === '/gbk') page('text/html; charset=GBK', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]));
  else if (path === '/json') page('application/ld+json', '{"a": 1}');
  else if (path === '/png') page('image/png', 'x');
  else if (path === '/zip') page('text/plain', 'x', { 'content-encoding': 'gzip' });
  else if (path === '/long') page('text/plain', '好'.repeat(1_000_000));
  else if (path === '/401') response.writeHead(401).end('no');
  else if (path === '/hop') response.writeHead(302, { location: '/text' }).end();
  else if (path === '/round') response.writeHead(302, { location: '/round' }).end();
  else if (path.startsWith('/to?')) response.writeHead(302, { location: path.slice(4) }).end();
  else if (path === '/half') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
    response.write('half', () => response.destroy());
  }
  // Every other path is never answered.
}

/** Looks as if the test's server stood at the public address of `site.test`. */
const net: NetEdge = {
  resolve: async (host) => {
    if (host === 'site.test') return ['127.0.0.1'];
    if (host === 'inside.test') return ['10.0.0.1'];
    if (host === 'both.test') return ['127.0.0.1', '10.0.0.1'];
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
  },
  isAllowed: (address) => address === '127.0.0.1',
};
const get = (path: string, more: { maxBytes?: number; signal?: AbortSignal; host?: string } = {}) => {
  const { maxBytes = 1000, signal = new AbortController().signal, host = 'site.test' } = more;
  return httpGet(`http://${host}:${port}${path}`, { maxBytes, signal, net, agent: 'test/1' });
};

describe('httpGet', () => {
  it('gives a page as text, whatever its signs are written in, and follows where it leads', async () => {
    expect(await get('/text')).toMatchObject({ status: 200, type: 'text/plain', text: 'héllo 你好', truncated: false });
    expect((await get('/gbk')).text).toBe('你好');
    expect(await get('/json')).toMatchObject({ type: 'application/ld+json', text: '{"a": 1}' });
    expect(await get('/hop')).toMatchObject({ text: 'héllo 你好', url: `http://site.test:${port}/text` });
    expect(requests.at(-1)?.headers).toMatchObject({ 'user-agent': 'test/1', host: `site.test:${port}` });
  });

  it('reads no more than it is asked for, and never half a sign', async () => {
    const page = await get('/long', { maxBytes: 1000 });
    expect(page).toMatchObject({ truncated: true, text: '好'.repeat(333) });
  });

  it.each([
    ['/401', /^HTTP 401/],
    ['/png', /no text \(image\/png\)/],
    ['/zip', /compressed \(gzip\)/],
    ['/round', /leads on more than 5 times/],
    ['/half', /aborted|ECONNRESET/],
  ])('fails on %s with words', async (path, detail) => {
    await expect(get(path)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      params: { detail: expect.stringMatching(detail) },
    });
  });

  it('fails where there is no such host and where nobody listens', async () => {
    await expect(get('/text', { host: 'nowhere.test' })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      params: { detail: expect.stringContaining('ENOTFOUND') },
    });
    const closed = httpGet('http://site.test:1/', {
      maxBytes: 1,
      signal: new AbortController().signal,
      net,
      agent: 'x',
    });
    await expect(closed).rejects.toMatchObject({ params: { detail: expect.stringContaining('ECONNREFUSED') } });
  });

  it.each([
    ...['inside.test', 'both.test', '10.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '0x0a000001', '167772161'],
    '169.254.169.254',
  ])('refuses %s, asked for or led to, without a request', async (host) => {
    requests = [];
    const refusal = { code: 'TOOL_REFUSED', params: { detail: expect.stringMatching(/of this machine/) } };
    await expect(get('/text', { host })).rejects.toMatchObject(refusal);
    expect(requests).toEqual([]);
    await expect(get(`/to?http://${host}:${port}/text`)).rejects.toMatchObject(refusal);
    expect(requests).toHaveLength(1);
  });

  it.each(['file:///etc/passwd', 'ftp://site.test/', 'not an address', 'http://me:secret@site.test/'])(
    'refuses %s',
    async (address) => {
      const options = { maxBytes: 1, signal: new AbortController().signal, net, agent: 'x' };
      await expect(httpGet(address, options)).rejects.toMatchObject({ code: 'TOOL_REFUSED' });
    },
  );

  it('stops when it is called off', async () => {
    const stop = new AbortController();
    const before = requests.length;
    server.once('request', () => stop.abort());
    await expect(get('/never', { signal: stop.signal })).rejects.toBeDefined();
    expect(requests.length).toBe(before + 1);
  });
});

describe('the tool http_get', () => {
  it('is refused until the settings turn it on, and refuses this machine even then', async () => {
    requests = [];
    const url = `http://127.0.0.1:${port}/text`;
    const off = home({});
    await expect(off.call('http_get', { url })).rejects.toMatchObject({
      code: 'TOOL_REFUSED',
      params: { detail: expect.stringContaining('http_get_tool') },
    });
    const on = home({ http_get_tool: true });
    expect((await on.tools.list()).map(({ name }) => name)).toContain('http_get');
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      await expect(on.call('http_get', { url: `http://${host}/text` })).rejects.toMatchObject({
        code: 'TOOL_REFUSED',
        params: { detail: expect.stringMatching(/of this machine/) },
      });
    }
    expect(requests).toEqual([]);
  });

  it('gives the text and its JSON, says what it cut, and has a time limit', async () => {
    const { call, told } = home({ http_get_tool: true }, { net });
    const base = `http://site.test:${port}`;
    expect(await call('http_get', { url: `${base}/json` })).toEqual({
      by: 'http_get',
      text: '{"a": 1}',
      json: { a: 1 },
      isError: false,
    });
    expect((await call('http_get', { url: `${base}/text`, max_bytes: 3 })).text).toBe('hé');
    expect(told).toContain('Only the first 3 bytes were read.');
    await expect(call('http_get', { url: `${base}/never` }, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'TOOL_TIMEOUT',
    });
  });
});
