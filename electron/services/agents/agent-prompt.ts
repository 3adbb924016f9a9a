import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { isBuiltInSkill } from '../../../shared/chain/chain.ts';
import type { StepOutput } from '../../../shared/run/event.ts';
import { wellFormed } from '../processes/well-formed.ts';

/** A command line takes an argument of about 128 KB; the outputs share what the step's own text leaves of this. */
const promptLimit = 100_000;

export interface PromptFacts {
  readonly chain: Pick<Chain, 'name' | 'purpose' | 'user_intent'>;
  readonly step: Step;
  /** Absolute path of the skill's folder; null when there is none. */
  readonly skillFolder: string | null;
  readonly upstream: readonly { readonly step: Step; readonly output: StepOutput }[];
}

/**
 * What an agent is told about a step: the action, which part of which skill it may read when that is not enough, the
 * details, and what the steps before it gave.
 */
export function agentPrompt({ chain, step, skillFolder, upstream }: PromptFacts): string {
  const parts = [step.action];
  if (step.detail) parts.push(step.detail);
  parts.push(`Step: "${step.step_name}" of the chain "${chain.name}".`);
  const purpose = chain.purpose || chain.user_intent;
  if (purpose) parts.push(`Purpose of the chain: ${purpose}`);
  if (!isBuiltInSkill(step.skill_name)) parts.push(skillPart(step, skillFolder));
  const inputs = step.variables?.inputs ?? {};
  if (Object.keys(inputs).length > 0) parts.push(`Inputs: ${JSON.stringify(inputs)}`);
  const outputs = step.variables?.outputs ?? {};
  if (Object.keys(outputs).length > 0) {
    parts.push(`End your answer with one JSON object that has these fields: ${JSON.stringify(outputs)}`);
  }
  parts.push(
    'If you can not do it, print one line "ERROR:<CODE>: <what happened>" and exit with an error status where you can.',
  );
  const own = parts.join('\n\n');
  const share = Math.max(500, Math.floor((promptLimit - own.length) / Math.max(1, upstream.length)));
  const results = upstream.map(
    (one) => `Result of the step "${one.step.step_name}":\n${shortened(one.output.text, share)}`,
  );
  return [own, ...results].join('\n\n');
}

function skillPart(step: Step, folder: string | null): string {
  const part = step.skill_instruction ? `, the part "${step.skill_instruction}"` : '';
  const place = folder === null ? '' : ` (${folder}/SKILL.md)`;
  return `When this is not enough, read the skill "${step.skill_name}"${place}${part}.`;
}

function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return wellFormed(`${text.slice(0, half)}\n[...]\n${text.slice(-half)}`);
}
