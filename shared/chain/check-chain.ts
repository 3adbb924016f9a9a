import { findCycle } from '../graph/find-cycle.ts';
import {
  type Chain,
  type ChainProblem,
  ExecArguments,
  isBuiltInSkill,
  type Step,
  stepKind,
  stepKinds,
  unresolvedIndex,
} from './chain.ts';
import { chainGraph } from './chain-graph.ts';
import { checkChildIds, checkKindFields, entrypointOf } from './check-kinds.ts';
import { checkTemplates } from './check-templates.ts';
import { checkWays } from './check-ways.ts';
import { isJsonObject, sameJson } from './json-value.ts';
import { classifyMilestones, type MilestoneAnswer } from './milestones.ts';
import type { Report } from './report.ts';

/** What the check has to know of the world; `undefined` = not known, so nothing is called missing. */
export interface ChainFacts {
  hasSkill(skillName: string): boolean | undefined;
  hasAction?(skillName: string, actionId: string): boolean | undefined;
  hasScript?(skillName: string, script: string): boolean | undefined;
  readonly agentNames?: readonly string[];
  readonly defaultAgent?: string;
}

export const maxRetries = 10;

/**
 * Everything that is wrong or doubtful in a chain. A chain with an error can not run; a warning never stops it. Steps
 * are numbered from 1 as on the screen. Texts: `problemText`. Linear.
 */
export function checkChain(chain: Chain, facts: ChainFacts): ChainProblem[] {
  const problems: ChainProblem[] = [];
  if (chain.name.trim() === '') problems.push({ severity: 'error', code: 'no_name', field: 'name', params: {} });
  if (chain.steps.length === 0) problems.push({ severity: 'error', code: 'no_steps', field: 'steps', params: {} });
  const milestones = classifyMilestones(chain);
  const known = new Set(chain.steps.map((step) => step.id));
  const names = new Map<string, number>();
  const numbers = new Map(chain.steps.map((step, place) => [step.id, place + 1]));
  const reportOf =
    (step: Step): Report =>
    (severity, code, field, params = {}) =>
      problems.push({ severity, code, step_id: step.id, field, params: { step: numbers.get(step.id)!, ...params } });
  chain.steps.forEach((step, place) => {
    const number = place + 1;
    const report = reportOf(step);
    checkName(step, number, names, report);
    checkDependencies(step, known, report);
    checkSkill(step, facts, report);
    checkKind(step, facts, report);
    checkFailure(step, milestones.get(step.id)!, report);
  });
  checkWays(chain, (name) => facts.hasSkill(name), reportOf);
  checkChildIds(chain.steps, reportOf);
  checkTemplates(chain, reportOf);
  checkFinalText(chain, known, problems);
  const cycle = findCycle(withoutLoops(chain));
  if (cycle !== null) {
    const places = new Map(chain.steps.map((step, place) => [step.id, `${place + 1} ${step.step_name}`.trim()]));
    problems.push({
      severity: 'error',
      code: 'cycle',
      step_id: cycle[0]!,
      field: 'depends_on',
      params: { path: cycle.map((id) => places.get(id)!).join(' → '), ids: cycle.join(' ') },
    });
  }
  return problems;
}

/** Two lists of findings as one, each finding once: the file's own and the check's partly say the same. */
export function mergeProblems(first: readonly ChainProblem[], second: readonly ChainProblem[]): ChainProblem[] {
  const seen = new Map<string, ChainProblem[]>();
  return [...first, ...second].filter((problem) => {
    const key = `${problem.code} ${problem.step_id ?? ''}`;
    const same = seen.get(key) ?? [];
    if (same.some((other) => sameJson(other, problem))) return false;
    seen.set(key, [...same, problem]);
    return true;
  });
}

function checkFinalText({ final_text_mode: mode }: Chain, known: ReadonlySet<string>, problems: ChainProblem[]): void {
  if (mode === undefined || ['auto', 'raw', 'structured'].includes(mode)) return;
  if (mode.startsWith('step:') && known.has(mode.slice('step:'.length))) return;
  problems.push({ severity: 'error', code: 'final_text_unknown', field: 'final_text_mode', params: { mode } });
}

function checkName(step: Step, number: number, names: Map<string, number>, report: Report): void {
  const name = step.step_name.trim();
  if (name === '') {
    report('warning', 'step_name_missing', 'step_name');
    return;
  }
  const first = names.get(name);
  if (first === undefined) names.set(name, number);
  else report('warning', 'step_name_twice', 'step_name', { first, name });
}

function checkDependencies(step: Step, known: ReadonlySet<string>, report: Report): void {
  const seen = new Set<string>();
  for (const id of step.depends_on) {
    if (seen.has(id)) {
      report('warning', 'dependency_twice', 'depends_on');
      continue;
    }
    seen.add(id);
    if (id === step.id) report('error', 'depends_on_itself', 'depends_on');
    else if (!known.has(id)) report('error', 'dependency_missing', 'depends_on', { index: unresolvedIndex(id) ?? id });
  }
}

function checkSkill(step: Step, facts: ChainFacts, report: Report): void {
  const kind = stepKind(step);
  if (isBuiltInSkill(step.skill_name)) {
    if (kind === 'action' || kind === 'skill_exec') report('error', 'skill_needed', 'skill_name', { kind });
  } else if (facts.hasSkill(step.skill_name) === false) {
    report('error', 'skill_missing', 'skill_name', { skill: step.skill_name });
  }
}

