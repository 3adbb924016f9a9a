import { describe, expect, it } from 'vitest';
import { type Chain, ChainProblem, type Step } from './chain.ts';
import { parseChainFile } from './chain-file.ts';
import { type ProblemCode, problemText } from './chain-texts.ts';
import { type ChainFacts, checkChain, mergeProblems } from './check-chain.ts';

const facts: ChainFacts = {
  hasSkill: (name) => name === 'known',
  hasAction: (_skill, action) => action === 'count',
  hasScript: (_skill, script) => script === 'run.py',
  agentNames: ['claude'],
  defaultAgent: 'claude',
};

function step(fields: Partial<Step> = {}): Step {
  return { id: 'a', skill_name: 'known', step_name: 'Read', action: 'do it', depends_on: [], ...ended, ...fields };
}
const ended = { failure_mode: { on_exhaust: 'abort' as const } };

function codesOf(chain: Partial<Chain>, known: ChainFacts = facts): string[] {
  return checkChain({ name: 'x', steps: [step()], ...chain }, known).map(
    (problem) => `${problem.severity} ${problem.code}`,
  );
}

describe('checkChain', () => {
  it('finds nothing in a good chain', () => {
    expect(codesOf({})).toEqual([]);
  });

  const cases: [string, Partial<Chain>, string[]][] = [
    ['no name', { name: ' ' }, ['error no_name']],
    ['no steps', { steps: [] }, ['error no_steps']],
    ['a step without a name', { steps: [step({ step_name: '' })] }, ['warning step_name_missing']],
    ['a missing skill', { steps: [step({ skill_name: 'gone' })] }, ['error skill_missing']],
    ['a built-in skill', { steps: [step({ skill_name: '(内置)' })] }, []],
    ['an agent step without a task', { steps: [step({ action: ' ' })] }, ['warning action_text_missing']],
    ['an agent step that only has a detail', { steps: [step({ action: '', detail: 'so' })] }, []],
    ['a dependency on nothing', { steps: [step({ depends_on: ['?4'] })] }, ['error dependency_missing']],
    [
      'a dependency twice',
      { steps: [step(), step({ id: 'b', step_name: 'B', depends_on: ['a', 'a'] })] },
      ['warning dependency_twice'],
    ],
    ['a dependency on itself', { steps: [step({ depends_on: ['a'] })] }, ['error depends_on_itself']],
    ['an unknown kind', { steps: [step({ kind: 'robot' })] }, ['error kind_unknown']],
    ['no action', { steps: [step({ kind: 'action' })] }, ['error action_missing']],
    ['an unknown action', { steps: [step({ kind: 'action', with: { action: 'x' } })] }, ['error action_unknown']],
    [
      'a known action with a bad input',
      { steps: [step({ kind: 'action', with: { action: 'count', input: 5 } })] },
      ['error with_invalid'],
    ],
    [
      'an action of no skill',
      { steps: [step({ kind: 'action', skill_name: '', with: { action: 'x' } })] },
      ['error skill_needed'],
    ],
    [
      'an action of a missing skill',
      { steps: [step({ kind: 'action', skill_name: 'gone', with: { action: 'x' } })] },
      ['error skill_missing'],
    ],
    ['no script', { steps: [step({ kind: 'skill_exec' })] }, ['error entrypoint_missing']],
    [
      'an unknown script',
      { steps: [step({ kind: 'skill_exec', with: { entrypoint: 'x.py' } })] },
      ['error script_missing'],
    ],
    [
      'arguments that are texts, numbers and truth values',
      { steps: [step({ kind: 'skill_exec', with: { entrypoint: 'run.py', args: ['a', 1.5, true, ''] } })] },
      [],
    ],
    ...[[null], [['a']], [{ a: 1 }], 'a', { 0: 'a' }, null, 5].map(
      (args) =>
        [
          `arguments ${JSON.stringify(args)}`,
          { steps: [step({ kind: 'skill_exec', with: { entrypoint: 'run.py', args } })] },
          ['error with_invalid'],
        ] as [string, Partial<Chain>, string[]],
    ),
    [
      'input that is no text',
      { steps: [step({ kind: 'skill_exec', with: { entrypoint: 'run.py', stdin: 1 } })] },
      ['error with_invalid'],
    ],
    ['an unknown agent', { steps: [step({ with: { profile: 'nobody' } })] }, ['error agent_unknown']],
    ['an agent that is no text', { steps: [step({ with: { profile: 1 } })] }, ['error with_invalid']],
    [
      'a person needs no skill and no agent',
      { steps: [step({ kind: 'manual', skill_name: '', with: { profile: 'nobody' } })] },
      [],
    ],
    ['too many retries', { steps: [step({ retry_policy: { max_retries: 11 } })] }, ['error retries_out_of_range']],
    [
      'auth errors to be retried',
      { steps: [step({ retry_policy: { error_types: ['auth_error'] } })] },
      ['warning auth_never_retried'],
    ],
    [
      'a milestone that says skip',
      { steps: [step({ failure_mode: { on_exhaust: 'skip' } })] },
      ['warning milestone_not_abort'],
    ],
    ['nothing of a milestone that leaves it to the rule', { steps: [step()] }, []],
    ['a condition in words', { steps: [step({ condition: '只有通过才继续' })] }, ['info condition_is_prose']],
    ['a condition', { steps: [step({ condition: 'inputs.x == 1' })] }, []],
    ['two steps of one name', { steps: [step(), step({ id: 'b' })] }, ['warning step_name_twice']],
  ];

  it.each(cases)('reports: %s', (_title, chain, expected) => {
    expect(codesOf(chain)).toEqual(expected);
  });

  it('calls nothing missing that is not known', () => {
    const unknown: ChainFacts = { hasSkill: () => undefined };
    const steps = [
      step({ kind: 'action', with: { action: 'x' } }),
      step({ id: 'b', step_name: 'B', with: { profile: 'p' } }),
    ];
    expect(codesOf({ steps }, unknown)).toEqual([]);
  });

  it('names the circle by numbers and names, and a step on itself only once', () => {
    const steps = [
      step({ id: 'x', step_name: 'X', depends_on: ['x'] }),
      step({ id: 'a', step_name: 'A', depends_on: ['c'] }),
      step({ id: 'b', step_name: '', depends_on: ['a'] }),
      step({ id: 'c', step_name: 'C', depends_on: ['b'] }),
    ];
    const problems = checkChain({ name: 'n', steps }, facts).filter((problem) => problem.severity === 'error');
    expect(problems.map((problem) => [problem.code, problem.step_id])).toEqual([
      ['depends_on_itself', 'x'],
      ['cycle', 'a'],
    ]);
    expect(problemText('en', problems[1]!)).toBe(
      'These steps depend on each other in a circle: 2 A → 3 → 4 C → 2 A. Remove one of these connections.',
    );
  });

  it('ties every finding to its step and field, with a full sentence in both languages', () => {
    for (const [, chain] of cases) {
      for (const problem of checkChain({ name: 'x', steps: [step()], ...chain }, facts)) {
        expect(ChainProblem.safeParse(problem).success).toBe(true);
        expect(problem.field).toBeTruthy();
        for (const locale of ['en', 'zh-CN'] as const) {
          const text = problemText(locale, problem);
          expect(text).not.toMatch(/\{\w+\}|type:/);
          expect(text).toMatch(locale === 'en' ? /^[A-Z].*\.$/ : /\p{Script=Han}/u);
        }
      }
    }
  });

  it('shows the code of a finding that this room does not know', () => {
    expect(problemText('en', { code: 'constructor', params: {} })).toBe('constructor');
  });

  it('asks about each of 5,000 steps a fixed number of times', () => {
    let asked = 0;
    const counting: ChainFacts = {
      hasSkill: () => {
        asked += 1;
        return true;
      },
    };
    const steps = Array.from({ length: 5000 }, (_step, at) =>
      step({ id: `s${at}`, step_name: `${at}`, depends_on: at === 0 ? [] : [`s${at - 1}`] }),
    );
    expect(checkChain({ name: 'x', steps }, counting)).toEqual([]);
    expect(asked).toBe(5000);
  });
});

