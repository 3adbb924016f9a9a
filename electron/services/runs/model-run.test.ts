import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ModelAnswer, startModelServer } from '../models/test-model-server.ts';
import { chainOf, type StepFields, type TestHome, testHome } from './run-test-home.ts';

const key = 'sk-very-secret-0123456789';
let home: TestHome;

beforeEach(() => {
  vi.stubEnv('TEST_MODEL_KEY', key);
  home = testHome(mkdtempSync(join(tmpdir(), 'model-runs-')));
});
afterEach(async () => {
  await home.dispose();
  rmSync(home.folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

async function started(steps: Record<string, StepFields>): Promise<string> {
  home.writeChain('chain', chainOf('chain', steps));
  return (await home.runs.start({ chain_name: 'chain', source: 'cli' })).run_id;
}

async function say(answer: ModelAnswer, text: string): Promise<void> {
  answer.begin();
  await answer.text(text);
  answer.end();
}

/** All that is on the disk of a home, as one text. */
function everyByte(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
}

describe('a run that asks a model', () => {
  it('chooses, goes on with what was chosen, waits where the model is busy, and keeps the key nowhere', async () => {
    const server = await startModelServer('openai-compatible');
    home.settings.models = [server.endpoint()];
    server.onRequest(async (answer) => {
      if (server.requests.length === 1) return answer.respond(429, `{"error":"${key}"}`, { 'Retry-After': '3' });
      if (server.requests.length === 2) return await say(answer, 'Bug.');
      await say(answer, `{"title": "It crashes", "secret": "${key}"}`);
    });
    const runId = await started({
      sort: {
        kind: 'llm_classify',
        with: { input: 'It crashes.', options: ['billing', 'bug'] },
        retry_policy: { max_retries: 1 },
      },
      answer: { kind: 'llm_chat', action: 'Write about a {{ outputs.sort }}.', depends_on: ['sort'] },
    });
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'succeeded' });
    expect(home.waits).toEqual([5000]);
    const { events } = await home.runs.get(runId);
    expect(events.find((event) => event.kind === 'try_failed')).toMatchObject({
      error: { code: 'MODEL_BUSY', class: 'network_error', hint: expect.stringContaining('3 s') },
      work: { by: 'test/some-model' },
    });
    expect(events.filter((event) => event.kind === 'try_succeeded')).toMatchObject([
      { step_id: 'sort', output: { text: 'bug' }, work: { layers: [{ input_tokens: 11, output_tokens: 7 }] } },
      { step_id: 'answer', output: { json: { title: 'It crashes', secret: '***' } } },
    ]);
    const asked = server.requests[2]!.body.messages.at(-1)?.content;
    expect(JSON.stringify(asked)).toContain('Write about a bug.');
    const kept = everyByte(home.folder);
    expect(kept).toContain('It crashes');
    expect(kept).not.toContain(key);
  });

  it('that is cancelled ends its request', async () => {
    const server = await startModelServer('anthropic');
    home.settings.models = [server.endpoint()];
    let gone: Promise<void> | null = null;
    server.onRequest(async (answer, request) => {
      gone = request.gone;
      answer.begin();
      await answer.text('so far');
    });
    const runId = await started({ ask: { kind: 'llm_chat' } });
    for await (const batch of home.runs.watch(runId)) {
      if (batch.logs.some(({ text }) => text.includes('so far'))) break;
    }
    await home.runs.cancel(runId);
    expect(await home.runs.waitForEnd(runId)).toMatchObject({ state: 'cancelled' });
    await gone;
  });

  it('asks a person at once when the key is missing', async () => {
    const server = await startModelServer('anthropic');
    home.settings.models = [server.endpoint({ api_key_env: 'NO_SUCH_KEY' })];
    const runId = await started({ ask: { kind: 'llm_chat', retry_policy: { max_retries: 3 } } });
    for await (const batch of home.runs.watch(runId)) {
      if (batch.events.some((event) => event.kind === 'question_asked')) break;
    }
    const question = (await home.runs.get(runId)).events.find((event) => event.kind === 'question_asked');
    expect(question).toMatchObject({ question: { error: { code: 'MODEL_KEY_MISSING', class: 'auth_error' } } });
    expect([home.waits, server.requests]).toEqual([[], []]);
  });
});
