import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '../../../../shared/chain/chain.ts';
import { defaultSettings } from '../../../../shared/settings/settings.ts';
import type { SkillRow } from '../../../../shared/skill/skill.ts';
import { runProcess } from '../../processes/run-process.ts';
import { createAgentExecutor } from './agent.ts';
import type { StepContext } from './executor.ts';

interface Reply {
  readonly out?: string;
  readonly err?: string;
  readonly code?: number;
  readonly hangs?: boolean;
}

// Keeps the prompt of its n-th call and gives the n-th reply; the last one for every later call.
const program = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const folder = process.argv[2];
let n = 1;
while (existsSync(folder + '/prompt' + n)) n += 1;
writeFileSync(folder + '/prompt' + n, process.argv[3] ?? readFileSync(0, 'utf8'));
const replies = JSON.parse(readFileSync(folder + '/replies.json', 'utf8'));
const { out = '', err = '', code = 0, hangs } = replies[Math.min(n, replies.length) - 1];
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
if (hangs) setInterval(() => {}, 1000);
`;

const skillText = [
  '---',
  'name: mailer',
  'description: sends mail',
  '---',
  '# Mailer',
  '',
  'Tokens are in the vault.',
  '',
  '## Sending',
  '',
  'Run {baseDir}/send.py.',
  '',
  '## Reading',
  '',
  'Run {baseDir}/read.py.',
  '',
].join('\n');

const more = '{"need_more_context": true, "reason": "no address"}';

let folder = '';
let skill: SkillRow;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
  mkdirSync(join(folder, 'skill'));
  writeFileSync(join(folder, 'agent.mjs'), program);
  writeFileSync(join(folder, 'skill', 'SKILL.md'), skillText);
  skill = { name: 'mailer', folder: join(folder, 'skill'), file: join(folder, 'skill', 'SKILL.md') } as SkillRow;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an agent with layers', () => {
  it('gets the action alone, and that is all when it can do it', async () => {
    const { result, prompts } = await tried([{ out: 'sent' }]);
    expect(result).toMatchObject({
      kind: 'succeeded',
      output: { text: 'sent' },
      work: { by: 'scripted', skill: 'mailer', layers: [{ layer: 1, estimated: true, left: null }] },
    });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain('send the mail');
    expect(prompts[0]).toContain('need_more_context');
    expect(prompts[0]).not.toContain('send.py');
  });

  it('gets the part and then the whole when it asks, and each use has its tokens', async () => {
    const { result, prompts } = await tried([{ out: more }, { out: `Let me see.\n${more}` }, { out: 'sent' }]);
    expect(result.work?.layers).toMatchObject([
      { layer: 1, left: 'asked_for_more' },
      { layer: 2, left: 'asked_for_more' },
      { layer: 3, left: null },
    ]);
    const input = result.work!.layers!.map((use) => use.input_tokens);
    expect(input[0]).toBeGreaterThan(20);
    expect(input[1]).toBeGreaterThan(input[0]!);
    expect(result.work!.layers!.map((use) => use.output_tokens)[2]).toBe(1);
    expect(prompts[1]).toContain(`## Sending\n\nRun ${skill.folder}/send.py.`);
    expect(prompts[1]).toContain('need_more_context');
    expect(prompts[1]).not.toContain('read.py');
    expect(prompts[2]).toContain(`Run ${skill.folder}/read.py.`);
    expect(prompts[2]).toContain('Tokens are in the vault.');
    expect(prompts[2]).not.toContain('need_more_context');
  });

  it('gets the next layer after a failure without a class of its own', async () => {
    const { result } = await tried([{ code: 3, err: 'confused' }, { out: 'sent' }]);
    expect(result).toMatchObject({ kind: 'succeeded', output: { text: 'sent' } });
    expect(result.work?.layers).toMatchObject([
      { layer: 1, left: 'failed' },
      { layer: 2, left: null },
    ]);
  });

  it('keeps a failure that more words do not mend, with its work', async () => {
    const { result, prompts } = await tried([
      { code: 1, err: 'ERROR:UNAUTHORIZED: 401 unauthorized' },
      { out: 'sent' },
    ]);
    expect(result).toMatchObject({ kind: 'failed', error: { class: 'auth_error' } });
    expect(result.work).toMatchObject({ by: 'scripted', layers: [{ layer: 1, left: null }] });
    expect(prompts).toHaveLength(1);
  });

  it('leaves a network error to the repetitions of the run, which start at the same layer', async () => {
    const line = 'ERROR:network_error: connection refused';
    const { result, prompts } = await tried([{ out: more }, { code: 1, err: line }, { out: 'sent' }]);
    expect(result).toMatchObject({ kind: 'failed', error: { class: 'network_error' } });
    expect(result.work?.layers?.map(({ layer, left }) => [layer, left])).toEqual([
      [1, 'asked_for_more'],
      [2, null],
    ]);
    expect(prompts).toHaveLength(2);
    const again = await tried([{ out: 'sent' }], {}, { try: 2 });
    expect(again.result.work?.layers).toMatchObject([{ layer: 2, left: null }]);
  });

  it('fails when it asks for more than the whole', async () => {
    const { result, prompts } = await tried([{ out: more }]);
    expect(result).toMatchObject({
      kind: 'failed',
      error: { class: 'other', code: 'CONTEXT_NOT_ENOUGH', message: 'no address' },
    });
    expect(result.work?.layers?.map(({ left }) => left)).toEqual(['asked_for_more', 'asked_for_more', null]);
    expect(prompts).toHaveLength(3);
  });

  it('goes on in the next try at the layer where the last one ended', async () => {
    const first = await tried([{ out: more }, { code: 1 }]);
    expect(first.result.work?.layers?.map(({ layer }) => layer)).toEqual([1, 2, 3]);
    const second = await tried([{ out: 'sent' }], {}, { try: 2 });
    expect(second.result.work?.layers).toMatchObject([{ layer: 3, left: null }]);
    expect(second.prompts[0]).toContain('Tokens are in the vault.');
    // The skill has fewer layers now.
    rmSync(skill.file);
    expect((await tried([{ out: 'sent' }], {}, { try: 3 })).result.work?.layers).toMatchObject([{ layer: 1 }]);
  });

  it('has no second layer without a part that the instruction names', async () => {
    for (const skill_instruction of [undefined, 'no such part']) {
      const { result } = await tried([{ out: more }, { out: 'sent' }], { skill_instruction });
      expect(result.work?.layers?.map(({ layer }) => layer)).toEqual([1, 3]);
      rmSync(join(folder, 'step'), { recursive: true });
    }
  });

  it('has one layer without a skill and without a SKILL.md that can be read, and is not told to ask for more', async () => {
    const { result, prompts } = await tried([{ out: 'sent' }], { skill_name: '(内置)' });
    expect(result).toMatchObject({ kind: 'succeeded', work: { by: 'scripted', layers: [{ layer: 1, left: null }] } });
    expect(result.work).not.toHaveProperty('skill');
    expect(prompts[0]).not.toContain('need_more_context');
    rmSync(skill.file);
    const unreadable = await tried([{ code: 1 }, { out: 'sent' }]);
    expect(unreadable.result).toMatchObject({ kind: 'failed', work: { layers: [{ layer: 1, left: null }] } });
    expect(unreadable.prompts).toHaveLength(1);
  });

  it('shares the time of the try: a layer that hangs ends it, and no other begins', async () => {
    const { result, prompts } = await tried([{ out: more }, { hangs: true }], {}, { ownTimeoutMs: 2500 });
    expect(result).toMatchObject({ kind: 'failed', error: { class: 'timeout', code: 'TIMEOUT' } });
    expect(result.work?.layers?.at(-1)).toMatchObject({ left: null });
    expect(prompts.length).toBeLessThan(3);
  });

  it('is not called again when its program is missing or the run is stopped', async () => {
    const missing = await tried([{}], {}, {}, { command: 'no-such-agent-program' });
    expect(missing.result).toMatchObject({ kind: 'failed', error: { code: 'PROGRAM_NOT_FOUND' } });
    expect(missing.result.work?.layers).toHaveLength(1);
    const stopped = await tried([{ code: 1 }], {}, { signal: AbortSignal.abort() });
    expect(stopped.result.kind).toBe('failed');
    expect(stopped.prompts).toHaveLength(0);
  });

  it('judges a condition in words, and may decline', async () => {
    const condition = '如果有附件';
    const declined = await tried([{ out: 'No file.\n{"skip": true, "reason": "no attachment"}' }], { condition });
    expect(declined.result).toMatchObject({ kind: 'declined', work: { by: 'scripted', layers: [{ layer: 1 }] } });
    expect(declined.prompts[0]).toContain(`Only do this when: ${condition}`);
    // An expression was judged before the step began.
    const expression = await tried([{ out: '{"skip": true}' }], { condition: 'outputs.a.ok' });
    expect(expression.result).toMatchObject({ kind: 'succeeded', output: { json: { skip: true } } });
    expect(expression.prompts[0]).not.toContain('Only do this when');
  });

  it('keeps a prompt within what a command line takes, whatever the skill and the steps before it say', async () => {
    writeFileSync(skill.file, `${skillText}\n${'很长的文字'.repeat(16_000)}\n`);
    const upstream = [
      { step: step({ step_name: 'before' }), output: { text: '结果'.repeat(100_000), truncated: false } },
    ];
    const run = await tried([{ out: more }, { out: more }, { out: 'sent' }], {}, { upstream }, { prompt: 'argument' });
    expect(run.result).toMatchObject({ kind: 'succeeded' });
    expect(run.prompts).toHaveLength(3);
    for (const prompt of run.prompts) {
      expect(Buffer.byteLength(prompt)).toBeLessThan(125_000);
      expect(prompt).toContain('结果');
      expect(prompt).not.toContain('\ufffd');
    }
    expect(run.prompts[2]).toContain('很长的文字');
  });
});