describe('mergeProblems', () => {
  it('says what the file and the check both found once', () => {
    const { chain, problems } = parseChainFile(
      '{"name": "n", "steps": [{"step_name": "a", "depends_on": [3, 4]}], "steps2": 1}',
    );
    const merged = mergeProblems(problems, checkChain(chain, { hasSkill: () => true }));
    const codes = merged.map((problem) => problem.code as ProblemCode);
    expect(codes.filter((code) => code === 'dependency_missing')).toHaveLength(2);
    expect(merged.length).toBeLessThan(problems.length + checkChain(chain, { hasSkill: () => true }).length);
  });
});

describe('findings of the file', () => {
  it('have a full sentence in both languages too', () => {
    const text =
      '{"name":"a","name":"b","steps":[{"id":"x"},{"id":"x","index":1,"depends_on":["1"]},{"id":5,"depends_on":null},{"depends_on":[9]}]}';
    const { problems } = parseChainFile(text);
    expect(new Set(problems.map((problem) => problem.code)).size).toBe(7);
    for (const problem of problems) {
      expect(problemText('en', problem)).toMatch(/^[A-Z][^{}]*\.$/);
      expect(problemText('zh-CN', problem)).toMatch(/^[^{}]*\p{Script=Han}[^{}]*。$/u);
    }
  });
});
