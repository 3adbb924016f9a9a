import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProcess } from '../processes/run-process.ts';
import type { AgentAnswer } from './agent.ts';
import { commandAgent } from './command-agent.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Asks a program that runs this code; `prompt` in it is what it was given. */
async function ask(code: string, prompt = 'do it', args?: readonly string[]): Promise<AgentAnswer> {
  const file = join(folder, 'agent.mjs');
  const read = args === undefined ? `readFileSync(0, 'utf8')` : 'process.argv[2]';
  writeFileSync(file, `import { readFileSync } from 'node:fs';\nconst prompt = ${read};\n${code}`);
  const agent = commandAgent(
    {
      ...{ name: 'tiny', command: process.execPath, args: [file, ...(args ?? [])], timeout_seconds: 60 },
      ...{ prompt: args === undefined ? 'stdin' : 'argument', passEnv: [] },
    },
    { workFolder: folder, run: ({ shown: _, ...program }) => runProcess({ ...program, graceMs: 100 }) },
  );
  return await agent.ask(prompt, 60_000);
}

describe('a program as an agent', () => {
  it('gets the prompt as it is, on its input or as one argument', async () => {
    const prompt = 'say "hi" \'there\' $HOME `id` \\ %PATH% {prompt} $& 中文\n\n  second line\t';
    const code = 'process.stdout.write(JSON.stringify({ got: prompt, count: process.argv.length }))';
    for (const args of [undefined, [], ['{prompt}']]) {
      const { result } = await ask(code, prompt, args);
      expect(result).toMatchObject({ output: { json: { got: prompt, count: args === undefined ? 2 : 3 } } });
    }
    const inside = await ask(code, prompt, ['--message={prompt}']);
    expect(inside.result).toMatchObject({ output: { json: { got: `--message=${prompt}` } } });
  });

  it('is believed what it says of its tokens, and its answer is taken out of what is around it', async () => {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: null,
      output_tokens: 7,
    };
    const answer = { type: 'result', is_error: false, result: 'Done.\n{"file": "a.zip"}', usage };
    const whole = await ask(`console.log(${JSON.stringify(JSON.stringify(answer))})`);
    expect(whole).toEqual({
      said: answer.result,
      usage: { input_tokens: 203, output_tokens: 7 },
      result: { kind: 'succeeded', output: { text: answer.result, json: { file: 'a.zip' }, truncated: false } },
    });
    const lines = [JSON.stringify({ type: 'system' }), JSON.stringify(answer)].join('\n');
    expect(await ask(`console.log(${JSON.stringify(lines)})`)).toEqual(whole);
    const failed = await ask(
      `console.log(${JSON.stringify(JSON.stringify({ ...answer, is_error: true, result: 'API Error: 401 unauthorized' }))})`,
    );
    expect(failed).toMatchObject({
      result: { kind: 'failed', error: { class: 'auth_error', message: 'API Error: 401 unauthorized' } },
      usage: { input_tokens: 203 },
    });
  });

  it('keeps an output that only looks like that', async () => {
    for (const json of [{ usage: { input_tokens: 'many' } }, { usage: null, result: 'x' }, { result: 'x' }]) {
      const { result, usage } = await ask(`console.log(${JSON.stringify(JSON.stringify(json))})`);
      expect(usage).toBeNull();
      expect(result).toMatchObject({ kind: 'succeeded', output: { json } });
    }
    const counted = await ask(`console.log('{"usage": {"input_tokens": 5}, "answer": 42}')`);
    expect(counted.usage).toEqual({ input_tokens: 5, output_tokens: 0 });
    expect(counted.result).toMatchObject({ output: { json: { answer: 42 } } });
  });

  it('has failed when it ends by saying so, whatever its exit status', async () => {
    const { result, said } = await ask(`console.log('I tried.\\nERROR:network_error: no route\\nHINT: plug it in')`);
    expect(result).toMatchObject({
      kind: 'failed',
      error: { class: 'network_error', code: 'network_error', message: 'no route', hint: 'plug it in' },
    });
    expect(said).toContain('I tried.');
    const about = await ask(`console.log('The log says:\\nERROR:X: bad\\nand so I mended it.')`);
    expect(about.result.kind).toBe('succeeded');
  });
});
