import type { TextParams } from '../text/texts.ts';
import type { Chain, Step } from './chain.ts';

export type MilestoneReason =
  | 'explicit_yes'
  | 'explicit_no'
  | 'short_chain'
  | 'keyword'
  | 'bottleneck'
  | 'last_step'
  | 'none';

export interface MilestoneAnswer {
  readonly is_milestone: boolean;
  /** Number of the rule that answered. */
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  readonly reason_code: MilestoneReason;
  readonly params: TextParams;
}

/** Words that make a step a milestone, in the order in which they are tried (skill-sub 1.2). */
export const milestoneKeywords: readonly string[] = [
  ...['审计', '安全', '部署', '发布', '上线', '打包', '测试', '验证', '校验', '审批', '审核'],
  ...['付款', '支付', '下单', '提交', '推送', '导入', '导出', '迁移', '备份', '恢复'],
  ...['audit', 'deploy', 'release', 'publish', 'push', 'test', 'verify', 'validate'],
  ...['approve', 'review', 'payment', 'submit', 'import', 'export', 'migrate'],
  ...['backup', 'restore', 'build', 'compile', 'install'],
];

/**
 * Whether each step is a milestone, by id. The first rule that answers wins: 1 marked yes, 2 marked no, 3 a chain of one
 * or two steps, 4 a keyword in the step's name (part of a word is enough, case ignored), 5 two or more steps depend on
 * it directly, 6 no other step depends on it, 7 none. A stand-in runs only when another step failed: it is no last step,
 * and does not count as a step that depends on others. Linear.
 */
export function classifyMilestones(chain: Chain): Map<string, MilestoneAnswer> {
  const standIns = new Set(
    chain.steps.flatMap(({ id, on_failure }) => (on_failure === undefined || on_failure === id ? [] : [on_failure])),
  );
  const dependents = countDependents(chain, standIns);
  const short = chain.steps.length <= 2;
  const answers = new Map<string, MilestoneAnswer>();
  for (const step of chain.steps) {
    const count = dependents.get(step.id) ?? 0;
    answers.set(step.id, classify(step, count, short, standIns.has(step.id)));
  }
  return answers;
}

function classify(step: Step, dependents: number, short: boolean, isStandIn: boolean): MilestoneAnswer {
  const marked = step.failure_mode?.is_milestone;
  if (marked === true) return { is_milestone: true, rule: 1, reason_code: 'explicit_yes', params: {} };
  if (marked === false) return { is_milestone: false, rule: 2, reason_code: 'explicit_no', params: {} };
  if (short) return { is_milestone: true, rule: 3, reason_code: 'short_chain', params: {} };
  const lowered = step.step_name.toLowerCase();
  const keyword = milestoneKeywords.find((word) => lowered.includes(word));
  if (keyword !== undefined) return { is_milestone: true, rule: 4, reason_code: 'keyword', params: { keyword } };
  if (dependents >= 2) {
    return { is_milestone: true, rule: 5, reason_code: 'bottleneck', params: { count: dependents } };
  }
  if (dependents === 0 && !isStandIn) return { is_milestone: true, rule: 6, reason_code: 'last_step', params: {} };
  return { is_milestone: false, rule: 7, reason_code: 'none', params: {} };
}

/** How many other steps that are no stand-ins name each step as a dependency. */
function countDependents(chain: Chain, standIns: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const step of chain.steps) {
    if (standIns.has(step.id)) continue;
    for (const id of new Set(step.depends_on)) {
      if (id !== step.id) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}
