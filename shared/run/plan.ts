import { type Chain, type ChainProblem, isBuiltInSkill, type Step, stepKind } from '../chain/chain.ts';
import { chainGraph } from '../chain/chain-graph.ts';
import { milestoneReason } from '../chain/chain-texts.ts';
import { type ChainFacts, checkChain } from '../chain/check-chain.ts';
import { classifyMilestones } from '../chain/milestones.ts';
import { findCycle } from '../graph/find-cycle.ts';
import { waves } from '../graph/waves.ts';
import type { Settings } from '../settings/settings.ts';
import { defineTexts, fillText, type Locale } from '../text/texts.ts';
import type { Plan, PlanContext, PlanStep } from './plan-schema.ts';

export interface PlanFacts {
  readonly settings: Pick<Settings, 'default_max_retries'>;
  /** The folder of a skill; null for a built-in one, "" for one that is not installed. */
  skillPath(name: string): string | null;
  /** What the check may know about skills, actions and agents. */
  readonly facts: ChainFacts;
  readonly locale: Locale;
  /** What an agent is given for a step; undefined where it is not known or no agent does it. */
  contextOf?(step: Step): PlanContext | undefined;
}

/**
 * What a run of the chain would do, in groups that may run side by side. The keys are those of skill-sub's plan. Never
 * throws: what is wrong with the chain is in `problems`; a chain whose steps wait for each other in a circle has no
 * groups.
 */
export function makePlan(chain: Chain, { settings, skillPath, facts, locale, contextOf }: PlanFacts): Plan {
  const indexes = new Map(chain.steps.map((step, position) => [step.id, position + 1]));
  const milestones = classifyMilestones(chain);
  const planned = (step: Step): PlanStep => {
    const answer = milestones.get(step.id)!;
    const context = stepKind(step) === 'agent' ? contextOf?.(step) : undefined;
    return {
      step_index: indexes.get(step.id)!,
      step_id: step.id,
      kind: stepKind(step),
      skill_name: step.skill_name,
      step_name: step.step_name,
      action: step.action,
      skill_instruction: step.skill_instruction ?? '',
      detail: step.detail ?? '',
      condition: step.condition ?? '',
      skill_path: isBuiltInSkill(step.skill_name) ? null : skillPath(step.skill_name),
      depends_on: step.depends_on.flatMap((id) => indexes.get(id) ?? []).sort((a, b) => a - b),
      input_vars: step.variables?.inputs ?? {},
      output_vars: step.variables?.outputs ?? {},
      retry_policy: {
        max_retries: step.retry_policy?.max_retries ?? settings.default_max_retries,
        error_types: step.retry_policy?.error_types ?? [],
      },
      failure_mode: { on_exhaust: step.failure_mode?.on_exhaust ?? 'ask', is_milestone: answer.is_milestone },
      milestone_reason: milestoneReason(locale, answer),
      ...(context === undefined ? {} : { context }),
    };
  };
  const problems: ChainProblem[] = checkChain(chain, facts);
  const groups = groupsOf(chain);
  return {
    chain_name: chain.name,
    description: chain.description ?? '',
    purpose: chain.purpose ?? '',
    user_intent: chain.user_intent ?? '',
    total_steps: chain.steps.length,
    missing_skills: missingSkills(chain, skillPath),
    default_max_retries: settings.default_max_retries,
    execution_groups: groups.map((steps, position) => ({
      group_index: position + 1,
      can_parallel: steps.length > 1,
      steps: steps.map(planned),
    })),
    variable_flow: chain.steps
      .filter((step) => Object.keys(step.variables?.outputs ?? {}).length > 0)
      .map((step) => ({
        from_step: indexes.get(step.id)!,
        from_step_name: step.step_name,
        outputs: step.variables?.outputs ?? {},
      })),
    milestone_analysis: chain.steps.map((step) => {
      const answer = milestones.get(step.id)!;
      return {
        step_index: indexes.get(step.id)!,
        is_milestone: answer.is_milestone,
        reason: milestoneReason(locale, answer),
        rule: answer.rule,
      };
    }),
    ai_instructions: instructions(chain, groups.length, locale),
    problems,
  };
}

/** Steps by the length of their longest way back to a root; none when they wait for each other in a circle. */
function groupsOf(chain: Chain): Step[][] {
  const graph = chainGraph(chain);
  if (findCycle(graph) !== null) return [];
  const steps = new Map(chain.steps.map((step) => [step.id, step]));
  return waves(graph).map((ids) => ids.map((id) => steps.get(id)!));
}

function missingSkills(chain: Chain, skillPath: (name: string) => string | null): string[] {
  const names = chain.steps.map((step) => step.skill_name).filter((name) => !isBuiltInSkill(name));
  return [...new Set(names)].filter((name) => skillPath(name) === '');
}

function instructions(chain: Chain, groups: number, locale: Locale): string {
  return fillText(instructionTexts[locale].all, { name: chain.name, steps: chain.steps.length, groups });
}

const instructionTexts = defineTexts<'all'>({
  en: {
    all: [
      'Carry out the chain "{name}": {steps} steps in {groups} groups.',
      '1. Take the groups in order. Steps of one group do not depend on each other and may run side by side.',
      '2. Do each step from its "action" first. Read the part of SKILL.md that "skill_instruction" names only when that is not enough, and the whole SKILL.md only when that is not enough either.',
      '3. Hand the outputs of a step to the steps that depend on it.',
      '4. After a failure, repeat the step as its "retry_policy" says: file_locked at once, network_error and timeout after 5 seconds, other after 2 seconds. Never repeat auth_error: ask the person.',
      '5. When a milestone has failed for good, stop. For any other step do what "on_exhaust" says: ask, skip or abort.',
      '6. Report each step as it ends, and all of them at the end.',
    ].join('\n'),
  },
  'zh-CN': {
    all: [
      '执行调用链“{name}”：共 {steps} 步，分 {groups} 组。',
      '1. 按顺序处理各组；同一组内的步骤互不依赖，可以并行。',
      '2. 每一步先只根据“action”执行；不够时再读取 SKILL.md 中“skill_instruction”所指的片段；仍不够时才读取整个 SKILL.md。',
      '3. 把步骤的输出交给依赖它的步骤。',
      '4. 失败后按“retry_policy”重试：file_locked 立即重试，network_error 与 timeout 间隔 5 秒，other 间隔 2 秒；auth_error 不重试，直接询问用户。',
      '5. 里程碑步骤最终失败时立即停止；其他步骤按“on_exhaust”处理：ask 询问、skip 跳过、abort 中止。',
      '6. 每一步结束后汇报，最后汇总全部结果。',
    ].join('\n'),
  },
});
