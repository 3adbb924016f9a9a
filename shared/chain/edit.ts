import { z } from 'zod';
import { Chain, ErrorClass, FailureMode, Step, StepId, StepVariables } from './chain.ts';
import type { EditLabelKey } from './chain-texts.ts';
import { ownChainFields, ownStepFields } from './step-fields.ts';

/** As in a file: more retries than are possible are a finding of the check, no reason to refuse another edit. */
const AnyRetryPolicy = z.looseObject({
  max_retries: z.int().min(0).optional(),
  error_types: z.array(ErrorClass).optional(),
});

/** Values of a step's fields; a field that is absent is not touched, one that is null or undefined is removed. */
const stepFields = {
  skill_name: z.string(),
  step_name: z.string(),
  action: z.string(),
  skill_instruction: z.string(),
  detail: z.string(),
  depends_on: z.array(z.string()),
  condition: z.string(),
  variables: StepVariables,
  retry_policy: AnyRetryPolicy,
  failure_mode: FailureMode,
  notes: z.string(),
  kind: z.string(),
  with: z.record(z.string(), z.unknown()),
  timeout_seconds: z.number().positive(),
  idempotent: z.boolean(),
  ...ownStepFields,
};

/** A step as it comes from outside: without an id it gets one. */
export const StepDraft = z.looseObject({
  ...z.object(stepFields).partial().shape,
  id: StepId.optional(),
  skill_name: z.string(),
  step_name: z.string(),
  action: z.string(),
});
export type StepDraft = z.infer<typeof StepDraft>;

const optionalOrNull = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> =>
  schema.nullable().optional();

type Removable<T extends Readonly<Record<string, z.ZodType>>> = {
  [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]>>;
};

function removable<T extends Readonly<Record<string, z.ZodType>>>(fields: T): Removable<T> {
  return Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, optionalOrNull(type)])) as Removable<T>;
}

export const StepPatch = z.looseObject(removable(stepFields));
export type StepPatch = z.infer<typeof StepPatch>;

export const ChainPatch = z.looseObject({
  name: z.string().optional(),
  description: optionalOrNull(z.string()),
  purpose: optionalOrNull(z.string()),
  user_intent: optionalOrNull(z.string()),
  tags: optionalOrNull(z.array(z.string())),
  created_at: optionalOrNull(z.string()),
  updated_at: optionalOrNull(z.string()),
  exec_count: optionalOrNull(z.number()),
  ...removable(ownChainFields),
});
export type ChainPatch = z.infer<typeof ChainPatch>;

const ids = z.array(z.string()).min(1);

/** Everything that can be done to a chain. The canvas, the outline, the text view and the command line make these. */
export const ChainEdit = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('add_step'),
    step: StepDraft,
    /** The step behind which it is put; null or absent = at the end. */
    after: z.string().nullable().optional(),
    /** Absent = what `after` names, or nothing. */
    depends_on: z.array(z.string()).optional(),
    /** Puts the step into this connection: it depends on `from`, and `to` depends on it instead of on `from`. */
    insert_between: z.object({ from: z.string(), to: z.string() }).optional(),
  }),
  /** With `bridge` whoever depended on a removed step depends on what that one depended on. */
  z.object({ kind: z.literal('remove_steps'), ids, bridge: z.boolean().default(true) }),
  z.object({ kind: z.literal('update_step'), id: z.string(), patch: StepPatch }),
  /** `to` comes to depend on `from`. */
  z.object({ kind: z.literal('connect'), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('disconnect'), from: z.string(), to: z.string() }),
  /** `to_index` is the place in the list from 0; beyond the end means the end. */
  z.object({ kind: z.literal('move_step'), id: z.string(), to_index: z.int().min(0) }),
  z.object({ kind: z.literal('duplicate_steps'), ids }),
  z.object({ kind: z.literal('update_chain'), patch: ChainPatch }),
  /** Connections among the pasted steps stay, others are dropped: the same id may mean another step here. */
  z.object({ kind: z.literal('paste_steps'), steps: z.array(StepDraft).min(1) }),
  z.object({
    kind: z.literal('replace'),
    chain: Chain.extend({ steps: z.array(Step.extend({ retry_policy: AnyRetryPolicy.optional() })) }),
  }),
]);
/** What `applyEdit` takes; `bridge` may be left out. */
export type ChainEdit = z.input<typeof ChainEdit>;

/** The key of an edit's name in the texts of this room (`editLabel`). */
export function editLabelKey(edit: Pick<ChainEdit, 'kind'>): EditLabelKey {
  return edit.kind;
}
