import { z } from 'zod';
import { ErrorClass } from '../chain/chain.ts';
import { ClarifyField } from '../chain/step-fields.ts';

/**
 * Everything that can happen in a run. One line of `runs/<id>/journal.jsonl` each, after the header. The state of a
 * run is a fold over these (`run-state.ts`), the same in the engine, the command line and the window.
 */

export const answers = ['retry', 'skip', 'abort'] as const;
export const Answer = z.enum(answers);
export type Answer = z.infer<typeof Answer>;

/** Answers to a step that a person does (`manual`). */
export const manualAnswers = ['done', 'failed', 'skip'] as const;

/** Answers to a step that was in the middle when its program ended. */
export const repeatAnswers = ['retry', 'skip', 'abort'] as const;

export const Question = z.object({
  id: z.string(),
  step_id: z.string(),
  /**
   * `failure`: what to do after a step failed. `manual`: a person does the step and says how it went. `input`: what a
   * `user_input` step asks. `repeat`: whether a step that was in the middle when its program ended may run again.
   */
  kind: z.enum(['failure', 'manual', 'input', 'repeat']),
  /** Empty for `input`, whose answer is a text or, with fields, the JSON text of an object. */
  choices: z.array(z.string()),
  error: z.lazy(() => TryError).nullable(),
  input: z
    .object({
      prompt: z.string(),
      /** Empty = one text. */
      fields: z.array(ClarifyField),
      cancel_words: z.array(z.string()),
      /** Milliseconds after it was asked until the step fails; null = never. */
      timeout_ms: z.number().nullable(),
    })
    .optional(),
});
export type Question = z.infer<typeof Question>;

/** Why a try failed. */
export const TryError = z.object({
  class: ErrorClass,
  /** The CLI's `ERROR:<CODE>`, or our own: `TIMEOUT`, `EXIT`, `SPAWN`, `NO_SUCH_SKILL`, ... */
  code: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
  exit_code: z.number().nullable(),
});
export type TryError = z.infer<typeof TryError>;

/** What a step gave: its text and, where its output holds a JSON object, the fields. Large texts are cut here. */
export const StepOutput = z.object({
  text: z.string(),
  json: z.unknown().optional(),
  truncated: z.boolean(),
  /** The whole of it, when it is too large for a line: `runs/<run>/outputs/<sha256>.json`. */
  whole: z.object({ sha256: z.string(), bytes: z.number().int() }).optional(),
});
export type StepOutput = z.infer<typeof StepOutput>;

/** What one layer of context cost: 1 the action text, 2 with a part of SKILL.md, 3 with the whole. */
export const LayerUse = z.object({
  layer: z.int().min(1).max(3),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  /** Counted here because whoever did it did not say. */
  estimated: z.boolean(),
  /** Why the next layer was tried; null = it was not. */
  left: z.enum(['asked_for_more', 'failed']).nullable(),
});
export type LayerUse = z.infer<typeof LayerUse>;

/** How a try was done; each field only where it applies. */
export const TryWork = z.object({
  /** The agent profile, the model as `endpoint/model`, or the tool as `server/tool`. */
  by: z.string().optional(),
  skill: z.string().optional(),
  /** In the order they were tried; the last one served. */
  layers: z.array(LayerUse).optional(),
});
export type TryWork = z.infer<typeof TryWork>;

export const endStates = ['succeeded', 'failed', 'skipped', 'substituted', 'cancelled'] as const;
export const EndState = z.enum(endStates);
export type EndState = z.infer<typeof EndState>;

/** Why a step or a run ended as it did; shown to the person. */
export const EndReason = z.enum([
  'ok',
  'condition_false',
  /** A route took another way, here or before it. */
  'route_not_taken',
  /** A `user_input` whose `skip_if` was true. */
  'skip_if',
  /** It stands in for a step that did not need it. */
  'fallback_not_needed',
  /** Its stand-in (`on_failure`) succeeded. */
  'substituted',
  /** An item of a `fan_out` that failed, or that was not started because another had failed. */
  'failed_in_fan_out',
  'fan_out_stopped',
  /** The result of an earlier run was used. */
  'reused',
  /** It was not among the steps that were to run again. */
  'not_selected',
  'skipped_by_policy',
  'skipped_by_person',
  'failed_milestone',
  'failed_abort',
  /** The step failed and its `continue_on_error` lets the run go on. */
  'failed_continued',
  'aborted_by_person',
  'run_ended',
  'cancelled_by_person',
  'engine_stopped',
]);
export type EndReason = z.infer<typeof EndReason>;

const base = { seq: z.number().int(), at: z.number() };

