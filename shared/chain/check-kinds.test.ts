import { describe, expect, it } from 'vitest';
import type { Chain, Step } from './chain.ts';
import { problemText } from './chain-texts.ts';
import { checkChain } from './check-chain.ts';

const facts = { hasSkill: (name: string) => name === 'known' };

function step(fields: Partial<Step> = {}): Step {
  const failure_mode = { is_milestone: false };
  return {
    id: 'a',
    skill_name: '',
    step_name: fields.id ?? 'a',
    action: 'do',
    depends_on: [],
    failure_mode,
    ...fields,
  };
}

function errorsOf(steps: Step[], more: Partial<Chain> = {}): string[] {
  return checkChain({ name: 'x', steps, ...more }, facts)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, step_id, field }) => `${code} ${step_id} ${field}`);
}

function ask(fields: object[], mode?: 'form' | 'chat'): Partial<Step> {
  return { kind: 'user_input', clarify: { fields, ...(mode === undefined ? {} : { mode }) } as Step['clarify'] };
}
const each = { kind: 'fan_out', iterable: '{{ inputs.list }}' };

const kinds: [string, Partial<Step>, string[]][] = [
  ['tool_call without a tool', { kind: 'tool_call' }, ['tool_missing a tool']],
  ['tool_call', { kind: 'tool_call', tool: 'web_search', tool_allowlist: ['web_search'] }, []],
  [
    'a tool outside the list',
    { kind: 'tool_call', tool: 'x', tool_allowlist: ['y'] },
    ['tool_not_allowed a tool_allowlist'],
  ],
  ['an empty list of tools', { kind: 'tool_call', tool: 'x', tool_allowlist: [] }, ['list_of_texts a tool_allowlist']],
  ...['agent', 'llm_chat', 'user_input', 'manual'].map((kind): [string, Partial<Step>, string[]] => [
    `${kind} with a tool`,
    { kind, tool: 'x' },
    ['field_not_for_kind a tool'],
  ]),
  [
    'a list of tools without a tool',
    { kind: 'llm_chat', tool_allowlist: ['x'] },
    ['field_not_for_kind a tool_allowlist'],
  ],
  ['skill_exec with its own field', { kind: 'skill_exec', skill_name: 'known', skill_exec_entrypoint: 'run.py' }, []],
  ['skill_exec without', { kind: 'skill_exec', skill_name: 'known' }, ['entrypoint_missing a with.entrypoint']],
  ['llm_classify without labels', { kind: 'llm_classify' }, ['options_missing a with.options']],
  ['llm_classify with options', { kind: 'llm_classify', with: { options: ['a', 'b'] } }, []],
  ['llm_classify with choices', { kind: 'llm_classify', output_choices: ['a', 'b'] }, []],
  [
    'llm_classify with a label twice',
    { kind: 'llm_classify', with: { options: ['a', 'a'] } },
    ['options_missing a with.options'],
  ],
  ['a form without fields', ask([], 'form'), ['form_without_fields a clarify.fields']],
  ['a question', { kind: 'user_input' }, []],
  ['a field twice', ask([{ name: 'x' }, { name: 'x' }]), ['form_field_twice a clarify.fields[1]']],
  ['a choice of nothing', ask([{ name: 'x', type: 'enum' }]), ['form_enum_without_options a clarify.fields[0]']],
  ['options of a text', ask([{ name: 'x', options: ['a'] }]), ['form_options_without_enum a clarify.fields[0]']],
  ['an empty range', ask([{ name: 'x', type: 'number', min: 2, max: 1 }]), ['form_range_empty a clarify.fields[0]']],
  [
    'a default that does not fit',
    ask([{ name: 'x', type: 'integer', default: 1.5 }]),
    ['form_default_unfit a clarify.fields[0]'],
  ],
  ['a default among the options', ask([{ name: 'x', type: 'enum', options: ['a'], default: 'a' }]), []],
  [
    'fan_out without anything',
    { kind: 'fan_out' },
    ['iterable_missing a iterable', 'template_missing a fan_out_template'],
  ],
  ['fan_out', { ...each, fan_out_template: { kind: 'llm_chat' } }, []],
  ['fan_out in fan_out', { ...each, fan_out_template: { kind: 'fan_out' } }, ['template_kind a fan_out_template.kind']],
  [
    'questions in fan_out',
    { ...each, fan_out_template: { kind: 'user_input' } },
    ['template_kind a fan_out_template.kind'],
  ],
  [
    'a tool per item without a tool',
    { ...each, fan_out_template: { kind: 'tool_call' } },
    ['tool_missing a fan_out_template.tool'],
  ],
  [
    'a script per item without a skill',
    { ...each, fan_out_template: { kind: 'skill_exec', with: { entrypoint: 'x.py' } } },
    ['skill_needed a fan_out_template.skill_name'],
  ],
  [
    'properties of a text',
    { output_contract: { required_properties: ['x'] } },
    ['contract_needs_json a output_contract.required_properties'],
  ],
  ['properties of JSON', { output_contract: { format: 'json', required_properties: ['x'] } }, []],
  [
    'a property twice',
    { output_contract: { format: 'json', required_properties: ['x', 'x'] } },
    ['list_of_texts a output_contract.required_properties'],
  ],
  [
    'choices of a fan_out',
    { ...each, fan_out_template: { kind: 'agent' }, output_choices: ['x'] },
    ['field_not_for_kind a output_choices'],
  ],
];