function step(fields: { [K in keyof Step]?: Step[K] | undefined } = {}): Step {
  return {
    id: 'a',
    skill_name: 'mailer',
    step_name: 'Mail',
    action: 'send the mail',
    skill_instruction: 'sending',
    depends_on: [],
    ...fields,
  } as Step;
}

/** One try with an agent that gives these replies. */
async function tried(
  replies: readonly Reply[],
  fields: { [K in keyof Step]?: Step[K] | undefined } = {},
  context: Partial<StepContext> = {},
  profile: { command?: string; prompt?: 'stdin' | 'argument' } = {},
) {
  const calls = mkdtempSync(join(folder, 'calls-'));
  writeFileSync(join(calls, 'replies.json'), JSON.stringify(replies));
  const agents = [
    {
      ...{ name: 'scripted', command: process.execPath, args: [join(folder, 'agent.mjs'), calls] },
      ...{ prompt: 'stdin' as const, timeout_seconds: 60 },
      ...profile,
    },
  ];
  const signal = context.signal ?? new AbortController().signal;
  const executor = createAgentExecutor({ find: async (name) => (name === '(内置)' ? null : skill) });
  const result = await executor({
    step: step(fields),
    chain: { name: 'chain', steps: [] },
    try: 1,
    settings: { ...defaultSettings(), agents, default_agent: 'scripted' },
    upstream: [],
    stepFolder: join(folder, 'step'),
    workFolder: join(folder, 'work'),
    ownTimeoutMs: null,
    run: ({ shown: _, ...options }) => runProcess({ ...options, signal, graceMs: 100, keepCharacters: 1_000_000 }),
    write: () => undefined,
    hide: () => undefined,
    ...context,
    signal,
  });
  const prompts: string[] = [];
  for (let n = 1; ; n += 1) {
    try {
      prompts.push(readFileSync(join(calls, `prompt${n}`), 'utf8'));
    } catch {
      return { result, prompts };
    }
  }
}
