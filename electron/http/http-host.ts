import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RPCHandler } from '@orpc/server/node';
import { AppError, toAppError } from '../../shared/errors/app-error.ts';
import { errorCodes } from '../../shared/errors/error-codes.ts';
import type { Services } from '../services/create-services.ts';
import { createRouter } from '../services/handlers.ts';
import { pageHeaders } from '../services/page/content-policy.ts';
import { findPageFile } from '../services/page/page-file.ts';
import { readBody } from './read-body.ts';
import { bearerToken, checkJson, checkSender, cookieValue, sameSecret } from './request-guard.ts';
import { watchReaders } from './slow-readers.ts';

export interface HttpHost {
  /** The address to open, the token in its fragment: a fragment never travels to a server or into a log. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Ends every connection and stops listening; runs go on. */
  close(): Promise<void>;
}

export const bodyLimitBytes = 1024 * 1024;

/**
 * The local server: the page from `rendererFolder`, the contract at `/rpc`. Listens on 127.0.0.1 only. A caller needs
 * the token of this start, once as `POST /session` (which gives an HttpOnly cookie) or in every call as a bearer token.
 * Rejects with the system's error when the port is taken.
 */
export async function startHttpHost(
  services: Services,
  options: { readonly port?: number; readonly rendererFolder: string; readonly slowReaderMs?: number },
): Promise<HttpHost> {
  const token = randomBytes(32).toString('hex');
  const session = randomBytes(32).toString('hex');
  const rpc = new RPCHandler(createRouter(services, 'server'));
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => refuse(request, response, thrown));
  });
  // Headers and body of a call must come at a human pace at least; streams of answers have no limit.
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.maxHeadersCount = 100;
  const port = await listen(server, options.port ?? 0);
  // Cookies do not know ports: two servers on one machine would otherwise overwrite each other's.
  const cookieName = `studio-session-${port}`;
  const readers = watchReaders(options.slowReaderMs ?? 30_000);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/';
    const isCall = path === '/rpc' || path.startsWith('/rpc/') || path === '/session';
    checkSender(request.headers, port, isCall ? 'call' : 'page');
    if (!isCall) return servePage(request, response, path);
    response.setHeader('cache-control', 'no-store');
    if (request.method !== 'POST') throw new AppError('FORBIDDEN', { detail: `${request.method ?? ''} ${path}` });
    checkJson(request.headers);
    if (path === '/session') return openSession(request, response);
    if (!isAuthorised(request)) throw new AppError('NOT_AUTHORISED');
    const body = await readJson(request, bodyLimitBytes);
    readers.add(response);
    const { matched } = await rpc.handle(Object.assign(request, { body }), response, { prefix: '/rpc' });
    if (!matched) throw new AppError('INPUT_INVALID', { detail: `no such call: ${path}` });
  }

  function isAuthorised(request: IncomingMessage): boolean {
    const cookie = cookieValue(request.headers, cookieName);
    if (cookie !== null && sameSecret(cookie, session)) return true;
    const bearer = bearerToken(request.headers);
    return bearer !== null && sameSecret(bearer, token);
  }

  async function openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, 4096);
    const given = typeof body === 'object' && body !== null && 'token' in body ? body.token : null;
    if (typeof given !== 'string' || !sameSecret(given, token)) throw new AppError('NOT_AUTHORISED');
    response.setHeader('set-cookie', `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`);
    response.writeHead(204).end();
  }

  async function servePage(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new AppError('FORBIDDEN', { detail: `${request.method ?? ''} ${path}` });
    }
    const found = await findPageFile(options.rendererFolder, path);
    if (found === null) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end('Not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': found.contentType,
      'content-length': found.bytes,
      'cache-control': found.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else
      createReadStream(found.file)
        .on('error', () => response.destroy())
        .pipe(response);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL') services.log.error('a request failed', { path: request.url, error: thrown });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { http: status } = errorCodes[error.code];
    // What was not read of a body that is too large would be taken for the next request of this connection.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    // The form that the contract's client reads as its typed error.
    const json = { defined: true, code: 'APP', status, message: error.message, data: error.toWire() };
    response.end(JSON.stringify({ json, meta: [] }));
  }

  return {
    url: `http://127.0.0.1:${port}/#token=${token}`,
    port,
    token,
    async close() {
      readers.dispose();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const body = await readBody(request, limitBytes);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new AppError('INPUT_INVALID', { detail: 'JSON' }, {}, { cause });
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
