import { type Chain, type ChainProblem, isBuiltInSkill, type Step, stepKind } from '../../../shared/chain/chain.ts';
import { checkChain, mergeProblems } from '../../../shared/chain/check-chain.ts';
import { classifyMilestones, type MilestoneAnswer } from '../../../shared/chain/milestones.ts';
import type { SkillState } from '../../../shared/skill/skill.ts';
import type { EditorFacts, SkillIndex } from './skill-facts.ts';

/** All that a card, a row of the outline or a name for the screen reader shows of one step. */
export interface StepCardModel {
  readonly id: string;
  /** Place in the file, from 1. */
  readonly number: number;
  readonly name: string;
  readonly skill: string;
  readonly builtIn: boolean;
  readonly emoji: string | null;
  /** null = not known yet, or built in. */
  readonly skillState: SkillState | 'missing' | null;
  readonly kind: string;
  readonly milestone: MilestoneAnswer;
  readonly explicitMilestone: boolean | null;
  readonly onExhaust: string;
  readonly retries: number;
  readonly condition: string;
  /** Numbers of the steps that it depends on, in words of the screen; unknown ones as written. */
  readonly after: string;
  readonly errors: number;
  readonly warnings: number;
}

export interface ChainLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The condition of the step it leads to, shown at the wire. */
  readonly condition: string;
}

/** What is shown of a chain; parts that did not change keep their identity from one view to the next. */
export interface ChainView {
  readonly cards: ReadonlyMap<string, StepCardModel>;
  readonly ids: readonly string[];
  readonly links: readonly ChainLink[];
  readonly problems: readonly ChainProblem[];
}

export function linkId(from: string, to: string): string {
  return `${from}->${to}`;
}

export interface ViewContext {
  readonly facts: EditorFacts;
  readonly skills: SkillIndex;
  /** What the text of the file alone showed; only for the chain as it is in the file. */
  readonly fileProblems: readonly ChainProblem[];
}

/** Reckons the view of a chain; `previous` lends its unchanged parts, so that only changed cards are drawn again. */
export function viewChain(
  chain: Chain,
  { facts, skills, fileProblems }: ViewContext,
  previous: ChainView | null,
): ChainView {
  const milestones = classifyMilestones(chain);
  const found = checkChain(chain, {
    hasSkill: (name) => skills.has(name),
    hasAction: (name, actionId) => hasAction(name, actionId, facts, skills),
    hasScript: (name, script) => hasScript(name, script, skills),
    ...(facts.agentNames.length > 0 ? { agentNames: [...facts.agentNames] } : {}),
    defaultAgent: facts.defaultAgent,
  });
  const problems = mergeProblems(fileProblems, found);
  const counts = countByStep(problems);
  const numbers = new Map(chain.steps.map((step, index) => [step.id, index + 1]));
  const cards = new Map<string, StepCardModel>();
  const links: ChainLink[] = [];
  const oldLinks = new Map(previous?.links.map((link) => [link.id, link]));
  for (const step of chain.steps) {
    const card = cardOf(step, { facts, skills, milestones, numbers, counts });
    const old = previous?.cards.get(step.id);
    cards.set(step.id, old !== undefined && sameCard(old, card) ? old : card);
    for (const from of new Set(step.depends_on)) {
      if (!numbers.has(from)) continue;
      const link = { id: linkId(from, step.id), from, to: step.id, condition: step.condition ?? '' };
      const oldLink = oldLinks.get(link.id);
      links.push(oldLink !== undefined && oldLink.condition === link.condition ? oldLink : link);
    }
  }
  const ids = chain.steps.map((step) => step.id);
  return {
    cards,
    ids: previous !== null && sameList(previous.ids, ids) ? previous.ids : ids,
    links: previous !== null && sameList(previous.links, links) ? previous.links : links,
    problems:
      previous !== null && JSON.stringify(previous.problems) === JSON.stringify(problems)
        ? previous.problems
        : problems,
  };
}

interface CardContext {
  readonly facts: EditorFacts;
  readonly skills: SkillIndex;
  readonly milestones: ReadonlyMap<string, MilestoneAnswer>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, { errors: number; warnings: number }>;
}

const noMilestone: MilestoneAnswer = { is_milestone: false, rule: 7, reason_code: 'none', params: {} };

function cardOf(step: Step, context: CardContext): StepCardModel {
  const builtIn = isBuiltInSkill(step.skill_name);
  const row = builtIn ? null : context.skills.find(step.skill_name);
  const known = context.skills.has(step.skill_name);
  const count = context.counts.get(step.id);
  return {
    id: step.id,
    number: context.numbers.get(step.id) ?? 0,
    name: step.step_name,
    skill: step.skill_name,
    builtIn,
    emoji: row?.emoji ?? null,
    skillState: builtIn || known === undefined ? null : (row?.state ?? 'missing'),
    kind: stepKind(step),
    milestone: context.milestones.get(step.id) ?? noMilestone,
    explicitMilestone: step.failure_mode?.is_milestone ?? null,
    onExhaust: step.failure_mode?.on_exhaust ?? 'ask',
    retries: step.retry_policy?.max_retries ?? context.facts.defaultMaxRetries,
    condition: step.condition ?? '',
    after: step.depends_on.map((id) => context.numbers.get(id) ?? id).join(', '),
    errors: count?.errors ?? 0,
    warnings: count?.warnings ?? 0,
  };
}

function sameCard(a: StepCardModel, b: StepCardModel): boolean {
  for (const key of Object.keys(b) as (keyof StepCardModel)[]) {
    if (key === 'milestone') continue;
    if (a[key] !== b[key]) return false;
  }
  return (
    a.milestone.rule === b.milestone.rule &&
    a.milestone.is_milestone === b.milestone.is_milestone &&
    JSON.stringify(a.milestone.params) === JSON.stringify(b.milestone.params)
  );
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

function countByStep(problems: readonly ChainProblem[]): Map<string, { errors: number; warnings: number }> {
  const counts = new Map<string, { errors: number; warnings: number }>();
  for (const problem of problems) {
    if (problem.step_id === undefined) continue;
    const count = counts.get(problem.step_id) ?? { errors: 0, warnings: 0 };
    if (problem.severity === 'error') count.errors += 1;
    if (problem.severity === 'warning') count.warnings += 1;
    counts.set(problem.step_id, count);
  }
  return counts;
}

function hasAction(name: string, actionId: string, facts: EditorFacts, skills: SkillIndex): boolean | undefined {
  if (facts.actions === null) return undefined;
  return skills.actionsOf(name)?.actions.some((entry) => entry.action.id === actionId) ?? false;
}

function hasScript(name: string, script: string, skills: SkillIndex): boolean | undefined {
  const row = skills.find(name);
  if (row === null) return undefined;
  const wanted = script.replaceAll('\\', '/').replace(/^\.\//, '');
  return row.scripts.some((path) => path === wanted || path === `scripts/${wanted}`) || undefined;
}
