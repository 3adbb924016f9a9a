import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { endsWithin } from './call-limit.ts';
import type { Link } from './link.ts';

/** How long a server may take to take note of our leaving. */
const leaveMs = 1000;

/** A server at an address. */
export class HttpLink implements Link {
  readonly spawnError = null;
  readonly end = null;
  readonly transport: StreamableHTTPClientTransport;
  isStopping = false;
  #stopped: Promise<void> | null = null;

  constructor(Transport: typeof StreamableHTTPClientTransport, url: string, headers: Readonly<Record<string, string>>) {
    this.transport = new Transport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: (address, init) => fetchWatched(address, init, (id) => this.#cut(id)),
    });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.isStopping = true;
    await endsWithin(this.transport.terminateSession(), leaveMs);
    await this.transport.close();
  }

  /** Nobody else would answer this request any more. */
  #cut(id: string | number): void {
    const error = { code: -32_000, message: 'the connection was cut off before the answer' };
    this.transport.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}

/**
 * `fetch`, but the end of a stream of events is noticed that brought no answer to its request and can not be taken up
 * again (no event had an id): the library would wait for the answer for ever.
 */
async function fetchWatched(
  address: string | URL,
  init: RequestInit | undefined,
  onCut: (id: string | number) => void,
): Promise<Response> {
  const response = await fetch(address, init);
  const id = init?.method === 'POST' ? requestId(init.body) : null;
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
  if (id === null || !response.ok || !isStream || response.body === null) return response;
  const decoder = new TextDecoder();
  let line = '';
  let mayGoOn = false;
  const look = (text: string) => {
    const lines = (line + text).split(/\r\n|\r|\n/);
    line = lines.pop()!.slice(0, 10);
    mayGoOn ||= lines.some((one) => /^id:?\s*\S/.test(one));
  };
  const [kept, watched] = response.body.tee();
  void (async () => {
    try {
      for await (const bytes of watched) look(decoder.decode(bytes, { stream: true }));
    } catch {
      // Cut off in the middle: the same as an end.
    }
    // The library reads the same bytes; an answer among them comes first.
    if (!mayGoOn) setTimeout(() => onCut(id), 50);
  })();
  return new Response(kept, { status: response.status, statusText: response.statusText, headers: response.headers });
}

function requestId(body: unknown): string | number | null {
  if (typeof body !== 'string') return null;
  try {
    const { id, method } = JSON.parse(body) as { id?: string | number; method?: string };
    return method === undefined || id === undefined ? null : id;
  } catch {
    return null;
  }
}
