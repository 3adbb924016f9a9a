import { type Chain, stepKind } from '../../shared/chain/chain.ts';
import { milestoneReason } from '../../shared/chain/chain-texts.ts';
import { classifyMilestones } from '../../shared/chain/milestones.ts';
import { neededName, openChains, withSuggestion } from '../chain-by-name.ts';
import type { CommandContext } from '../command-context.ts';
import type { Output } from '../output.ts';

/** `show`: a chain with its steps, and why each is a milestone or not. `--json` prints the chain file's content. */
export async function show(options: { name?: string | undefined }, { output }: CommandContext): Promise<number> {
  const name = neededName(options.name, output);
  const chains = openChains();
  const [{ chain, text }, { file }] = await withSuggestion(name, chains, output, () =>
    Promise.all([chains.read(name), chains.get(name)]),
  );
  output.value(JSON.parse(text.replace(/^\ufeff/, '')));
  output.line(chain.name);
  const heads = [
    ['description', chain.description],
    ['purpose', chain.purpose],
    ['intent', chain.user_intent],
    ['tags', chain.tags?.join(', ')],
    ['file', file],
  ] as const;
  for (const [key, value] of heads) if (value) output.line(output.text(key, { text: value }));
  output.line(output.text('count', { count: chain.exec_count ?? 0, when: chain.updated_at ?? '-' }));
  output.line();
  output.line(output.text('steps', { count: chain.steps.length }));
  printSteps(chain, output);
  return 0;
}

function printSteps(chain: Chain, output: Output): void {
  const milestones = classifyMilestones(chain);
  const numbers = new Map(chain.steps.map((step, at) => [step.id, at + 1]));
  for (const [at, step] of chain.steps.entries()) {
    const kind = stepKind(step) === 'agent' ? '' : ` <${stepKind(step)}>`;
    const skill = step.skill_name === '' ? '' : ` [${step.skill_name}]`;
    const before = step.depends_on.map((id) => numbers.get(id) ?? id).join(', ');
    const waits = before === '' ? '' : `  ${output.text('waits_for', { steps: before })}`;
    output.line(`${at + 1}. ${step.step_name}${skill}${kind}${waits}`);
    if (step.action !== '') output.line(`     ${step.action}`);
    const answer = milestones.get(step.id);
    if (answer?.is_milestone) {
      output.line(`     * ${output.text('milestone')}: ${milestoneReason(output.locale, answer)}`);
    }
  }
}
