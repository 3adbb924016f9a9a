import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { ModelEndpoint, modelProviders } from '../../../shared/settings/settings.ts';

export type Protocol = (typeof modelProviders)[number];

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    /** Anthropic's protocol has it beside the messages. */
    readonly system?: unknown;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly max_tokens?: number;
    readonly temperature?: number;
    readonly stream?: boolean;
  };
  /** When the client has gone before the answer was whole. */
  readonly gone: Promise<void>;
}

/** One answer in the making, in the protocol of the request. */
export interface ModelAnswer {
  /** What begins a stream. */
  begin(): void;
  /** The head of a stream without its first part. */
  beginNothing(): void;
  /** A piece of the answer; comes back when it is with the system. */
  text(piece: string): Promise<void>;
  /** What ends a stream; without usage the server does not say what it cost. */
  end(reason?: 'stop' | 'length', usage?: { input: number; output: number } | null): void;
  /** An error in the middle of a stream. */
  error(kind: string, message: string): void;
  /** Any bytes, as they are. */
  bytes(bytes: Uint8Array): Promise<void>;
  /** Another answer than a stream. */
  respond(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
  /** Ends the stream as if it were whole. */
  close(): void;
  /** Breaks the connection. */
  cut(): void;
}

export interface ModelServer {
  readonly requests: readonly ReceivedRequest[];
  /** What the server does with requests from now on. */
  onRequest(handler: (answer: ModelAnswer, request: ReceivedRequest) => void | Promise<void>): void;
  endpoint(more?: Partial<ModelEndpoint>): ModelEndpoint;
}

/** For tests: a server on this machine that speaks a model's protocol; gone after the file's last test. */
export async function startModelServer(protocol: Protocol): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  let handle: (answer: ModelAnswer, request: ReceivedRequest) => void | Promise<void> = (answer) =>
    answer.respond(500, '');
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const request: ReceivedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')) as ReceivedRequest['body'],
      gone: new Promise((resolve) => {
        response.once('close', () => {
          if (!response.writableFinished) resolve();
        });
      }),
    };
    requests.push(request);
    await handle(answerOn(response, protocol), request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    requests,
    onRequest: (handler) => {
      handle = handler;
    },
    endpoint: (more = {}) => ({
      name: 'test',
      provider: protocol,
      base_url: `http://127.0.0.1:${port}/v1`,
      model: 'some-model',
      api_key_env: 'TEST_MODEL_KEY',
      timeout_seconds: 60,
      ...more,
    }),
  };
}

function answerOn(response: ServerResponse, protocol: Protocol): ModelAnswer {
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      response.write(bytes, () => resolve());
    });
  const events = protocol === 'anthropic' ? anthropicEvents : openAiEvents;
  const stream = (part: readonly object[]) => write(part.map((event) => eventText(event, protocol)).join(''));
  const beginNothing = () => void response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  return {
    begin() {
      beginNothing();
      void stream(events.begin());
    },
    beginNothing,
    text: (piece) => stream(events.text(piece)),
    end(reason = 'stop', usage = { input: 11, output: 7 }) {
      void stream(events.end(reason, usage));
      response.end(protocol === 'anthropic' ? '' : 'data: [DONE]\n\n');
    },
    error: (kind, message) => void stream(events.error(kind, message)),
    bytes: write,
    respond(status, body, headers = {}) {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(body);
    },
    close: () => void response.end(),
    cut: () => void response.destroy(),
  };
}

/** How an event stands in the stream of a protocol. */
export function eventText(event: object, protocol: Protocol): string {
  const name = protocol === 'anthropic' ? `event: ${(event as { type: string }).type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

type Usage = { input: number; output: number } | null;

const openAiEvents = {
  begin: () => [openAiChunk({ role: 'assistant', content: '' })],
  text: (piece: string) => [openAiChunk({ content: piece })],
  end: (reason: 'stop' | 'length', usage: Usage) => [
    openAiChunk({}, reason),
    ...(usage === null
      ? []
      : [
          {
            ...openAiChunk({}),
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
            },
          },
        ]),
  ],
  error: (kind: string, message: string) => [{ error: { message, type: kind, code: null } }],
};

function openAiChunk(delta: object, finish: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'some-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

const anthropicEvents = {
  begin: () => [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'some-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
  ],
  text: (piece: string) => [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }],
  end: (reason: 'stop' | 'length', usage: Usage) => [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: reason === 'stop' ? 'end_turn' : 'max_tokens', stop_sequence: null },
      usage: { input_tokens: usage?.input ?? 11, output_tokens: usage?.output ?? 7 },
    },
    { type: 'message_stop' },
  ],
  error: (kind: string, message: string) => [{ type: 'error', error: { type: kind, message } }],
};