function checkKind(step: Step, facts: ChainFacts, report: Report): void {
  const kind = stepKind(step);
  if (!(stepKinds as readonly string[]).includes(kind)) {
    report('error', 'kind_unknown', 'kind', { kind, known: stepKinds.join(', ') });
    return;
  }
  checkKindFields(step, report);
  if (kind === 'action') checkAction(step, facts, report);
  else if (kind === 'skill_exec') checkScript(step, facts, report);
  else if (kind === 'agent') checkAgent(step, facts, report);
  else if (kind === 'fan_out') checkTemplateParts(step, facts, report);
  const said = [step.action, step.detail ?? '', step.skill_instruction ?? ''].some((text) => text.trim() !== '');
  if (!said && (kind === 'agent' || kind === 'manual')) report('warning', 'action_text_missing', 'action');
}

/** The step that a `fan_out` does for each item, as if it stood in the chain by itself. */
function checkTemplateParts(step: Step, facts: ChainFacts, report: Report): void {
  const template = step.fan_out_template;
  if (template === undefined) return;
  const named = template.skill_name ?? template['skill'];
  const child: Step = {
    ...template,
    id: step.id,
    step_name: step.step_name,
    skill_name: typeof named === 'string' ? named : step.skill_name,
    action: template.action ?? step.action,
    depends_on: [],
  };
  const inside: Report = (severity, code, field, params) => report(severity, code, `fan_out_template.${field}`, params);
  if (child.skill_name !== step.skill_name || isBuiltInSkill(child.skill_name)) checkSkill(child, facts, inside);
  if (child.kind === 'action') checkAction(child, facts, inside);
  else if (child.kind === 'skill_exec') checkScript(child, facts, inside);
  else if (child.kind === 'agent') checkAgent(child, facts, inside);
}

function checkAction(step: Step, facts: ChainFacts, report: Report): void {
  const { action, input } = step.with ?? {};
  if (input !== undefined && !isJsonObject(input)) {
    report('error', 'with_invalid', 'with.input', { key: 'with.input', expected: 'type:object' });
  }
  if (typeof action !== 'string' || action.trim() === '') {
    report('error', 'action_missing', 'with.action', { skill: step.skill_name });
    return;
  }
  if (mayHave(step, facts) && facts.hasAction?.(step.skill_name, action) === false) {
    report('error', 'action_unknown', 'with.action', { skill: step.skill_name, action });
  }
}

function checkScript(step: Step, facts: ChainFacts, report: Report): void {
  const { args, stdin } = step.with ?? {};
  const { value: entrypoint, field } = entrypointOf(step);
  if (args !== undefined && !ExecArguments.safeParse(args).success) {
    report('error', 'with_invalid', 'with.args', { key: 'with.args', expected: 'type:scalars' });
  }
  if (stdin !== undefined && typeof stdin !== 'string') {
    report('error', 'with_invalid', 'with.stdin', { key: 'with.stdin', expected: 'type:string' });
  }
  if (typeof entrypoint !== 'string' || entrypoint.trim() === '') {
    report('error', 'entrypoint_missing', field, { skill: step.skill_name });
    return;
  }
  if (mayHave(step, facts) && facts.hasScript?.(step.skill_name, entrypoint) === false) {
    report('error', 'script_missing', field, { skill: step.skill_name, script: entrypoint });
  }
}

function checkAgent(step: Step, facts: ChainFacts, report: Report): void {
  const profile = step.with?.['profile'];
  if (profile !== undefined && typeof profile !== 'string') {
    report('error', 'with_invalid', 'with.profile', { key: 'with.profile', expected: 'type:string' });
    return;
  }
  const agent = profile === undefined || profile === '' ? facts.defaultAgent : profile;
  if (agent === undefined || facts.agentNames === undefined || facts.agentNames.includes(agent)) return;
  report('error', 'agent_unknown', 'with.profile', { agent });
}

/** A skill that is missing itself is said once, not once more for each of its parts. */
function mayHave(step: Step, facts: ChainFacts): boolean {
  return !isBuiltInSkill(step.skill_name) && facts.hasSkill(step.skill_name) !== false;
}

function checkFailure(step: Step, milestone: MilestoneAnswer, report: Report): void {
  const retries = step.retry_policy?.max_retries;
  if (retries !== undefined && retries > maxRetries) {
    report('error', 'retries_out_of_range', 'retry_policy.max_retries', { retries, limit: maxRetries });
  }
  if (step.retry_policy?.error_types?.includes('auth_error')) {
    report('warning', 'auth_never_retried', 'retry_policy.error_types');
  }
  const onExhaust = step.failure_mode?.on_exhaust;
  // Where the file says nothing there is nothing to contradict; else every new chain began with a warning.
  if (milestone.is_milestone && onExhaust !== undefined && onExhaust !== 'abort') {
    report('warning', 'milestone_not_abort', 'failure_mode.on_exhaust', { on_exhaust: onExhaust });
  }
}

/** A step that depends on itself is reported as that, not as a cycle. */
function withoutLoops(chain: Chain): ReturnType<typeof chainGraph> {
  const graph = chainGraph(chain);
  return { ids: graph.ids, dependsOn: (id) => graph.dependsOn(id).filter((other) => other !== id) };
}
