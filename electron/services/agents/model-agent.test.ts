import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../shared/settings/settings.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { startModelServer } from '../models/test-model-server.ts';
import { createAgentExecutor } from '../runs/executors/agent.ts';
import { programsFolder } from '../runs/run-test-home.ts';

const server = await startModelServer('openai-compatible');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-agent-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tried(profile: string) {
  const logged: string[] = [];
  const hidden: string[] = [];
  const skill = { name: 'notes', folder: programsFolder, file: join(programsFolder, 'echo.mjs') } as SkillRow;
  const executor = createAgentExecutor({ find: async () => skill }, { get: async () => 'key-12345' });
  const result = await executor({
    step: { id: 'a', skill_name: 'notes', step_name: 'a', action: 'write a note', depends_on: [], with: { profile } },
    chain: { name: 'c', steps: [] },
    try: 1,
    settings: { ...defaultSettings(), models: [server.endpoint({ name: 'small', api_key_env: 'SMALL_KEY' })] },
    upstream: [],
    stepFolder: join(folder, 'step'),
    workFolder: join(folder, 'work'),
    signal: new AbortController().signal,
    ownTimeoutMs: null,
    run: () => Promise.reject(new Error('no program is needed')),
    write: (stream, text) => logged.push(`${stream}: ${text}`),
    hide: (values) => hidden.push(...values),
  });
  return { result, logged, hidden };
}

describe('a model as an agent', () => {
  it('goes through the layers, with the tokens that it says', async () => {
    const prompts: string[] = [];
    server.onRequest(async (answer, { body }) => {
      prompts.push(JSON.stringify(body.messages));
      answer.begin();
      await answer.text(prompts.length === 1 ? '{"need_more_context": true, "reason": "how?"}' : 'a note');
      answer.end('stop', { input: 10 * prompts.length, output: 2 });
    });
    const { result, logged, hidden } = await tried('small');
    expect(result).toEqual({
      kind: 'succeeded',
      output: { text: 'a note', truncated: false },
      work: {
        by: 'small',
        skill: 'notes',
        layers: [
          { layer: 1, input_tokens: 10, output_tokens: 2, estimated: false, left: 'asked_for_more' },
          { layer: 3, input_tokens: 20, output_tokens: 2, estimated: false, left: null },
        ],
      },
    });
    expect(prompts[0]).toContain('write a note');
    expect(prompts[1]).toContain('echo.mjs');
    expect(logged.join('')).toContain('a note');
    expect(hidden).toEqual(['key-12345']);
  });

  it('has failed when it ends by saying so, or its server does', async () => {
    server.onRequest(async (answer) => {
      answer.begin();
      await answer.text('I can not.\nERROR:auth_error: no access');
      answer.end();
    });
    expect((await tried('small')).result).toMatchObject({
      kind: 'failed',
      error: { class: 'auth_error', code: 'auth_error', message: 'no access' },
      work: { by: 'small', layers: [{ layer: 1, left: null }] },
    });
    server.onRequest((answer) => answer.respond(401, '{"error": {"message": "bad key"}}'));
    expect((await tried('small')).result).toMatchObject({
      kind: 'failed',
      error: { class: 'auth_error' },
      work: { layers: [{ left: null }] },
    });
  });

  it('is not there under a name that no command line and no model has', async () => {
    await expect(tried('nobody')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });
});
