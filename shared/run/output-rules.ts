import { type Step, stepKind } from '../chain/chain.ts';
import { isJsonObject } from '../chain/json-value.ts';
import type { TemplateOutput } from '../template/template.ts';
import type { TryError } from './event.ts';

/** What the output of a step has to be. */
export interface OutputRules {
  /** Empty = anything. */
  readonly choices: readonly string[];
  readonly isJson: boolean;
  readonly required: readonly string[];
}

/** Null for a step that takes any output. */
export function outputRulesOf(step: Step): OutputRules | null {
  // A classifier's own labels are what its executor chose from.
  const choices = stepKind(step) === 'llm_classify' ? [] : (step.output_choices ?? []);
  const isJson = step.output_contract?.format === 'json';
  const required = isJson ? (step.output_contract?.required_properties ?? []) : [];
  return choices.length === 0 && !isJson ? null : { choices, isJson, required };
}

/** Why an output does not keep the rules of its step; null when it does. Codes as in OpenClaw.NET, in capitals. */
export function checkOutput(output: TemplateOutput, rules: OutputRules): TryError | null {
  if (rules.choices.length > 0) {
    const said = output.text.trim().toLowerCase();
    if (!rules.choices.some((choice) => choice.trim().toLowerCase() === said)) {
      return brokenRule('INVALID_OUTPUT_CHOICE', `${shown(output.text)} (${rules.choices.join(' | ')})`);
    }
  }
  if (!rules.isJson) return null;
  if (!isJsonObject(output.json)) return brokenRule('OUTPUT_CONTRACT_FAILED', `JSON: ${shown(output.text)}`);
  const { json } = output;
  const missing = rules.required.filter((name) => !Object.hasOwn(json, name));
  return missing.length === 0 ? null : brokenRule('OUTPUT_CONTRACT_FAILED', missing.join(', '));
}

function brokenRule(code: string, message: string): TryError {
  return { class: 'other', code, message, hint: null, exit_code: null };
}

function shown(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= 120 ? `"${line}"` : `"${line.slice(0, 119)}…"`;
}
