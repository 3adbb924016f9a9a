import { type Step, type StepKind, stepKind, stepKinds } from './chain.ts';
import type { Report } from './report.ts';
import type { ClarifyField } from './step-fields.ts';

/** The part of a step that its kind is about; of a `fan_out` also the template of its children. */
type KindFields = { readonly [K in keyof Step]?: Step[K] | undefined };

interface KindRule {
  readonly needs: readonly ((step: KindFields) => Missing | null)[];
  readonly forbids: readonly string[];
}
interface Missing {
  readonly code: 'tool_missing' | 'options_missing' | 'iterable_missing' | 'template_missing';
  readonly field: string;
}

const onlyTool = ['tool', 'tool_allowlist'];
const notAnswers = [...onlyTool, 'output_choices'];

/** What each kind needs and must not have (OpenClaw.NET's table, and our kinds). */
const kindRules: Readonly<Record<StepKind, KindRule>> = {
  agent: { needs: [], forbids: onlyTool },
  llm_chat: { needs: [], forbids: onlyTool },
  llm_classify: { needs: [needsOptions], forbids: onlyTool },
  tool_call: { needs: [needsTool], forbids: [] },
  skill_exec: { needs: [], forbids: onlyTool },
  action: { needs: [], forbids: onlyTool },
  user_input: { needs: [], forbids: notAnswers },
  fan_out: { needs: [needsIterable, needsTemplate], forbids: notAnswers },
  manual: { needs: [], forbids: onlyTool },
};

/** Findings about the fields that belong to the kind of a step. A kind that is not known is not looked at. */
export function checkKindFields(step: Step, report: Report): void {
  checkFields(step, '', report);
  if (stepKind(step) === 'user_input') checkClarify(step, report);
  if (stepKind(step) !== 'fan_out' || step.fan_out_template === undefined) return;
  const template = step.fan_out_template;
  const prefix = 'fan_out_template.';
  const kind = template.kind;
  if (!isKnown(kind) || kind === 'fan_out' || kind === 'user_input') {
    const known = stepKinds.filter((other) => other !== 'fan_out' && other !== 'user_input').join(', ');
    report('error', 'template_kind', `${prefix}kind`, { kind, known });
    return;
  }
  checkFields(template, prefix, report);
}

/** The script of a `skill_exec` step, from either of the places where files have it. */
export function entrypointOf(step: KindFields): { readonly value: unknown; readonly field: string } {
  const inWith = step.with?.['entrypoint'];
  if (inWith !== undefined || step.skill_exec_entrypoint === undefined) {
    return { value: inWith, field: 'with.entrypoint' };
  }
  return { value: step.skill_exec_entrypoint, field: 'skill_exec_entrypoint' };
}

/** Steps whose id is one that a child of a `fan_out` may get. */
export function checkChildIds(steps: readonly Step[], reportOf: (step: Step) => Report): void {
  const fanOuts = new Set(steps.filter((step) => stepKind(step) === 'fan_out').map((step) => step.id));
  for (const step of steps) {
    const owner = /^(.+)_\d+$/.exec(step.id)?.[1];
    if (owner !== undefined && fanOuts.has(owner)) {
      reportOf(step)('error', 'id_like_child', 'id', { id: step.id, fan_out: owner });
    }
  }
}

function checkFields(step: KindFields, prefix: string, report: Report): void {
  const kind = stepKind(step);
  if (!isKnown(kind)) return;
  const { needs, forbids } = kindRules[kind];
  for (const need of needs) {
    const missing = need(step);
    if (missing !== null) report('error', missing.code, prefix + missing.field);
  }
  for (const field of forbids) {
    if (step[field] !== undefined) report('error', 'field_not_for_kind', prefix + field, { key: field, kind });
  }
  if (kind === 'tool_call') checkAllowlist(step, prefix, report);
  checkOutputs(step, prefix, report);
}

