import { parseCondition, parseTemplate } from '../template/parse-template.ts';
import { type Reference, referencesOf } from '../template/references.ts';
import type { TemplateError } from '../template/template.ts';
import { templateErrorText } from '../template/template-texts.ts';
import { type Chain, type Step, stepKind } from './chain.ts';
import { chainGraph } from './chain-graph.ts';
import { isJsonObject } from './json-value.ts';
import type { Report } from './report.ts';

/**
 * Findings about the templates and conditions of a chain: what can not be read, with its place; names that are never
 * there; and what others wrote that goes into a prompt or an argument as it is. Linear in the texts; what is upstream of
 * a step is walked only as far as the names that it reads.
 */
export function checkTemplates(chain: Chain, reportOf: (step: Step) => Report): void {
  const around = surroundings(chain);
  for (const step of chain.steps) {
    const report = reportOf(step);
    for (const [field, text] of textsOf(step)) {
      const parsed = parseTemplate(text);
      const references = parsed.ok ? referencesOf(parsed.template) : [];
      if (!parsed.ok) reportErrors(parsed.errors, field, report);
      checkNames(references, step, field, around, report);
      checkSafety(references, field, report);
    }
    const conditions: [string, string | undefined][] = [
      ['when', step.when],
      ...(step.route ?? []).map(({ when }, at): [string, string | undefined] => [`route[${at}].when`, when]),
      ['clarify.skip_if', step.clarify?.skip_if],
      ['condition', step.condition],
    ];
    for (const [field, text] of conditions) {
      // A way with an empty condition is no default: it would never be taken.
      if (text === undefined || (text.trim() === '' && !field.startsWith('route'))) continue;
      const parsed = parseCondition(text);
      if (parsed.ok) checkNames(referencesOf(parsed.condition), step, field, around, report);
      else if (field !== 'condition' || /\{\{|\b(?:outputs|inputs|vars)\./.test(text)) {
        reportErrors(parsed.errors, field, report);
      } else report('info', 'condition_is_prose', field);
    }
  }
}

interface Surroundings {
  /** The steps that declare a variable. */
  readonly declarers: ReadonlyMap<string, readonly string[]>;
  /** Whether a step waits for another, directly or not. */
  waitsFor(id: string, other: string): boolean;
}

function surroundings(chain: Chain): Surroundings {
  const graph = chainGraph(chain);
  const declarers = new Map<string, string[]>();
  for (const step of chain.steps) {
    for (const name of Object.keys(step.variables?.outputs ?? {})) {
      const list = declarers.get(name);
      if (list === undefined) declarers.set(name, [step.id]);
      else list.push(step.id);
    }
  }
  // One walk per step, nearest first, and only as far as somebody asks: most names are given by a step near by.
  let walk: { readonly start: string; readonly seen: Set<string>; readonly queue: string[]; next: number } | null =
    null;
  const waitsFor = (start: string, other: string): boolean => {
    if (walk?.start !== start) {
      const first = new Set(graph.dependsOn(start));
      walk = { start, seen: first, queue: [...first], next: 0 };
    }
    const { seen, queue } = walk;
    for (; !seen.has(other) && walk.next < queue.length; walk.next += 1) {
      for (const id of graph.dependsOn(queue[walk.next]!)) {
        if (seen.has(id)) continue;
        seen.add(id);
        queue.push(id);
      }
    }
    return seen.has(other);
  };
  return { declarers, waitsFor };
}

/** The fields that are filled in before a step runs, each text with its place. */
function* textsOf(step: Step): Generator<[string, string]> {
  const fields: [string, unknown][] = [
    ['action', step.action],
    ['detail', step.detail],
    ['with', step.with],
    ['tool_args', step.tool_args],
    ['skill_exec_args', step.skill_exec_args],
    ['skill_exec_stdin', step.skill_exec_stdin],
    ['skill_exec_cwd', step.skill_exec_cwd],
    ['variables.inputs', step.variables?.inputs],
    ['clarify.prompt', step.clarify?.prompt],
    ['iterable', step.iterable],
    ['fan_out_template', stepKind(step) === 'fan_out' ? step.fan_out_template : undefined],
  ];
  const todo = fields.reverse();
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [field, value] = next;
    if (typeof value === 'string') {
      if (value.includes('{')) yield [field, value];
    } else if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) todo.push([`${field}[${at}]`, item]);
    } else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) todo.push([`${field}.${key}`, inner]);
    }
  }
}

function reportErrors(errors: readonly TemplateError[], field: string, report: Report): void {
  for (const error of errors) {
    report('error', 'template_error', field, {
      key: field,
      line: error.line,
      column: error.column,
      detail: templateErrorText('en', error),
      'detail:zh-CN': templateErrorText('zh-CN', error),
    });
  }
}

function checkNames(
  references: readonly Reference[],
  step: Step,
  field: string,
  { declarers, waitsFor }: Surroundings,
  report: Report,
): void {
  const said = new Set<string>();
  for (const { root, path } of references) {
    const name = path[0] ?? '';
    const shown = root === 'item' || root === 'index' ? root : `${root}.${name}`;
    if (said.has(shown)) continue;
    said.add(shown);
    if (root === 'item' || root === 'index') {
      // The parent's own text is what its children do when their template has none.
      const isInside = field.startsWith('fan_out_template') || field === 'action';
      if (stepKind(step) !== 'fan_out' || !isInside)
        report('warning', 'can_not_exist', field, { key: field, name: shown });
    } else if (root === 'outputs') {
      // A step's own output is there when its route is chosen.
      if (name === step.id && field.startsWith('route')) continue;
      if (!waitsFor(step.id, name)) {
        report('warning', 'can_not_exist', field, { key: field, name: shown });
      }
    } else if (root === 'vars') {
      const isOwn = field.startsWith('route') && Object.hasOwn(step.variables?.outputs ?? {}, name);
      if (!isOwn && !(declarers.get(name) ?? []).some((id) => waitsFor(step.id, id))) {
        report('warning', 'can_not_exist', field, { key: field, name: shown });
      }
    }
  }
}

/** `variables.inputs` are no prompt: what is made of them is looked at where they are used. */
function checkSafety(references: readonly Reference[], field: string, report: Report): void {
  if (field.startsWith('variables.') || field === 'iterable' || field === 'clarify.prompt') return;
  const open = references.find(({ root, safe }) => !safe && (root === 'input' || root === 'outputs'));
  if (open === undefined) return;
  report('warning', 'unsafe_interpolation', field, { key: field, name: [open.root, ...open.path].join('.') });
}
