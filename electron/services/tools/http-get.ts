import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { AppError } from '../../../shared/errors/app-error.ts';
import { untilAborted } from './call-limit.ts';
import { isPublicAddress } from './public-address.ts';
import { type Sentence, toolError } from './tool-texts.ts';

/** Where the net begins; a test hands in its own. */
export interface NetEdge {
  /** All addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  isAllowed(address: string): boolean;
}

export interface WebPage {
  /** Where the text was found in the end. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The page is longer than was asked for. */
  readonly truncated: boolean;
}

export const realNet: NetEdge = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

export const largestPage = 1024 * 1024;
const mostRedirects = 5;
const tool = 'http_get';
const textTypes =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|xhtml\+xml|javascript|yaml|x-yaml|x-ndjson|toml)$)/;

/**
 * Reads a public web page as text. Each address, that of every redirect too, is looked up once, checked, and then used
 * as it was found. Errors: TOOL_REFUSED (a private address, no web address), TOOL_FAILED (no connection, an error
 * status, no text).
 */
export async function httpGet(
  address: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal; readonly net: NetEdge; readonly agent: string },
): Promise<WebPage> {
  let url = webAddress(address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await open(url, options);
    const { statusCode: status = 0, statusMessage = '', headers } = response;
    const next = status >= 300 && status < 400 ? headers.location : undefined;
    if (next === undefined) {
      if (status >= 200 && status < 300) return await readPage(response, url, options.maxBytes);
      response.destroy();
      throw failed(`HTTP ${status} ${statusMessage}`.trim());
    }
    response.destroy();
    if (redirects === mostRedirects) throw failedWith([['redirects', { count: mostRedirects }]]);
    url = webAddress(next, url);
  }
}

function webAddress(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null;
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb) throw refusedWith([['notWeb']]);
  return url;
}

async function open(
  url: URL,
  { signal, net, agent }: { readonly signal: AbortSignal; readonly net: NetEdge; readonly agent: string },
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await untilAborted(net.resolve(host), signal).catch(fail) : [host];
  // One private address among them is enough: which one is taken is not ours to say.
  if (addresses.length === 0 || !addresses.every((one) => net.isAllowed(one))) {
    throw refusedWith([['privateAddress', { host }]]);
  }
  const found = addresses.map((one) => ({ address: one, family: isIP(one) }));
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      signal,
      headers: { accept: 'text/*, application/json, */*;q=0.1', 'accept-encoding': 'identity', 'user-agent': agent },
      lookup: (_host, wanted, callback) => {
        if (wanted.all === true) (callback as (error: null, all: typeof found) => void)(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
    });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end();
  }).catch(fail);
}

async function readPage(response: IncomingMessage, url: URL, maxBytes: number): Promise<WebPage> {
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').toLowerCase().split(';');
  const encoding = response.headers['content-encoding'] ?? 'identity';
  try {
    if (!textTypes.test(type.trim())) throw failedWith([['notText', { type: type.trim() || '?' }]]);
    if (encoding !== 'identity') throw failedWith([['encoded', { type: encoding }]]);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, maxBytes - bytes));
      bytes += part.length;
      if (bytes > maxBytes) break;
    }
    const charset = parameters.map((one) => /^\s*charset="?([\w.:-]+)"?/.exec(one)?.[1]).find(Boolean);
    // A page may be cut in the middle of a sign; what is left of it is then not shown.
    const text = decoderOf(charset).decode(Buffer.concat(parts), { stream: bytes > maxBytes });
    return { url: url.href, status: response.statusCode ?? 0, type: type.trim(), text, truncated: bytes > maxBytes };
  } catch (thrown) {
    return fail(thrown);
  } finally {
    response.destroy();
  }
}

function decoderOf(charset: string | undefined) {
  try {
    return new TextDecoder(charset ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}

function fail(thrown: unknown): never {
  if (thrown instanceof AppError) throw thrown;
  const error = thrown as NodeJS.ErrnoException & { errors?: readonly Error[] };
  // Several addresses that were tried one after the other make one error without words.
  throw failed(error.message || error.errors?.[0]?.message || String(error.code ?? error), thrown);
}

function failed(detail: string, cause?: unknown): AppError {
  return new AppError('TOOL_FAILED', { tool, detail }, {}, { cause });
}

function failedWith(detail: Sentence): AppError {
  return toolError('TOOL_FAILED', { tool }, { detail });
}

function refusedWith(detail: Sentence): AppError {
  return toolError('TOOL_REFUSED', { tool }, { detail });
}
