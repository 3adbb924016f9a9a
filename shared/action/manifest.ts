import { z } from 'zod';

/**
 * `assets/actions.json`: the Skill Action Manifest, schema version 1. What the seed leaves open and we decided is
 * marked (ours).
 */

export const placements = ['toolbar', 'skill-detail', 'agent', 'cron'] as const;
/** Definable but not usable yet; a manifest with them loads with a warning. */
export const reservedPlacements = ['row', 'batch'] as const;
export const Placement = z.enum([...placements, ...reservedPlacements]);
export type Placement = z.infer<typeof Placement>;

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
export type Scalar = z.infer<typeof Scalar>;

export const InputProperty = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean']),
  title: z.string().optional(),
  description: z.string().optional(),
  default: Scalar.optional(),
  enum: z.array(Scalar).min(1).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(0).optional(),
  pattern: z.string().optional(),
  sensitive: z.boolean().optional(),
});
export type InputProperty = z.infer<typeof InputProperty>;

export const InputSchema = z.looseObject({
  type: z.literal('object'),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), InputProperty).optional(),
});
export type InputSchema = z.infer<typeof InputSchema>;

export const Action = z.looseObject({
  id: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  /** Name of a lucide icon (ours). */
  icon: z.string().optional(),
  entrypoint: z.looseObject({
    /** `cli`: a subcommand of the skill's main script. `app` (ours): a command of this application; own manifest only. */
    type: z.enum(['cli', 'app']),
    command: z.string().min(1),
    args: z.array(Scalar).optional(),
  }),
  placements: z.array(Placement).optional(),
  inputSchema: InputSchema.optional(),
  confirmation: z.looseObject({ message: z.string().min(1), danger: z.boolean().optional() }).optional(),
  risk: z.enum(['low', 'medium', 'high']).optional(),
  timeoutSeconds: z.number().positive().optional(),
});
export type Action = z.infer<typeof Action>;

export const ActionManifest = z.looseObject({
  schemaVersion: z.literal(1),
  skill: z.string().min(1),
  actions: z.array(Action),
});
export type ActionManifest = z.infer<typeof ActionManifest>;

/** A finding of the manifest's lint. Texts: `manifest-texts.ts`. */
export const ManifestProblem = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  /** JSON path such as `actions[0].entrypoint.args[1]`. */
  path: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type ManifestProblem = z.infer<typeof ManifestProblem>;

/** The manifest of one skill as the hosts see it. */
export const SkillActions = z.object({
  /** Key for running: the manifest's `skill`. `studio` is this application itself. */
  slug: z.string(),
  skill_id: z.string().nullable(),
  skill_name: z.string(),
  file: z.string(),
  actions: z.array(
    z.object({
      action: Action,
      /** Where it is shown, after the refusals. */
      placements: z.array(z.enum(placements)),
      refused: z.array(z.object({ placement: Placement, code: z.string() })),
    }),
  ),
  problems: z.array(ManifestProblem),
});
export type SkillActions = z.infer<typeof SkillActions>;

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out', 'interrupted'] as const;
export const JobState = z.enum(jobStates);
export type JobState = z.infer<typeof JobState>;

/** What a program reported about its failure: `ERROR:<CODE>: message` and `HINT: next step`, or the JSON form. */
export const ReportedError = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() });
export type ReportedError = z.infer<typeof ReportedError>;

/** One execution of an action. Sensitive input values are never part of it. */
export const Job = z.object({
  id: z.string(),
  skill_slug: z.string(),
  skill_name: z.string(),
  action_id: z.string(),
  title: z.string(),
  /** Input with sensitive values as `***`. */
  input: z.record(z.string(), Scalar),
  /** The exact argv, sensitive values as `***`. */
  argv: z.array(z.string()),
  source: z.enum(['toolbar', 'skill-detail', 'agent', 'cron', 'cli', 'api']),
  state: JobState,
  /** 0..100, from `PROGRESS:` lines. */
  progress: z.number().nullable(),
  progress_text: z.string().nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  exit_code: z.number().nullable(),
  /** Parsed result: JSON (whole output or its last line), else null. */
  result: z.unknown(),
  error: ReportedError.nullable(),
  /** First and last part of the output; the whole (up to its limit) is in the log file. */
  output_head: z.string(),
  output_tail: z.string(),
  output_bytes: z.number(),
});
export type Job = z.infer<typeof Job>;