function checkAllowlist({ tool, tool_allowlist: allowed }: KindFields, prefix: string, report: Report): void {
  if (allowed === undefined) return;
  if (!isListOfTexts(allowed)) {
    report('error', 'list_of_texts', `${prefix}tool_allowlist`, { key: 'tool_allowlist' });
  } else if (tool !== undefined && !isBlank(tool) && !tool.includes('{{') && !allowed.includes(tool)) {
    report('error', 'tool_not_allowed', `${prefix}tool_allowlist`, { tool });
  }
}

function checkOutputs(
  { output_choices: choices, output_contract: contract }: KindFields,
  prefix: string,
  report: Report,
) {
  if (choices !== undefined && !isListOfTexts(choices)) {
    report('error', 'list_of_texts', `${prefix}output_choices`, { key: 'output_choices' });
  }
  const required = contract?.required_properties;
  if (required === undefined || required.length === 0) return;
  const field = `${prefix}output_contract.required_properties`;
  if (contract?.format !== 'json') report('error', 'contract_needs_json', field);
  if (!isListOfTexts(required)) report('error', 'list_of_texts', field, { key: 'output_contract.required_properties' });
}

function checkClarify({ clarify }: Step, report: Report): void {
  const fields = clarify?.fields ?? [];
  if (clarify?.mode === 'form' && fields.length === 0) report('error', 'form_without_fields', 'clarify.fields');
  const names = new Set<string>();
  fields.forEach((field, at) => {
    const place = `clarify.fields[${at}]`;
    if (names.has(field.name)) report('error', 'form_field_twice', place, { name: field.name });
    names.add(field.name);
    for (const reason of faultsOf(field)) report('error', reason, place, { name: field.name });
  });
}

type FieldFault = 'form_enum_without_options' | 'form_options_without_enum' | 'form_range_empty' | 'form_default_unfit';

function faultsOf(field: ClarifyField): FieldFault[] {
  const type = field.type ?? 'string';
  const faults: FieldFault[] = [];
  if (type === 'enum' && !isListOfTexts(field.options ?? [])) faults.push('form_enum_without_options');
  if (type !== 'enum' && field.options !== undefined) faults.push('form_options_without_enum');
  if (isEmptyRange(field.min, field.max) || isEmptyRange(field.min_length, field.max_length)) {
    faults.push('form_range_empty');
  }
  if (field.default !== undefined && !fits(field, type)) faults.push('form_default_unfit');
  return faults;
}

function fits(field: ClarifyField, type: NonNullable<ClarifyField['type']>): boolean {
  const { default: value } = field;
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'enum':
      return typeof value === 'string' && (field.options ?? []).includes(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
  }
}

function isEmptyRange(least: number | undefined, most: number | undefined): boolean {
  return least !== undefined && most !== undefined && least > most;
}

function needsTool(step: KindFields): Missing | null {
  return isBlank(step.tool) ? { code: 'tool_missing', field: 'tool' } : null;
}

function needsOptions(step: KindFields): Missing | null {
  const options = step.with?.['options'];
  const isTemplate = typeof options === 'string' && options.includes('{{');
  const isGiven = isTemplate || isListOfTexts(options ?? step.output_choices);
  return isGiven ? null : { code: 'options_missing', field: 'with.options' };
}

function needsIterable({ iterable }: KindFields): Missing | null {
  const isGiven = typeof iterable === 'string' ? !isBlank(iterable) : iterable !== undefined;
  return isGiven ? null : { code: 'iterable_missing', field: 'iterable' };
}

function needsTemplate(step: KindFields): Missing | null {
  return step.fan_out_template === undefined ? { code: 'template_missing', field: 'fan_out_template' } : null;
}

function isKnown(kind: string): kind is StepKind {
  return (stepKinds as readonly string[]).includes(kind);
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/** At least one text, none of them empty, none twice. */
function isListOfTexts(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
  return value.every((item) => typeof item === 'string' && !isBlank(item));
}
