import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Chain, Step } from './chain.ts';
import { parseChainFile } from './chain-file.ts';
import { milestoneReason } from './chain-texts.ts';
import { classifyMilestones, milestoneKeywords } from './milestones.ts';

function step(id: string, fields: Partial<Step> = {}): Step {
  return { id, skill_name: '', step_name: id, action: '', depends_on: [], ...fields };
}

function rulesOf(steps: Step[]): Record<string, number> {
  const chain: Chain = { name: 'x', steps };
  return Object.fromEntries([...classifyMilestones(chain)].map(([id, answer]) => [id, answer.rule]));
}

describe('classifyMilestones', () => {
  it('lets the first rule that answers win', () => {
    const marked = { is_milestone: true };
    const unmarked = { is_milestone: false };
    expect(
      rulesOf([
        step('yes', { failure_mode: marked, step_name: 'audit' }),
        step('no', { failure_mode: unmarked, step_name: 'audit' }),
        step('keyword', { step_name: 'audit', depends_on: ['yes'] }),
        step('bottleneck', { depends_on: ['keyword'] }),
        step('left', { depends_on: ['bottleneck'] }),
        step('right', { depends_on: ['bottleneck', 'bottleneck'] }),
        step('end', { depends_on: ['left', 'right'] }),
      ]),
    ).toEqual({ yes: 1, no: 2, keyword: 4, bottleneck: 5, left: 7, right: 7, end: 6 });
  });

  it('takes a stand-in neither for a last step nor for one that depends on another', () => {
    expect(
      rulesOf([
        step('first', { on_failure: 'mend' }),
        step('mend', { depends_on: ['first'] }),
        step('second', { depends_on: ['first'] }),
        step('third', { depends_on: ['second'], on_failure: 'audit' }),
        step('audit'),
      ]),
    ).toEqual({ first: 7, mend: 7, second: 7, third: 6, audit: 4 });
  });

  it('takes every step of a chain of one or two, but not against a mark', () => {
    expect(rulesOf([step('a')])).toEqual({ a: 3 });
    expect(rulesOf([step('a'), step('b', { failure_mode: { is_milestone: false } })])).toEqual({ a: 3, b: 2 });
    expect(rulesOf([step('a'), step('b', { depends_on: ['a'] }), step('c', { depends_on: ['b'] })])).toEqual({
      a: 7,
      b: 7,
      c: 6,
    });
  });

  it('knows 41 keywords, finds them inside words and in any case, the first of the list first', () => {
    expect(milestoneKeywords).toHaveLength(41);
    expect(new Set(milestoneKeywords).size).toBe(41);
    const tail = [step('x'), step('y', { depends_on: ['x'] }), step('z', { depends_on: ['y'] })];
    for (const keyword of milestoneKeywords) {
      const answer = classifyMilestones({
        name: 'n',
        steps: [step('s', { step_name: `·${keyword.toUpperCase()}·` }), ...tail],
      }).get('s')!;
      expect([answer.rule, answer.params['keyword']]).toEqual([4, keyword]);
    }
    const latest = classifyMilestones({
      name: 'n',
      steps: [step('s', { step_name: 'Fetch the latest release' }), ...tail],
    }).get('s')!;
    expect(latest.params).toEqual({ keyword: 'release' });
  });

  it('counts a step that names it twice once, and a step that depends on itself not at all', () => {
    expect(
      rulesOf([
        step('a', { depends_on: ['a'] }),
        step('b', { depends_on: ['a', 'a'] }),
        step('c', { depends_on: ['b'] }),
      ]),
    ).toEqual({
      a: 7,
      b: 7,
      c: 6,
    });
  });

  it('takes every end of a chain with several ends', () => {
    expect(rulesOf([step('a'), step('b', { depends_on: ['a'] }), step('c')])).toEqual({ a: 7, b: 6, c: 6 });
  });

  it('respects the marks of the release pipeline', () => {
    const text = readFileSync(new URL('fixtures/release-pipeline.json', import.meta.url), 'utf8');
    const answers = [...classifyMilestones(parseChainFile(text).chain).values()];
    expect(answers.map((answer) => [answer.is_milestone, answer.rule])).toEqual([
      [true, 1],
      [false, 2],
      [false, 2],
    ]);
  });

  it('gives the reasons of the seed for the same chain without marks', () => {
    const names = ['安全审计', '整理', '写说明'];
    const steps = names.map((name, at) =>
      step(`s${at}`, { step_name: name, depends_on: at === 0 ? [] : [`s${at - 1}`] }),
    );
    const reasons = [...classifyMilestones({ name: 'x', steps }).values()].map((answer) =>
      milestoneReason('zh-CN', answer),
    );
    expect(reasons).toEqual(['关键词匹配：“审计”', '默认规则（非关键节点）', '最终交付步骤']);
    const english = [...classifyMilestones({ name: 'x', steps }).values()].map((answer) =>
      milestoneReason('en', answer),
    );
    expect(english[0]).toBe('keyword "审计" in the name');
  });
});
