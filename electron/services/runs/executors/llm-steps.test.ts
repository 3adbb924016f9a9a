import { describe, expect, it } from 'vitest';
import type { Chain, Step } from '../../../../shared/chain/chain.ts';
import { AppError } from '../../../../shared/errors/app-error.ts';
import type { StepOutput } from '../../../../shared/run/event.ts';
import { defaultSettings, type Settings } from '../../../../shared/settings/settings.ts';
import { environmentSecrets } from '../../models/model-endpoint.ts';
import { type ModelAnswer, type ModelServer, type Protocol, startModelServer } from '../../models/test-model-server.ts';
import type { Executor, StepContext } from './executor.ts';
import { createLlmChatExecutor } from './llm-chat.ts';
import { createLlmClassifyExecutor } from './llm-classify.ts';

const key = 'sk-very-secret-0123456789';
const secrets = environmentSecrets({ TEST_MODEL_KEY: key });
const chat = createLlmChatExecutor({ secrets });
const classify = createLlmClassifyExecutor({ secrets });
const protocols: readonly Protocol[] = ['openai-compatible', 'anthropic'];

interface Given {
  readonly step?: Partial<Step>;
  /** The step as the chain has it, before its templates were filled in. */
  readonly written?: Partial<Step>;
  readonly before?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Settings>;
  readonly signal?: AbortSignal;
  readonly ownTimeoutMs?: number;
  readonly onWrite?: () => void;
}

/** Carries a step out against the server; what it wrote and hid is beside its result. */
async function carryOut(executor: Executor, server: ModelServer, given: Given = {}) {
  const base: Step = { id: 's', skill_name: '(内置)', step_name: 'S', action: 'Do it.', depends_on: [], ...given.step };
  const written: string[] = [];
  const hidden: string[] = [];
  const noProgram = () => Promise.reject(new Error('a model is asked without a program'));
  const context: StepContext = {
    step: base,
    chain: { name: 'c', steps: [{ ...base, ...given.written }] } as Chain,
    try: 1,
    settings: { ...defaultSettings(), models: [server.endpoint()], ...given.settings },
    upstream: Object.entries(given.before ?? {}).map(([name, text]) => ({
      step: { ...base, id: name, step_name: name },
      output: { text, truncated: false } satisfies StepOutput,
    })),
    stepFolder: '/nowhere',
    workFolder: '/nowhere',
    signal: given.signal ?? new AbortController().signal,
    ownTimeoutMs: given.ownTimeoutMs ?? null,
    run: noProgram,
    write: (stream, text) => {
      expect(stream).toBe('stdout');
      expect(hidden, 'the key is hidden before anything is shown').toEqual([key]);
      written.push(text);
      given.onWrite?.();
    },
    hide: (values) => hidden.push(...values),
  };
  const result = await executor(context);
  expect(JSON.stringify([result, written])).not.toContain(key);
  return { result, written, hidden };
}

async function serverThatSays(
  text: string,
  protocol: Protocol = 'openai-compatible',
  end?: Parameters<ModelAnswer['end']>,
) {
  const server = await startModelServer(protocol);
  server.onRequest(async (answer) => {
    answer.begin();
    for (const piece of text.match(/.{1,8}/gsu) ?? []) await answer.text(piece);
    answer.end(...(end ?? []));
  });
  return server;
}

/** The texts of a request, wherever its protocol puts them. */
function asked(server: ModelServer): { system: string; user: string } {
  const { body } = server.requests.at(-1)!;
  const textOf = (content: unknown) =>
    typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('');
  const system = body.system ?? body.messages.find(({ role }) => role === 'system')?.content ?? '';
  const user = body.messages.find(({ role }) => role === 'user')!.content;
  return { system: textOf(system), user: textOf(user) };
}

