import { z } from 'zod';

/** Something to say about a SKILL.md: a recovered field, a rule of the specification, a reason. Texts: `notice-texts.ts`. */
export const SkillNotice = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type SkillNotice = z.infer<typeof SkillNotice>;

/** States of a row. No skill ever disappears without a word: whatever was found on disk is a row. */
export const skillStates = ['ready', 'shadowed', 'not_eligible', 'disabled', 'broken'] as const;
export const SkillState = z.enum(skillStates);
export type SkillState = z.infer<typeof SkillState>;

/** One SKILL.md found on disk. */
export const SkillRow = z.object({
  /** Stable for one path: a short hash of it. */
  id: z.string(),
  /** The name that agents use: as written, else the folder's. */
  name: z.string(),
  /** `metadata.openclaw.slug`, by which an action manifest names its skill. */
  slug: z.string().nullable(),
  description: z.string(),
  emoji: z.string().nullable(),
  version: z.string().nullable(),
  state: SkillState,
  notices: z.array(SkillNotice),
  /** Row that hides this one, when `state` is `shadowed`. */
  shadowed_by: z.string().nullable(),
  root_id: z.string(),
  /** Absolute paths. */
  folder: z.string(),
  file: z.string(),
  size_bytes: z.number(),
  has_actions: z.boolean(),
  /** Runnable files, relative to the folder, `/` between parts. */
  scripts: z.array(z.string()),
});
export type SkillRow = z.infer<typeof SkillRow>;

/** A folder that was searched, in order of precedence (highest first). */
export const SkillRoot = z.object({
  id: z.string(),
  /** `workbuddy`, `openclaw`, `agents`, `claude-code`, `settings` or `samples`. */
  host: z.string(),
  folder: z.string(),
  exists: z.boolean(),
  found: z.number().int(),
  notices: z.array(SkillNotice),
});
export type SkillRoot = z.infer<typeof SkillRoot>;

export const SkillScan = z.object({
  roots: z.array(SkillRoot),
  rows: z.array(SkillRow),
  /** Files found = the sum over states; the caller can check that the counts add up. */
  counts: z.object({ found: z.number().int(), by_state: z.record(SkillState, z.number().int()) }),
  duration_ms: z.number(),
});
export type SkillScan = z.infer<typeof SkillScan>;

export const SkillDetail = z.object({
  row: SkillRow,
  /** SKILL.md without its front matter; `{baseDir}` left as written. */
  body: z.string(),
  truncated: z.boolean(),
  /** Front matter as text values, for display. */
  fields: z.array(z.object({ key: z.string(), value: z.string() })),
  files: z.array(z.object({ path: z.string(), size_bytes: z.number() })),
});
export type SkillDetail = z.infer<typeof SkillDetail>;
