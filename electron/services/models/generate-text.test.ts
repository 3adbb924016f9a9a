import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type GenerateOptions, type GenerateResult, generateText } from './generate-text.ts';
import { eventText, type ModelServer, type Protocol, startModelServer } from './test-model-server.ts';

const key = 'sk-very-secret-0123456789';
const protocols: readonly Protocol[] = ['openai-compatible', 'anthropic'];

function ask(server: ModelServer, more: Partial<GenerateOptions> = {}): Promise<GenerateResult> {
  return generateText({ endpoint: server.endpoint(), apiKey: key, prompt: 'Say hello.', timeoutMs: 60_000, ...more });
}

async function failureOf(result: Promise<GenerateResult>) {
  const got = await result;
  if (got.kind !== 'failed') throw new Error(`it did not fail: ${JSON.stringify(got)}`);
  expect(JSON.stringify(got)).not.toContain(key);
  return { ...got.error, text: got.text };
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.each(protocols)('generateText of %s', (protocol) => {
  it('passes each piece on as it comes, and gives the whole with what it cost', async () => {
    const server = await startModelServer(protocol);
    const seen = gate();
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('Hel');
      // The rest is only sent when the first piece has come through.
      await seen.opened;
      await answer.text('lo');
      answer.end('stop', { input: 21, output: 2 });
    });
    const pieces: string[] = [];
    const result = await ask(server, {
      onText: (piece) => {
        pieces.push(piece);
        seen.open();
      },
    });
    expect(result).toEqual({
      kind: 'answered',
      text: 'Hello',
      usage: { input_tokens: 21, output_tokens: 2 },
      finishReason: 'stop',
    });
    expect(pieces).toEqual(['Hel', 'lo']);
  });

  it('sends the model, the texts, the limits and the key, and nothing is asked twice', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('ok');
      answer.end();
    });
    await ask(server, { system: 'Be short.', maxTokens: 50, temperature: 0.5 });
    await ask(server, {
      prompt: [
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: 'One.' },
        { role: 'user', content: 'Two?' },
      ],
      endpoint: server.endpoint({ max_tokens: 9, temperature: 0 }),
    });
    const [first, second] = server.requests;
    expect(server.requests).toHaveLength(2);
    expect(first!.body).toMatchObject({ model: 'some-model', max_tokens: 50, temperature: 0.5, stream: true });
    expect(JSON.stringify(first!.body)).toContain('Be short.');
    expect(second!.body).toMatchObject({ max_tokens: 9, temperature: 0 });
    expect(second!.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    if (protocol === 'anthropic') {
      expect(first!.path).toBe('/v1/messages');
      expect(first!.headers['x-api-key']).toBe(key);
    } else {
      expect(first!.path).toBe('/v1/chat/completions');
      expect(first!.headers.authorization).toBe(`Bearer ${key}`);
    }
  });

  it('puts characters together whose bytes come one by one', async () => {
    const server = await startModelServer(protocol);
    const said = '你好，世界 👩‍👩‍👧 🎉';
    server.onRequest(async (answer) => {
      answer.begin();
      const delta =
        protocol === 'anthropic'
          ? { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } }
          : { choices: [{ index: 0, delta: { content: said }, finish_reason: null }] };
      for (const byte of new TextEncoder().encode(eventText(delta, protocol))) {
        await answer.bytes(Uint8Array.of(byte));
      }
      answer.end();
    });
    expect(await ask(server)).toMatchObject({ kind: 'answered', text: said });
  });

  it('passes no half of a character on, and joins the two', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('a\ud83c');
      await answer.text('\udf89b\ud83c');
      answer.end();
    });
    const pieces: string[] = [];
    const result = await ask(server, { onText: (piece) => pieces.push(piece) });
    expect(result).toMatchObject({ text: 'a🎉b\ufffd' });
    expect(pieces).toEqual(['a', '🎉b', '\ufffd']);
  });

  it.each([
    [401, 'MODEL_KEY_REFUSED', 'auth_error'],
    [403, 'MODEL_KEY_REFUSED', 'auth_error'],
    [429, 'MODEL_BUSY', 'network_error'],
    [408, 'MODEL_FAILED', 'network_error'],
    [500, 'MODEL_FAILED', 'network_error'],
    [503, 'MODEL_FAILED', 'network_error'],
    [529, 'MODEL_FAILED', 'network_error'],
    [400, 'MODEL_REFUSED', 'other'],
    [404, 'MODEL_REFUSED', 'other'],
    [413, 'MODEL_REFUSED', 'other'],
  ])('HTTP %i is %s of the class %s, with what the server said', async (status, code, errorClass) => {
    const server = await startModelServer(protocol);
    const said = { type: 'error', error: { type: 'some_error', message: `Not with ${key}, please` } };
    server.onRequest((answer) => answer.respond(status, JSON.stringify(said)));
    const error = await failureOf(ask(server));
    expect(error).toMatchObject({ code, class: errorClass, exit_code: null });
    expect(error.message).toContain(`HTTP ${status}, Not with ***, please`);
    expect(server.requests).toHaveLength(1);
  });

  it('tells how long the server asks to wait', async () => {
    const server = await startModelServer(protocol);
    server.onRequest((answer) => answer.respond(429, '{}', { 'Retry-After': '17' }));
    expect((await failureOf(ask(server))).hint).toBe('Try again later. The server asks to wait 17 s.');
    server.onRequest((answer) => answer.respond(429, '', { 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' }));
    expect((await failureOf(ask(server))).hint).toContain('until Wed, 21 Oct 2026 07:28:00 GMT.');
    server.onRequest((answer) => answer.respond(429, ''));
    expect((await failureOf(ask(server))).hint).toBe('Try again later.');
  });

  it.each([
    ['{"error": "model not found"}', 'model not found'],
    ['{"detail": "no such model"}', 'no such model'],
    ['{"message": "nope"}', 'nope'],
    ['plain\n words', 'plain words'],
    ['<html><body>not for people</body></html>', 'Not Found'],
    ['', 'Not Found'],
  ])('finds the sentence in %s', async (body, sentence) => {
    const server = await startModelServer(protocol);
    server.onRequest((answer) => answer.respond(404, body));
    expect((await failureOf(ask(server))).message).toBe(`The model "test" refuses the request: HTTP 404, ${sentence}`);
  });

  it('shows neither all that the server says nor what it repeats of the request', async () => {
    const server = await startModelServer(protocol);
    const prompt = 'p'.repeat(100_000);
    server.onRequest((answer, { body }) =>
      answer.respond(400, JSON.stringify({ error: { message: `bad: ${JSON.stringify(body)} ${key}`, type: 'x' } })),
    );
    const error = await failureOf(ask(server, { prompt }));
    expect(error.message.length).toBeLessThan(700);
  });

  it('follows no redirect: the key goes to no other server', async () => {
    const [server, other] = await Promise.all([startModelServer(protocol), startModelServer(protocol)]);
    server.onRequest((answer) =>
      answer.respond(307, '', { Location: `${other.endpoint().base_url}${server.requests[0]!.path.slice(3)}` }),
    );
    expect(await failureOf(ask(server))).toMatchObject({ code: 'MODEL_REFUSED', class: 'other' });
    expect(other.requests).toEqual([]);
  });

  it('ends the request when the time is over, and says what had arrived', async () => {
    const server = await startModelServer(protocol);
    let gone: Promise<void> | null = null;
    server.onRequest(async (answer, request) => {
      gone = request.gone;
      answer.begin();
      await answer.text('so far');
    });
    const error = await failureOf(ask(server, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: 'MODEL_TIMEOUT', class: 'timeout', text: 'so far' });
    expect(error.message).toBe('The model "test" did not finish within 0.3 seconds.');
    await gone;
  });

  it('ends the request when the time is over before anything came', async () => {
    const server = await startModelServer(protocol);
    const gone = gate();
    server.onRequest(async (_answer, request) => {
      await request.gone;
      gone.open();
    });
    expect(await failureOf(ask(server, { timeoutMs: 100 }))).toMatchObject({ code: 'MODEL_TIMEOUT', class: 'timeout' });
    await gone.opened;
  });

  it('ends the request at once when it is aborted in the middle', async () => {
    const server = await startModelServer(protocol);
    const gone = gate();
    server.onRequest(async (answer, request) => {
      answer.begin();
      await answer.text('so far');
      await request.gone;
      gone.open();
    });
    const stop = new AbortController();
    const result = await ask(server, { signal: stop.signal, onText: () => stop.abort() });
    expect(result).toEqual({ kind: 'cancelled', text: 'so far' });
    await gone.opened;
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('asks nothing when it is aborted before', async () => {
    const server = await startModelServer(protocol);
    expect(await ask(server, { signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled', text: '' });
    expect(server.requests).toEqual([]);
  });

  it('a connection that breaks in the middle is a network error, with what arrived', async () => {
    const server = await startModelServer(protocol);
    let cut: () => void = () => undefined;
    server.onRequest(async (answer) => {
      answer.begin();
      cut = answer.cut;
      await answer.text('half of it');
    });
    const error = await failureOf(ask(server, { onText: () => cut() }));
    expect(error).toMatchObject({ code: 'MODEL_CUT_OFF', class: 'network_error', text: 'half of it' });
    expect(error.message).toContain('was cut off after 10 characters');
  });

  it('a stream that stops as if it were whole is cut off all the same', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('half of it');
      answer.close();
    });
    expect(await failureOf(ask(server))).toMatchObject({
      code: 'MODEL_CUT_OFF',
      class: 'network_error',
      text: 'half of it',
    });
  });

  it('a connection that breaks before the answer, or that nobody takes, is a network error', async () => {
    const server = await startModelServer(protocol);
    server.onRequest((answer) => answer.cut());
    expect(await failureOf(ask(server))).toMatchObject({ code: 'MODEL_UNREACHABLE', class: 'network_error' });
    const port = await freePort();
    const endpoint = server.endpoint({ base_url: `http://127.0.0.1:${port}/v1` });
    const refused = await failureOf(ask(server, { endpoint }));
    expect(refused).toMatchObject({ code: 'MODEL_UNREACHABLE', class: 'network_error' });
    expect(refused.message).toContain('ECONNREFUSED');
  });

  it('an error in the middle of the stream has the class of its kind', async () => {
    const server = await startModelServer(protocol);
    const failWith = async (kind: string) => {
      server.onRequest(async (answer) => {
        answer.begin();
        await answer.text('so far');
        answer.error(kind, `because of ${key}`);
      });
      return failureOf(ask(server));
    };
    expect(await failWith('overloaded_error')).toMatchObject({ code: 'MODEL_BUSY', class: 'network_error' });
    expect(await failWith('api_error')).toMatchObject({ code: 'MODEL_FAILED', class: 'network_error' });
    expect(await failWith('permission_error')).toMatchObject({ code: 'MODEL_KEY_REFUSED', class: 'auth_error' });
    const other = await failWith('invalid_request_error');
    expect(other).toMatchObject({ code: 'MODEL_REFUSED', class: 'other', text: 'so far' });
    expect(other.message).toContain('because of ***');
  });

  it('an error in the place of the answer has the class of its kind', async () => {
    const server = await startModelServer(protocol);
    const failWith = async (kind: string) => {
      server.onRequest((answer) => {
        answer.beginNothing();
        answer.error(kind, 'no');
        answer.close();
      });
      return failureOf(ask(server));
    };
    expect(await failWith('overloaded_error')).toMatchObject({ code: 'MODEL_BUSY', class: 'network_error' });
    expect(await failWith('authentication_error')).toMatchObject({ code: 'MODEL_KEY_REFUSED', class: 'auth_error' });
  });

  it.each([
    ['no protocol at all', 'hello'],
    ['a part that is no JSON', `data: {"broken\n\n`],
    ['JSON of another kind', `data: {"a": 1}\n\n`],
    ['nothing', ''],
  ])('%s is an answer that can not be used', async (_name, body) => {
    const server = await startModelServer(protocol);
    server.onRequest((answer) => answer.respond(200, body, { 'Content-Type': 'text/event-stream' }));
    expect(await failureOf(ask(server))).toMatchObject({ code: 'MODEL_ANSWER_BROKEN', class: 'other' });
  });

  it('shows the key nowhere when the model says it, not even across pieces', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text(`It is ${key.slice(0, 9)}`);
      await answer.text(`${key.slice(9)}!`);
      answer.end();
    });
    const pieces: string[] = [];
    const result = await ask(server, { onText: (piece) => pieces.push(piece) });
    expect(result).toMatchObject({ text: 'It is ***!' });
    expect(pieces.join('')).toBe('It is ***!');
  });

  it('says that the answer was cut at its limit, and knows no cost that it was not told', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('and so');
      answer.end('length', protocol === 'anthropic' ? { input: 3, output: 4 } : null);
    });
    expect(await ask(server)).toMatchObject({
      finishReason: 'length',
      usage: protocol === 'anthropic' ? { input_tokens: 3, output_tokens: 4 } : null,
    });
  });

  it('sends no key where none is needed', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('ok');
      answer.end();
    });
    expect(await ask(server, { apiKey: null })).toMatchObject({ kind: 'answered' });
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
    expect(server.requests[0]!.headers['x-api-key'] ?? '').toBe('');
  });
});

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
