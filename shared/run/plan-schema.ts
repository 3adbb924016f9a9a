import { z } from 'zod';
import { ChainProblem, ErrorClass, OnExhaust } from '../chain/chain.ts';

/** What an agent is given of its skill, layer by layer, before the results of earlier steps. */
export const PlanContext = z.object({
  layers: z.array(
    z.object({
      /** 1 the action text, 2 with the part of SKILL.md that `skill_instruction` names, 3 with the whole of it. */
      layer: z.int().min(1).max(3),
      /** Of the whole prompt, estimated. */
      tokens: z.number().int(),
      /** Where the second and the third layer are from. */
      file: z.string().optional(),
      /** The part of the second layer, in lines of the file from 1; null heading = it stands above the first. */
      fragment: z
        .object({ heading: z.string().nullable(), start_line: z.number().int(), end_line: z.number().int() })
        .optional(),
    }),
  ),
  /** How `skill_instruction` fits the SKILL.md; null when there is none or no file. */
  instruction: z.enum(['found', 'ambiguous', 'not_found']).nullable(),
});
export type PlanContext = z.infer<typeof PlanContext>;

/** `plan --json`: the keys of skill-sub's `chain_executor.py plan --json`, plus ours (marked). */
export const PlanStep = z.object({
  step_index: z.number().int(),
  /** ours */
  step_id: z.string(),
  /** ours */
  kind: z.string(),
  skill_name: z.string(),
  step_name: z.string(),
  action: z.string(),
  skill_instruction: z.string(),
  detail: z.string(),
  condition: z.string(),
  /** Path of the skill's folder, null for a built-in one, "" for a missing one. */
  skill_path: z.string().nullable(),
  depends_on: z.array(z.number().int()),
  input_vars: z.record(z.string(), z.unknown()),
  output_vars: z.record(z.string(), z.unknown()),
  retry_policy: z.object({ max_retries: z.number().int(), error_types: z.array(ErrorClass) }),
  failure_mode: z.object({ on_exhaust: OnExhaust, is_milestone: z.boolean() }),
  milestone_reason: z.string(),
  /** ours: only for a step that an agent does. */
  context: PlanContext.optional(),
});
export type PlanStep = z.infer<typeof PlanStep>;

export const Plan = z.object({
  chain_name: z.string(),
  description: z.string(),
  purpose: z.string(),
  user_intent: z.string(),
  total_steps: z.number().int(),
  missing_skills: z.array(z.string()),
  default_max_retries: z.number().int(),
  execution_groups: z.array(
    z.object({ group_index: z.number().int(), can_parallel: z.boolean(), steps: z.array(PlanStep) }),
  ),
  variable_flow: z.array(
    z.object({ from_step: z.number().int(), from_step_name: z.string(), outputs: z.record(z.string(), z.unknown()) }),
  ),
  milestone_analysis: z.array(
    z.object({ step_index: z.number().int(), is_milestone: z.boolean(), reason: z.string(), rule: z.number().int() }),
  ),
  ai_instructions: z.string(),
  /** ours: what the check found; a plan with an error can not be run. */
  problems: z.array(ChainProblem),
});
export type Plan = z.infer<typeof Plan>;
