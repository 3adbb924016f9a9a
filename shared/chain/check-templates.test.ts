import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Step } from './chain.ts';
import { parseChainFile } from './chain-file.ts';
import { problemText } from './chain-texts.ts';
import { checkChain } from './check-chain.ts';

const facts = { hasSkill: () => true };

function step(id: string, fields: Partial<Step> = {}): Step {
  const failure_mode = { is_milestone: false };
  return { id, skill_name: '', step_name: id, action: 'do', depends_on: [], failure_mode, ...fields };
}

/** Findings of a step `z` behind `a`; beside it stands `b`, which neither of them waits for. */
function found(fields: Partial<Step>): string[] {
  const steps = [
    step('a', { variables: { outputs: { size: 'size' } } }),
    step('b', { variables: { outputs: { other: 'x' } } }),
    step('z', { depends_on: ['a'], ...fields }),
  ];
  return checkChain({ name: 'x', steps }, facts).map(({ severity, code, field }) => `${severity} ${code} ${field}`);
}

const cases: [string, Partial<Step>, string[]][] = [
  ['an unclosed template', { action: 'see {{ outputs.a' }, ['error template_error action']],
  [
    'an unknown filter, deep inside',
    { with: { x: [{ y: '{{ inputs.q | upper }}' }] } },
    ['error template_error with.x[0].y'],
  ],
  ['a call', { detail: '{{ inputs.get("x") }}' }, ['error template_error detail']],
  ['a safe output of a step before', { action: '{{ outputs.a | xml_escape }}' }, []],
  ['an output as it is', { action: '{{ outputs.a }}' }, ['warning unsafe_interpolation action']],
  ['the input as it is', { with: { x: '{{ input }}' } }, ['warning unsafe_interpolation with.x']],
  ['an output of a step beside', { action: '{{ outputs.b | tojson }}' }, ['warning can_not_exist action']],
  ['an output of no step', { action: '{{ outputs.gone | tojson }}' }, ['warning can_not_exist action']],
  ['a variable of a step before', { action: '{{ vars.size }}' }, []],
  ['a variable of a step beside', { action: '{{ vars.other }}' }, ['warning can_not_exist action']],
  ['an item outside of a fan_out', { action: '{{ item }}' }, ['warning can_not_exist action']],
  [
    'an item in a fan_out',
    { kind: 'fan_out', iterable: '{{ outputs.a }}', fan_out_template: { kind: 'agent', action: '{{ item }}' } },
    [],
  ],
  ['a condition that can not be read', { when: 'outputs.a ==' }, ['error template_error when']],
  ['a sentence as when', { when: 'if it is fine' }, ['error template_error when']],
  ['a sentence as condition', { condition: 'if it is fine' }, ['info condition_is_prose condition']],
  ['a broken condition with a root', { condition: 'outputs.a is fine' }, ['error template_error condition']],
  ['a condition', { condition: 'outputs.a contains "x"' }, []],
  ['a way by its own output', { route: [{ when: 'outputs.z == "x"', to: 'known' }] }, []],
  ['a way by nothing', { route: [{ when: '', to: 'known' }] }, ['error template_error route[0].when']],
  ['skip_if', { kind: 'user_input', clarify: { skip_if: '(' } }, ['error template_error clarify.skip_if']],
];

describe('checkChain on templates', () => {
  it.each(cases)('%s', (_title, fields, expected) => {
    expect(found(fields)).toEqual(expected);
  });

  it('gives the place of an error, and says it in one language', () => {
    const steps = [step('a', { action: 'one\n{{ foo }}' })];
    const [problem] = checkChain({ name: 'x', steps }, facts);
    expect(problem!.params).toMatchObject({ line: 2, column: 4, key: 'action' });
    expect(problemText('en', problem!)).toMatch(/\(line 2, column 4\)\. There is nothing named "foo"/);
    expect(problemText('zh-CN', problem!)).toMatch(/没有名为“foo”的变量/);
  });

  it('lets a stand-in read what its primary could read', () => {
    const steps = [
      step('a'),
      step('b', { depends_on: ['a'], on_failure: 'c' }),
      step('c', { action: '{{ outputs.a | xml_escape }}' }),
    ];
    expect(checkChain({ name: 'x', steps }, facts)).toEqual([]);
  });
});

describe('the chains in the description of the file format', () => {
  const page = readFileSync(new URL('../../docs/file-formats.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map((match) => match[1]!);
  const chains = examples.filter((text) => text.includes('"steps"'));

  it('are two, load, and pass the check', () => {
    expect(chains).toHaveLength(2);
    for (const text of chains) {
      const { chain, problems } = parseChainFile(text);
      const all = [...problems, ...checkChain(chain, facts)];
      expect(all.filter(({ severity }) => severity !== 'info').map(({ code }) => code)).toEqual([]);
    }
  });
});
