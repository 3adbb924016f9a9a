import type { Step } from '../chain/chain.ts';
import { isJsonObject } from '../chain/json-value.ts';
import { renderDeep } from '../template/evaluate.ts';
import type { TemplateOutput, TemplateScope } from '../template/template.ts';
import type { StepOutput } from './event.ts';
import type { RunOutline } from './outline.ts';
import type { StepRunState } from './run-state.ts';

/** What a scope is made from: a state of the run, or one that is being built. */
export interface ScopeSource {
  readonly outline: RunOutline;
  step(id: string): StepRunState | undefined;
  /** The whole of an output of which the run keeps only a part. */
  whole(output: StepOutput): TemplateOutput;
}

/** What the names in the templates and conditions of one step mean now. */
export function stepScope(source: ScopeSource, stepId: string): TemplateScope {
  const { outline } = source;
  const child = source.step(stepId)?.child ?? null;
  const owner = child === null ? stepId : child.of;
  const output = (id: string): TemplateOutput | undefined => {
    const given = source.step(id)?.output ?? null;
    return given === null ? undefined : source.whole(given);
  };
  const scope: TemplateScope = {
    input: outline.input,
    inputs: (name) => (Object.hasOwn(outline.inputs, name) ? outline.inputs[name] : undefined),
    output,
    variable: (name) => newestVariable(source, owner, name),
    ...(child === null ? {} : { item: child.item, index: child.index }),
  };
  const own = outline.steps.get(owner)?.step.variables?.inputs;
  if (own === undefined) return scope;
  // The step's own inputs stand before those of the run; they are filled in when one is first read.
  let filled: Record<string, unknown> | null = null;
  return {
    ...scope,
    inputs: (name) => {
      if (!Object.hasOwn(own, name)) return scope.inputs(name);
      filled ??= renderDeep(own, scope) as Record<string, unknown>;
      return filled[name];
    },
  };
}

/** Fields of a step that are templates, everywhere in them. */
const templateFields = [
  ...(['action', 'detail', 'with', 'tool_args'] as const),
  ...(['skill_exec_entrypoint', 'skill_exec_args', 'skill_exec_stdin', 'skill_exec_cwd'] as const),
] as const;

/** The step with its templates filled in, as its executor gets it. */
export function fillStep(step: Step, scope: TemplateScope): Step {
  let filled: Step | null = null;
  const set = (key: string, value: unknown) => {
    filled ??= { ...step };
    (filled as Record<string, unknown>)[key] = value;
  };
  for (const key of templateFields) {
    const value = step[key];
    if (value === undefined || !holdsTemplate(value)) continue;
    const rendered = renderDeep(value, scope);
    set(key, typeof value === 'string' ? textOf(rendered) : rendered);
  }
  const inputs = step.variables?.inputs;
  if (inputs !== undefined && holdsTemplate(inputs)) {
    set('variables', { ...step.variables, inputs: renderDeep(inputs, scope) });
  }
  return filled ?? step;
}

function holdsTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsTemplate);
}

/** Where a field has to be a text, the value of a single expression becomes one. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The value of the newest upstream step that declares the variable. */
function newestVariable(source: ScopeSource, stepId: string, name: string): unknown {
  const declarers = source.outline.declarers.get(name);
  if (declarers === undefined) return undefined;
  let newest: StepRunState | null = null;
  let upstream: ReadonlySet<string> | null = null;
  for (const id of declarers) {
    const step = source.step(id);
    if (step === undefined || step.output === null || step.ended_seq === null) continue;
    if (newest !== null && step.ended_seq < newest.ended_seq!) continue;
    upstream ??= ancestorsOf(source.outline, stepId);
    // A step's own variables are there for its route; a stand-in counts where its primary does.
    const place = source.outline.steps.get(id)?.primary ?? id;
    if (upstream.has(place) || id === stepId) newest = step;
  }
  if (newest === null) return undefined;
  const path = source.outline.steps.get(newest.id)?.step.variables?.outputs?.[name];
  return variableOf(source.whole(newest.output!), name, path);
}

/**
 * The value that a step gave to one of its output variables: what the path leads to in its JSON; else the field of the
 * variable's own name, for files in which a description stands in the place of the path; else, for a step that gave no
 * JSON, its text.
 */
export function variableOf(output: TemplateOutput, name: string, path: unknown): unknown {
  const { json } = output;
  if (!isJsonObject(json)) return output.text;
  if (typeof path === 'string' && path !== '') {
    const found = valueAt(json, path);
    if (found !== undefined) return found;
  }
  return Object.hasOwn(json, name) ? json[name] : undefined;
}

function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function ancestorsOf(outline: RunOutline, stepId: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const start = outline.steps.get(stepId);
  // A stand-in reads what its primary could read.
  const todo = [...(start?.dependencies ?? [])];
  if (start?.primary) todo.push(...(outline.steps.get(start.primary)?.dependencies ?? []));
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    todo.push(...(outline.steps.get(id)?.dependencies ?? []));
  }
  return seen;
}