const b = step({ id: 'b' });
const ways: [string, Step[], string[]][] = [
  [
    'a default in the middle',
    [step({ route: [{ to: 'b' }, { when: 'true', to: 'known' }] }), b],
    ['route_default_not_last a route[0]'],
  ],
  [
    'two defaults',
    [step({ route: [{ to: 'b' }, { to: 'known' }] }), b],
    ['route_default_not_last a route[0]', 'route_default_twice a route[1]'],
  ],
  ['a step and a skill', [step({ route: [{ when: 'true', to: 'known' }, { to: 'b' }] }), b], []],
  ['a way to itself', [step({ route: [{ to: 'a' }] })], ['route_to_itself a route[0].to']],
  ['a way to nothing', [step({ route: [{ to: 'gone' }] })], ['route_target_missing a route[0].to']],
  [
    'a way to a stand-in',
    [step({ route: [{ to: 'b' }] }), b, step({ id: 'c', on_failure: 'b' })],
    ['route_to_stand_in a route[0].to'],
  ],
  ['a stand-in', [step({ on_failure: 'b' }), b], []],
  ['no such stand-in', [step({ on_failure: 'gone' })], ['stand_in_missing a on_failure']],
  ['itself', [step({ on_failure: 'a' })], ['stand_in_itself a on_failure']],
  [
    'a stand-in of a stand-in',
    [step({ on_failure: 'b' }), { ...b, on_failure: 'c' }, step({ id: 'c' })],
    ['stand_in_has_own a on_failure'],
  ],
  ['one for two', [step({ on_failure: 'b' }), b, step({ id: 'c', on_failure: 'b' })], ['stand_in_shared c on_failure']],
  [
    'one that depends',
    [step({ on_failure: 'b' }), { ...b, depends_on: ['c'] }, step({ id: 'c' })],
    ['stand_in_depends b depends_on'],
  ],
  [
    'one that is needed',
    [step({ on_failure: 'b' }), b, step({ id: 'c', depends_on: ['b'] })],
    ['stand_in_needed c depends_on'],
  ],
  [
    'an id of a child',
    [step({ ...each, fan_out_template: { kind: 'agent' } }), step({ id: 'a_2' })],
    ['id_like_child a_2 id'],
  ],
  ['an id like that of no child', [step(), step({ id: 'a_2' })], []],
];

describe('checkChain on kinds', () => {
  it.each(kinds)('%s', (_title, fields, expected) => {
    expect(errorsOf([step(fields)])).toEqual(expected);
  });

  it.each(ways)('%s', (_title, steps, expected) => {
    expect(errorsOf(steps)).toEqual(expected);
  });

  it('knows four final texts', () => {
    for (const mode of ['auto', 'raw', 'structured', 'step:a']) {
      expect(errorsOf([step()], { final_text_mode: mode })).toEqual([]);
    }
    for (const mode of ['', 'step:', 'step:gone', 'Auto']) {
      expect(errorsOf([step()], { final_text_mode: mode })).toEqual(['final_text_unknown undefined final_text_mode']);
    }
  });

  it('says each in a full sentence with the next step, in both languages', () => {
    const chains = [...kinds.map(([, fields]) => [step(fields)]), ...ways.map(([, steps]) => steps)];
    for (const steps of chains) {
      for (const problem of checkChain({ name: 'x', steps, final_text_mode: 'no' }, facts)) {
        expect(problemText('en', problem)).toMatch(/^[A-Z][^{}]*\.$/);
        expect(problemText('zh-CN', problem)).toMatch(/^[^{}]*\p{Script=Han}[^{}]*。$/u);
      }
    }
  });
});