describe.each(protocols)('llm_chat with %s', (protocol) => {
  it('asks what the step says and gives the answer, live and with what it cost', async () => {
    const server = await serverThatSays('  Bonjour, le monde. 🎉\n', protocol, ['stop', { input: 21, output: 5 }]);
    const { result, written, hidden } = await carryOut(chat, server, {
      step: { with: { system_prompt: 'Translate.', input: 'Hello, world.', max_tokens: 50, temperature: 0.5 } },
    });
    expect(result).toEqual({
      kind: 'succeeded',
      output: { text: 'Bonjour, le monde. 🎉', truncated: false },
      work: {
        by: 'test/some-model',
        layers: [{ layer: 1, input_tokens: 21, output_tokens: 5, estimated: false, left: null }],
      },
    });
    expect(written.length).toBeGreaterThan(1);
    expect(written.join('')).toBe('  Bonjour, le monde. 🎉\n');
    expect(hidden).toEqual([key]);
    expect(asked(server)).toEqual({ system: 'Translate.', user: 'Hello, world.' });
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 50, temperature: 0.5 });
  });

  it('a failure of the model is one of the try, with its class and by whom', async () => {
    const server = await startModelServer(protocol);
    server.onRequest((answer) => answer.respond(401, JSON.stringify({ error: { message: `no ${key}` } })));
    expect((await carryOut(chat, server)).result).toMatchObject({
      kind: 'failed',
      error: { code: 'MODEL_KEY_REFUSED', class: 'auth_error' },
      work: { by: 'test/some-model' },
    });
  });

  it('the time limit of the step stands before that of the model', async () => {
    const server = await startModelServer(protocol);
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('so far');
    });
    const { result } = await carryOut(chat, server, { ownTimeoutMs: 200 });
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'MODEL_TIMEOUT', class: 'timeout' } });
  });

  it('ends with the run', async () => {
    const server = await startModelServer(protocol);
    let gone: Promise<void> | null = null;
    server.onRequest(async (answer, request) => {
      gone = request.gone;
      answer.begin();
      await answer.text('so far');
    });
    const stop = new AbortController();
    const ended = carryOut(chat, server, { signal: stop.signal, onWrite: () => stop.abort() });
    await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(gone).not.toBeNull();
    await gone;
  });
});

describe('llm_chat', () => {
  it.each([
    ['prompt', { prompt: 'P', task: 'T', text: 'X' }, 'P'],
    ['task', { task: 'T', text: 'X' }, 'T'],
    ['text', { input: '  ', text: 'X' }, 'X'],
    ['input before the others', { input: 'I', prompt: 'P' }, 'I'],
    ['a value that is no text', { input: { a: [1] } }, '{\n  "a": [\n    1\n  ]\n}'],
  ])('asks with %s', async (_name, fields, user) => {
    const server = await serverThatSays('ok');
    await carryOut(chat, server, { step: { with: { ...fields, system: 'S' } }, before: { a: 'not asked for' } });
    expect(asked(server)).toEqual({ system: 'S', user });
  });

  it('asks with action and detail when nothing else is said, and adds what the steps before gave', async () => {
    const server = await serverThatSays('ok');
    await carryOut(chat, server, { step: { detail: 'In short.' }, before: { read: 'The text.' } });
    expect(asked(server).user).toBe('Do it.\n\nIn short.\n\nThe text.');
    await carryOut(chat, server, { step: { action: '' }, before: { read: 'The text.', look: 'The picture.' } });
    expect(asked(server).user).toBe('read:\nThe text.\n\nlook:\nThe picture.');
  });

  it('adds nothing to an action that says itself which outputs it is about', async () => {
    const server = await serverThatSays('ok');
    await carryOut(chat, server, {
      step: { action: 'Shorten: The text.' },
      written: { action: 'Shorten: {{ outputs.read }}' },
      before: { read: 'The text.', look: 'The picture.' },
    });
    expect(asked(server).user).toBe('Shorten: The text.');
  });

  it('asks for the fields that later steps read, and gives the JSON of the answer', async () => {
    const server = await serverThatSays('Here it is:\n```json\n{"title": "A", "n": 2}\n```');
    const { result } = await carryOut(chat, server, {
      step: {
        variables: { outputs: { title: 'string' } },
        output_contract: { format: 'json', required_properties: ['title', 'n'] },
      },
    });
    expect(asked(server).user).toMatch(/one JSON object that has these fields: title, n$/);
    expect(result).toMatchObject({ kind: 'succeeded', output: { json: { title: 'A', n: 2 } } });
  });

  it('takes an answer about an error for an answer', async () => {
    const server = await serverThatSays('ERROR:AUTH: is what the log says.\n{"ok": false, "error": "AUTH"}');
    expect((await carryOut(chat, server)).result).toMatchObject({
      kind: 'succeeded',
      output: { json: { ok: false, error: 'AUTH' } },
    });
  });

  it('says that the answer is cut when it reached its limit, and counts itself what the server did not', async () => {
    const server = await serverThatSays('and so on and', 'openai-compatible', ['length', null]);
    const { result } = await carryOut(chat, server);
    expect(result).toMatchObject({ kind: 'succeeded', output: { text: 'and so on and', truncated: true } });
    const layer = result.work?.layers?.[0];
    expect(layer).toMatchObject({ layer: 1, output_tokens: 4, estimated: true, left: null });
    expect(layer?.input_tokens).toBeGreaterThan(4);
  });

  it('an empty answer is none', async () => {
    const server = await serverThatSays(' \n');
    expect((await carryOut(chat, server)).result).toMatchObject({
      kind: 'failed',
      error: { code: 'MODEL_ANSWER_BROKEN', class: 'other' },
      work: { by: 'test/some-model' },
    });
  });

  it('asks the model that the step names, else the one of the settings', async () => {
    const [one, other] = await Promise.all([serverThatSays('one'), serverThatSays('other')]);
    const models = [one.endpoint({ name: 'one' }), other.endpoint({ name: 'other', model: 'm2' })];
    const named = await carryOut(chat, one, { step: { with: { model: 'other' } }, settings: { models } });
    expect(named.result).toMatchObject({ output: { text: 'other' }, work: { by: 'other/m2' } });
    const byDefault = await carryOut(chat, one, { settings: { models, default_model: 'one' } });
    expect(byDefault.result).toMatchObject({ output: { text: 'one' }, work: { by: 'one/some-model' } });
  });

  it('without the model or its key nothing is asked, and nothing but a person can help', async () => {
    const server = await serverThatSays('ok');
    expect((await carryOut(chat, server, { step: { with: { model: 'nobody' } } })).result).toMatchObject({
      kind: 'failed',
      error: { code: 'MODEL_NOT_FOUND', class: 'other' },
    });
    const keyless = createLlmChatExecutor({ secrets: environmentSecrets({}) });
    const { result, hidden } = await carryOut(keyless, server);
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'MODEL_KEY_MISSING', class: 'auth_error' } });
    expect(hidden).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('takes numbers that templates gave as texts, and refuses what is none', async () => {
    const server = await serverThatSays('ok');
    await carryOut(chat, server, { step: { with: { max_tokens: '40', temperature: ' 0.2 ' } } });
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 40, temperature: 0.2 });
    for (const wrong of [{ max_tokens: 'many' }, { max_tokens: 1.5 }, { temperature: 3 }, { model: 7 }]) {
      const refused = carryOut(chat, server, { step: { with: wrong } });
      await expect(refused).rejects.toBeInstanceOf(AppError);
      await expect(refused).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        place: { field: `with.${Object.keys(wrong)[0]}` },
      });
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(protocols)('llm_classify with %s', (protocol) => {
  it('gives the option that the answer means', async () => {
    const server = await serverThatSays('"BUG."', protocol, ['stop', { input: 30, output: 2 }]);
    const { result } = await carryOut(classify, server, {
      step: { action: 'What is it?', with: { input: 'It crashes.', options: ['billing', 'bug'] } },
    });
    expect(result).toEqual({
      kind: 'succeeded',
      output: { text: 'bug', truncated: false },
      work: {
        by: 'test/some-model',
        layers: [{ layer: 1, input_tokens: 30, output_tokens: 2, estimated: false, left: null }],
      },
    });
    const { system, user } = asked(server);
    expect(system).toContain('exactly one of the options');
    expect(user).toBe('What is it?\n\nIt crashes.\n\nOptions:\n- billing\n- bug');
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 32, temperature: 0 });
  });

  it('an answer that names no option fails and says what it was', async () => {
    const server = await serverThatSays('I can not tell.', protocol);
    const { result } = await carryOut(classify, server, { step: { output_choices: ['billing', 'bug'] } });
    expect(result).toMatchObject({
      kind: 'failed',
      error: { code: 'INVALID_CLASSIFICATION', class: 'other', exit_code: null },
      work: { by: 'test/some-model' },
    });
    expect(result.kind === 'failed' && result.error.message).toContain('"I can not tell." (billing | bug)');
  });
});

