import { z } from 'zod';

/**
 * The fields that a step has besides those of skill-sub's chain JSON: names and forms are those of OpenClaw.NET's
 * MetaSkill (`kind: meta`), so that a step means the same in both formats. Types only; what goes together is the
 * business of the check (`check-kinds.ts`). Unknown keys are kept.
 */

/** A switch that files write as a truth value or as its text. */
export const Switch = z.union([z.boolean(), z.enum(['true', 'false'])]);

export const RouteEntry = z.looseObject({
  /** A condition; absent = the entry that is taken when no other is, which must be the last. */
  when: z.string().optional(),
  /** The id of a step; where there is no such step, the name of the skill that the step itself runs with. */
  to: z.string(),
});
export type RouteEntry = z.infer<typeof RouteEntry>;

export const OutputContract = z.looseObject({
  format: z.enum(['text', 'json']).optional(),
  required_properties: z.array(z.string()).optional(),
});
export type OutputContract = z.infer<typeof OutputContract>;

export const clarifyFieldTypes = ['string', 'integer', 'number', 'boolean', 'enum'] as const;
export const ClarifyField = z.looseObject({
  name: z.string().min(1),
  type: z.enum(clarifyFieldTypes).optional(),
  /** What stands beside the field; absent = its name. */
  label: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
  options: z.array(z.string()).optional(),
  min_length: z.int().min(0).optional(),
  max_length: z.int().min(0).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
});
export type ClarifyField = z.infer<typeof ClarifyField>;

/** What a `user_input` step asks. */
export const Clarify = z.looseObject({
  /** `form`: one value per field; `chat`: one text. Absent = `form` where there are fields. */
  mode: z.enum(['chat', 'form']).optional(),
  /** A template that is shown above the answer. */
  prompt: z.string().optional(),
  fields: z.array(ClarifyField).optional(),
  /** Answers that fail the step; compared whole, without case. */
  cancel_words: z.array(z.string()).optional(),
  /** A condition: when true nobody is asked and the step is skipped. */
  skip_if: z.string().optional(),
  timeout_seconds: z.number().positive().optional(),
});
export type Clarify = z.infer<typeof Clarify>;

export const fanOutMergeModes = ['concat', 'json_array', 'first', 'last'] as const;
export type FanOutMergeMode = (typeof fanOutMergeModes)[number];

/** The step that a `fan_out` makes one of per item; every kind but `fan_out` and `user_input`. */
export const FanOutTemplate = z.looseObject({
  kind: z.string(),
  skill_name: z.string().optional(),
  action: z.string().optional(),
  tool: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  continue_on_error: Switch.optional(),
});
export type FanOutTemplate = z.infer<typeof FanOutTemplate>;

/** Each field of a step that is ours or MetaSkill's, with its type. All optional; null in a file counts as absent. */
export const ownStepFields = {
  when: z.string(),
  route: z.array(RouteEntry),
  on_failure: z.string(),
  continue_on_error: Switch,
  output_choices: z.array(z.string()),
  output_contract: OutputContract,
  tool: z.string(),
  tool_args: z.record(z.string(), z.unknown()),
  tool_allowlist: z.array(z.string()),
  clarify: Clarify,
  /** A template that gives a list, or the list itself. */
  iterable: z.union([z.string(), z.array(z.unknown())]),
  fan_out_template: FanOutTemplate,
  fan_out_max_concurrency: z.int(),
  fan_out_merge_mode: z.enum(fanOutMergeModes),
  skill_exec_entrypoint: z.string(),
  skill_exec_args: z.array(z.union([z.string(), z.number(), z.boolean()])),
  skill_exec_stdin: z.string(),
  skill_exec_cwd: z.string(),
  skill_exec_parse_mode: z.enum(['text', 'json']),
} as const;

/** Fields of a chain that are ours or MetaSkill's. */
export const ownChainFields = {
  triggers: z.array(z.string()),
  meta_priority: z.number(),
  /** `auto` (absent), `raw`, `structured` or `step:<id>`. */
  final_text_mode: z.string(),
  /** An inputSchema as in actions.json: what a run of the chain is started with. */
  inputs: z.record(z.string(), z.unknown()),
} as const;
