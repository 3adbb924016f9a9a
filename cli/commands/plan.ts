import type { Plan, PlanStep } from '../../shared/run/plan-schema.ts';
import { neededName, withSuggestion } from '../chain-by-name.ts';
import type { CommandContext } from '../command-context.ts';
import { withServices } from '../open-services.ts';
import type { Output } from '../output.ts';
import { printProblems } from '../print-problems.ts';

/** `plan`: what a run would do. `--json` has the keys of skill-sub's plan. Exit code 1 when the chain can not run. */
export function plan(
  options: { name?: string | undefined; verbose?: boolean },
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const name = neededName(options.name, output);
  return withServices(context, async (services) => {
    const made = await withSuggestion(name, services.chains, output, () =>
      services.planChain(name, undefined, output.locale),
    );
    output.value(made);
    printPlan(made, options.verbose ?? false, output);
    const { errors } = printProblems(made.problems, output);
    return errors === 0 ? 0 : 1;
  });
}

function printPlan(made: Plan, verbose: boolean, output: Output): void {
  const groups = made.execution_groups.length;
  output.line(output.text('plan_title', { name: made.chain_name, steps: made.total_steps, groups }));
  if (made.description !== '') output.line(output.text('description', { text: made.description }));
  for (const group of made.execution_groups) {
    output.line();
    output.line(output.text(group.can_parallel ? 'group_parallel' : 'group', { number: group.group_index }));
    for (const step of group.steps) printStep(step, verbose, output);
  }
  output.line();
  if (made.missing_skills.length > 0) output.line(output.text('missing', { names: made.missing_skills.join(', ') }));
}

function printStep(step: PlanStep, verbose: boolean, output: Output): void {
  const { is_milestone: isMilestone, on_exhaust: onExhaust } = step.failure_mode;
  const skill = step.skill_name === '' ? '' : ` [${step.skill_name}]`;
  const waits =
    step.depends_on.length === 0 ? '' : `  ${output.text('waits_for', { steps: step.depends_on.join(', ') })}`;
  output.line(`  ${step.step_index}. ${step.step_name}${skill}${isMilestone ? ' *' : ''}${waits}`);
  if (step.action !== '') output.line(`       ${step.action}`);
  const retries = output.text('retries', { count: step.retry_policy.max_retries });
  const then = output.text(isMilestone ? 'on_milestone' : (`on_exhaust_${onExhaust}` as const));
  output.line(`       ${retries}, ${then}`);
  if (isMilestone || verbose) output.line(`       ${output.text('because', { text: step.milestone_reason })}`);
  if (step.context !== undefined) {
    const { layers, instruction } = step.context;
    const counts = layers
      .map(({ layer, tokens }) => `${layer}: ${new Intl.NumberFormat(output.locale).format(tokens)}`)
      .join(', ');
    output.line(`       ${output.text('context', { counts })}`);
    if (instruction === 'not_found' || instruction === 'ambiguous') {
      output.line(`       ${output.text(`instruction_${instruction}`, { text: step.skill_instruction })}`);
    }
  }
  if (!verbose) return;
  const more = [
    ['instruction', step.skill_instruction],
    ['detail', step.detail],
    ['condition', step.condition],
    ['skill_at', step.skill_path ?? ''],
    ['inputs', jsonUnlessEmpty(step.input_vars)],
    ['outputs', jsonUnlessEmpty(step.output_vars)],
  ] as const;
  for (const [key, text] of more) if (text !== '') output.line(`       ${output.text(key, { text })}`);
}

function jsonUnlessEmpty(values: Record<string, unknown>): string {
  return Object.keys(values).length === 0 ? '' : JSON.stringify(values);
}