export const RunEvent = z.discriminatedUnion('kind', [
  z.object({ ...base, kind: z.literal('run_started') }),
  z.object({ ...base, kind: z.literal('step_ready'), step_id: z.string() }),
  z.object({ ...base, kind: z.literal('step_started'), step_id: z.string(), try: z.number().int() }),
  z.object({
    ...base,
    kind: z.literal('try_succeeded'),
    step_id: z.string(),
    try: z.number().int(),
    output: StepOutput,
    work: TryWork.optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('try_failed'),
    step_id: z.string(),
    try: z.number().int(),
    error: TryError,
    work: TryWork.optional(),
  }),
  /** The next try (`try`) starts after `delay_ms`. */
  z.object({
    ...base,
    kind: z.literal('retry_scheduled'),
    step_id: z.string(),
    try: z.number().int(),
    delay_ms: z.number(),
    class: ErrorClass,
  }),
  z.object({ ...base, kind: z.literal('question_asked'), question: Question }),
  z.object({
    ...base,
    kind: z.literal('question_answered'),
    question_id: z.string(),
    step_id: z.string(),
    answer: z.string(),
    note: z.string().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('step_ended'),
    step_id: z.string(),
    state: EndState,
    reason: EndReason,
    /** Milliseconds since the step first became ready. */
    duration_ms: z.number(),
    /** What its stand-in gave. */
    output: StepOutput.optional(),
  }),
  /** The result of the run that this one repeats a part of. */
  z.object({ ...base, kind: z.literal('step_reused'), step_id: z.string(), output: StepOutput }),
  /** Which way the run goes on after the step; null = none of its entries was true. */
  z.object({ ...base, kind: z.literal('route_taken'), step_id: z.string(), to: z.string().nullable() }),
  /** Its route says which skill the step runs with. */
  z.object({ ...base, kind: z.literal('skill_chosen'), step_id: z.string(), skill: z.string() }),
  /** The step failed for good; the one that its `on_failure` names stands in for it. */
  z.object({ ...base, kind: z.literal('fallback_started'), step_id: z.string(), fallback: z.string() }),
  /** One child `<step>_<n>` per item, n from 1. */
  z.object({ ...base, kind: z.literal('fan_out_expanded'), step_id: z.string(), items: z.array(z.unknown()) }),
  /** Nobody answered in time. */
  z.object({ ...base, kind: z.literal('question_expired'), question_id: z.string(), step_id: z.string() }),
  z.object({ ...base, kind: z.literal('cancel_requested') }),
  /** The proof of a stop: how long it took and how many of the processes that this run started are left. */
  z.object({
    ...base,
    kind: z.literal('processes_stopped'),
    started: z.number().int(),
    left: z.number().int(),
    duration_ms: z.number(),
  }),
  z.object({
    ...base,
    kind: z.literal('run_ended'),
    state: z.enum(['succeeded', 'failed', 'aborted', 'cancelled']),
    reason: EndReason,
    /** The step that ended the run, when one did. */
    step_id: z.string().nullable(),
  }),
  /** Written at the next start for a run whose process died; `torn`: half a decision stood at the end and was cut off. */
  z.object({ ...base, kind: z.literal('run_interrupted'), torn: z.boolean().optional() }),
  /** An interrupted run goes on. */
  z.object({ ...base, kind: z.literal('run_resumed') }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

/** First line of a journal: all that is needed to understand the events after it. */
export const RunHeader = z.object({
  kind: z.literal('run_header'),
  version: z.literal(1),
  run_id: z.string(),
  chain_name: z.string(),
  /** The chain file's text as it was. */
  chain_text: z.string(),
  chain_revision: z.string(),
  /** Settings that matter to this run, as they were. */
  settings: z.object({ default_max_retries: z.number().int(), max_parallel: z.number().int() }),
  /** What the run was started with; sensitive values are `***` and stand in no file. */
  input: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  /** Answers to `user_input` steps that were given at the start, by step. */
  answers: z.record(z.string(), z.string()).optional(),
  /** The run that this one repeats a part of, and what of it is not done again. */
  reuse: z
    .object({
      run_id: z.string(),
      outputs: z.record(z.string(), StepOutput),
      /** Steps that are neither run nor reused. */
      not_selected: z.array(z.string()),
    })
    .optional(),
  /** A hash of what each skill of the chain consisted of; see `skillFingerprint`. */
  skills: z.record(z.string(), z.string()).optional(),
  started_at: z.string(),
  source: z.enum(['window', 'cli', 'api', 'mcp']),
  process: z.object({ pid: z.number().int(), started_at_ms: z.number(), host: z.string() }),
});
export type RunHeader = z.infer<typeof RunHeader>;

export const runStates = ['running', 'waiting', 'succeeded', 'failed', 'aborted', 'cancelled', 'interrupted'] as const;
export const RunStateName = z.enum(runStates);
export type RunStateName = z.infer<typeof RunStateName>;

export const stepStates = ['pending', 'ready', 'running', 'retrying', 'waiting', ...endStates] as const;
export const StepStateName = z.enum(stepStates);
export type StepStateName = z.infer<typeof StepStateName>;

/** A row of the history, made from header and last state; cheap to list. */
export const RunSummary = z.object({
  run_id: z.string(),
  chain_name: z.string(),
  state: RunStateName,
  started_at: z.string(),
  ended_at: z.string().nullable(),
  duration_ms: z.number().nullable(),
  steps_total: z.number().int(),
  steps_by_state: z.partialRecord(StepStateName, z.number().int()),
  retries: z.number().int(),
  open_questions: z.number().int(),
  source: z.string(),
  /** Set when the journal's last line was torn or a line could not be read. */
  damaged: z.boolean(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A piece of a step's output; not part of the journal, kept in `runs/<id>/logs/`. */
export const LogChunk = z.object({
  step_id: z.string(),
  try: z.number().int(),
  stream: z.enum(['stdout', 'stderr', 'engine']),
  text: z.string(),
});
export type LogChunk = z.infer<typeof LogChunk>;