describe('llm_classify', () => {
  it('is about what the steps before gave when the step says nothing, and keeps strict whatever it is told to be', async () => {
    const server = await serverThatSays('2');
    const { result } = await carryOut(classify, server, {
      step: { with: { options: [1, 2], system_prompt: 'You know numbers.' }, output_choices: ['other'] },
      before: { read: 'Two.' },
    });
    expect(result).toMatchObject({ kind: 'succeeded', output: { text: '2' } });
    expect(asked(server).user).toContain('Two.');
    expect(asked(server).system).toMatch(/^You know numbers\.\n\nYou are a strict classifier/);
  });

  it("takes the step's own limits before the strict ones", async () => {
    const server = await serverThatSays('a');
    await carryOut(classify, server, { step: { with: { options: '["a", "b"]', max_tokens: 200, temperature: 1 } } });
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 200, temperature: 1 });
  });

  it.each([[undefined], [[]], [['', ' ']], ['a, b'], [[{ a: 1 }]], [['a', null]]])(
    'refuses %j as options',
    async (options) => {
      const server = await serverThatSays('a');
      const refused = carryOut(classify, server, { step: { with: { options } } });
      await expect(refused).rejects.toMatchObject({ code: 'INPUT_INVALID', place: { field: 'with.options' } });
      expect(server.requests).toEqual([]);
    },
  );
});
