import { z } from 'zod';
import { ownChainFields, ownStepFields } from './step-fields.ts';

/**
 * The chain: a directed acyclic graph of steps. Field names are those of the chain JSON (skill-sub 1.2), so that one
 * vocabulary serves files, code, commands and the screen. In memory a dependency is a step **id**; indexes exist only
 * in the file and on the screen. Unknown fields are kept at every level (`looseObject`).
 */

export const errorClasses = ['file_locked', 'network_error', 'auth_error', 'timeout', 'other'] as const;
export const ErrorClass = z.enum(errorClasses);
export type ErrorClass = z.infer<typeof ErrorClass>;

export const onExhaustValues = ['ask', 'skip', 'abort'] as const;
export const OnExhaust = z.enum(onExhaustValues);
export type OnExhaust = z.infer<typeof OnExhaust>;

/** The kinds of step; `agent` is the default. */
export const stepKinds = [
  ...(['agent', 'llm_chat', 'llm_classify', 'tool_call', 'skill_exec'] as const),
  ...(['action', 'user_input', 'fan_out', 'manual'] as const),
] as const;
export const StepKind = z.enum(stepKinds);
export type StepKind = z.infer<typeof StepKind>;

/** `with.args` of a `skill_exec` step; numbers and truth values reach the program as text. */
export const ExecArguments = z.array(z.union([z.string(), z.number(), z.boolean()]));

export const StepId = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/);

export const RetryPolicy = z.looseObject({
  /** Further tries after the first; absent = the setting `default_max_retries`. */
  max_retries: z.int().min(0).max(10).optional(),
  /** Classes that are retried; absent or empty = all. */
  error_types: z.array(ErrorClass).optional(),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

export const FailureMode = z.looseObject({
  on_exhaust: OnExhaust.optional(),
  /** Three values: true, false, absent (= decide by rule). */
  is_milestone: z.boolean().optional(),
});
export type FailureMode = z.infer<typeof FailureMode>;

export const StepVariables = z.looseObject({
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});

/** A step as it is in memory. `id` is always there; the writer decides whether the file gets it. */
export const Step = z.looseObject({
  id: StepId,
  skill_name: z.string(),
  step_name: z.string(),
  action: z.string(),
  skill_instruction: z.string().optional(),
  detail: z.string().optional(),
  /** Ids of steps; `?N` stands for an index N of the file that names no step (see `unresolvedRef`). */
  depends_on: z.array(z.string()),
  condition: z.string().optional(),
  variables: StepVariables.optional(),
  retry_policy: RetryPolicy.optional(),
  failure_mode: FailureMode.optional(),
  notes: z.string().optional(),
  /** Kept as text when it is a kind that this version does not carry out; the check says so. */
  kind: z.string().optional(),
  /**
   * Arguments of the kind; every text in it is a template. `action`: {action, input}. `skill_exec`: {entrypoint, args[],
   * stdin, cwd, parse_mode}. `agent`: {profile}. `llm_chat`: {system_prompt, input, model, max_tokens, temperature}.
   * `llm_classify`: the same and {options[]}. `tool_call`: the tool's own.
   */
  with: z.record(z.string(), z.unknown()).optional(),
  timeout_seconds: z.number().positive().optional(),
  idempotent: z.boolean().optional(),
  ...z.object(ownStepFields).partial().shape,
});
export type Step = z.infer<typeof Step>;

export const Chain = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  purpose: z.string().optional(),
  user_intent: z.string().optional(),
  tags: z.array(z.string()).optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  exec_count: z.number().optional(),
  ...z.object(ownChainFields).partial().shape,
  steps: z.array(Step),
});
export type Chain = z.infer<typeof Chain>;

/** Names of the built-in "skill" of skill-sub: never looked up, never missing. */
export const builtInSkillNames: readonly string[] = ['', '(内置)', '(内置打包)', '(builtin)'];

export function isBuiltInSkill(skillName: string): boolean {
  return builtInSkillNames.includes(skillName.trim());
}

/** How a file's dependency on an index without a step is kept in memory; it can never be a step id. */
export function unresolvedRef(index: number): string {
  return `?${index}`;
}

/** The index of an unresolved reference, or null for an ordinary id. */
export function unresolvedIndex(ref: string): number | null {
  const match = /^\?(-?\d+)$/.exec(ref);
  return match ? Number(match[1]) : null;
}

export function stepKind(step: Pick<Step, 'kind'>): string {
  return step.kind ?? 'agent';
}

/** Canvas positions, kept in `chains/.layout/`, never in the chain. Keys are step ids; units are canvas pixels. */
export const ChainLayout = z.object({
  positions: z.record(z.string(), z.object({ x: z.number(), y: z.number() })).default({}),
  viewport: z.object({ x: z.number(), y: z.number(), zoom: z.number() }).optional(),
});
export type ChainLayout = z.infer<typeof ChainLayout>;

/** A finding of the check, tied to a step and a field. Texts: `problem-texts.ts`. */
export const ChainProblem = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  step_id: z.string().optional(),
  field: z.string().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type ChainProblem = z.infer<typeof ChainProblem>;
