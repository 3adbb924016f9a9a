import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { isBuiltInSkill } from '../../../shared/chain/chain.ts';
import type { StepOutput } from '../../../shared/run/event.ts';
import { parseCondition } from '../../../shared/template/parse-template.ts';
import { wellFormed } from '../processes/well-formed.ts';
import type { ContextLayer } from './context-layers.ts';

export interface PromptFacts {
  readonly chain: Pick<Chain, 'name' | 'purpose' | 'user_intent'>;
  readonly step: Step;
  /** Absolute path of the skill's folder; null when there is none. */
  readonly skillFolder: string | null;
  readonly upstream: readonly { readonly step: Step; readonly output: StepOutput }[];
  readonly layer: ContextLayer;
  /** The agent may ask for more than this layer. */
  readonly hasMore: boolean;
  /** What the agent can take, in bytes of UTF-8. The step's own text is never cut. */
  readonly limitBytes: number;
}

/**
 * What an agent is told about a step: the action, the details, what of its skill this layer gives, how it can ask for
 * more, and what the steps before it gave. What is cut says so and names the file.
 */
export function agentPrompt(facts: PromptFacts): string {
  const { chain, step, skillFolder, upstream, layer, hasMore, limitBytes } = facts;
  const parts = [step.action];
  if (step.detail) parts.push(step.detail);
  parts.push(`Step: "${step.step_name}" of the chain "${chain.name}".`);
  const purpose = chain.purpose || chain.user_intent;
  if (purpose) parts.push(`Purpose of the chain: ${purpose}`);
  const condition = proseCondition(step);
  if (condition !== null) {
    parts.push(
      `Only do this when: ${condition}\nElse do nothing and answer only with one JSON object: {"skip": true, "reason": "<why>"}`,
    );
  }
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
  if (hasMore) {
    parts.push(
      'If what you are given here is not enough to do it, do nothing and answer only with one JSON object: {"need_more_context": true, "reason": "<what is missing>"}. You are then given more of the skill.',
    );
  }
  let room = limitBytes - bytesOf(parts);
  if (layer.text !== '') {
    // The results of the steps before are what the step is about: they keep half of what is left.
    const given = skillText(layer, upstream.length === 0 ? room : room / 2);
    parts.push(given);
    room -= Buffer.byteLength(given);
  }
  const share = Math.max(500, Math.floor(room / Math.max(1, upstream.length)));
  for (const { step: before, output } of upstream) {
    parts.push(`Result of the step "${before.step_name}":\n${middleCut(output.text, share)}`);
  }
  return parts.join('\n\n');
}

/** The step's condition where it is a sentence for whoever does it, which nothing here can evaluate; else null. */
export function proseCondition(step: Pick<Step, 'condition'>): string | null {
  const condition = step.condition?.trim() ?? '';
  return condition === '' || parseCondition(condition).ok ? null : condition;
}

function skillPart(step: Step, folder: string | null): string {
  const part = step.skill_instruction ? `, the part "${step.skill_instruction}"` : '';
  const place = folder === null ? '' : ` Its folder: ${folder}`;
  return `Skill: "${step.skill_name}"${part}.${place}`;
}

function skillText(layer: ContextLayer, limitBytes: number): string {
  const title = layer.layer === 2 ? `From the skill's instructions (${place(layer)}):` : `All of ${layer.file}:`;
  const { text, cut } = endCut(layer.text, Math.max(500, limitBytes - 500));
  const note = cut || layer.truncated ? `\n[It goes on: read the rest in ${layer.file}]` : '';
  return `${title}\n<skill>\n${text}\n</skill>${note}`;
}

function place({ file, fragment }: ContextLayer): string {
  return fragment === null ? `${file}` : `${file}, lines ${fragment.start_line} to ${fragment.end_line}`;
}

function endCut(text: string, limitBytes: number): { text: string; cut: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= limitBytes) return { text, cut: false };
  return { text: headOf(bytes, limitBytes), cut: true };
}

function middleCut(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limitBytes) return wellFormed(text);
  const half = Math.floor(limitBytes / 2);
  let from = bytes.length - half;
  while (isInside(bytes, from)) from += 1;
  return `${headOf(bytes, half)}\n[...]\n${bytes.toString('utf8', from)}`;
}

/** At most so many bytes, without a half character at the end. */
function headOf(bytes: Buffer, limitBytes: number): string {
  let end = Math.floor(limitBytes);
  while (isInside(bytes, end)) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isInside(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}

function bytesOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 2, 0);
}
