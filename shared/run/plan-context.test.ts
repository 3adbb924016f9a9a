import { expect, it } from 'vitest';
import type { Chain } from '../chain/chain.ts';
import { makePlan } from './plan.ts';
import { Plan } from './plan-schema.ts';

it('a plan says what an agent is given, for the steps that an agent does and only where it is known', () => {
  const step = (id: string, kind?: string) => ({
    ...{ id, skill_name: '(内置)', step_name: id, action: 'x', depends_on: [] },
    ...(kind === undefined ? {} : { kind }),
  });
  const chain: Chain = { name: 'c', steps: [step('a'), step('b', 'agent'), step('c', 'manual'), step('d')] };
  const context = { layers: [{ layer: 1, tokens: 12 }], instruction: null };
  const facts = { settings: { default_max_retries: 3 }, skillPath: () => null, locale: 'en' as const };
  const check = { hasSkill: () => true };
  const plan = makePlan(chain, { ...facts, facts: check, contextOf: ({ id }) => (id === 'd' ? undefined : context) });
  const contexts = Plan.parse(plan).execution_groups.flatMap(({ steps }) => steps.map((one) => one.context));
  expect(contexts).toEqual([context, context, undefined, undefined]);
  const without = makePlan(chain, { ...facts, facts: check });
  expect(without.execution_groups[0]!.steps.some((one) => 'context' in one)).toBe(false);
});
