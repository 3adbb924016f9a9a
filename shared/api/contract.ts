import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { Job, SkillActions } from '../action/manifest.ts';
import { ChainLayout, ChainProblem, ErrorClass } from '../chain/chain.ts';
import { isErrorCode } from '../errors/error-codes.ts';
import {
  EndReason,
  LogChunk,
  Question,
  RunEvent,
  RunHeader,
  RunStateName,
  RunSummary,
  StepStateName,
} from '../run/event.ts';
import { Plan } from '../run/plan-schema.ts';
import { rerunReasons, rerunVerdicts } from '../run/reuse.ts';
import { SettingProblem } from '../settings/settings.ts';
import { SkillDetail, SkillScan } from '../skill/skill.ts';

/**
 * The one contract between the services and every host: the window over a message port or the local server, other
 * programs over the local server. Streams end when the caller aborts them. Every failure is the one typed error
 * `APP`, whose data is a `WireError`.
 */

const Params = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export const WireErrorSchema = z.object({
  code: z.string().refine(isErrorCode, 'unknown error code'),
  params: Params,
  place: z.object({
    file: z.string().optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    field: z.string().optional(),
  }),
});

const call = oc.errors({ APP: { status: 422, data: WireErrorSchema } });

const Name = z.string().min(1).max(1000);

const plainInputs = {
  input: z.string().max(1_000_000).optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  /** Answers to `user_input` steps, by step id. */
  answers: z.record(z.string(), z.string()).optional(),
};
const startInputs = { ...plainInputs, source: z.enum(['window', 'cli', 'api', 'mcp']).optional() };

const RerunRequest = z.object({
  run_id: z.string(),
  scope: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('from'), step_id: z.string() }),
    z.object({ kind: z.literal('only'), step_id: z.string() }),
    z.object({ kind: z.literal('failed') }),
  ]),
  ...startInputs,
});

const RerunRowSchema = z.object({
  step_id: z.string(),
  verdict: z.enum(rerunVerdicts),
  reason: z.enum(rerunReasons),
  /** The step upstream that causes it, where one does. */
  cause: z.string().optional(),
});

const FaultsSchema = z.object({
  failures: z
    .array(z.object({ step_id: z.string(), class: ErrorClass, times: z.int().min(1).max(1000) }))
    .max(1000)
    .default([]),
  answers: z
    .array(z.object({ step_id: z.string(), answer: z.string() }))
    .max(1000)
    .default([]),
  outputs: z.record(z.string(), z.string()).default({}),
  try_ms: z.record(z.string(), z.number().min(0)).optional(),
  cancel_at_ms: z.number().min(0).optional(),
});

export const SimulationSchema = z.object({
  state: RunStateName,
  events: z.array(RunEvent),
  retry_wait_ms: z.number(),
  duration_ms: z.number(),
  /** What nobody had an answer for. */
  open_questions: z.array(Question),
  steps: z.array(
    z.object({
      step_id: z.string(),
      state: StepStateName,
      reason: EndReason.nullable(),
      tries: z.number().int(),
      last_error: ErrorClass.nullable(),
    }),
  ),
});
export const ChainSummary = z.object({
  name: z.string(),
  file: z.string(),
  /** SHA-256 of the file's bytes, hex. */
  revision: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  steps: z.number().int(),
  milestones: z.number().int(),
  exec_count: z.number(),
  updated_at: z.string(),
  problems: z.object({ errors: z.number().int(), warnings: z.number().int() }),
  /** Set when the file can not be read as a chain; it is listed all the same. */
  broken: z.object({ code: z.string(), params: Params, line: z.number().optional() }).nullable(),
  last_run: RunSummary.pick({ run_id: true, state: true, started_at: true }).nullable(),
});
export type ChainSummary = z.infer<typeof ChainSummary>;

export const ChainDocument = z.object({
  name: z.string(),
  file: z.string(),
  text: z.string(),
  revision: z.string(),
  layout: ChainLayout,
  /** A newer unsaved text that was kept when the program ended; null when there is none. */
  draft: z.object({ text: z.string(), based_on: z.string(), saved_at: z.string() }).nullable(),
});
export type ChainDocument = z.infer<typeof ChainDocument>;

/** Something changed; whoever shows it reads it again. */
export const AppEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chains_changed'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('skills_changed') }),
  z.object({ kind: z.literal('settings_changed') }),
  z.object({ kind: z.literal('run_changed'), run: RunSummary }),
  z.object({ kind: z.literal('job_changed'), job: Job }),
  /** A sign of life, so that a dead connection is noticed. */
  z.object({ kind: z.literal('alive') }),
]);
export type AppEvent = z.infer<typeof AppEvent>;

/** At most ten of these a second; `end` is the last one of an ended run. */
export const RunBatch = z.object({
  events: z.array(RunEvent),
  logs: z.array(LogChunk),
  /** Log bytes that were left out of `logs` because the reader was too slow; they are in the files. */
  dropped_bytes: z.number(),
  end: z.boolean(),
});
export type RunBatch = z.infer<typeof RunBatch>;

export const SettingsView = z.object({
  /** Effective values by key; schemas and defaults are in shared/settings. */
  values: z.record(z.string(), z.unknown()),
  /** Keys that the file sets. */
  changed: z.array(z.string()),
  problems: z.array(SettingProblem),
  file: z.string(),
  /** Where a file that could not be read was put; null when there was none. */
  set_aside: z.string().nullable(),
});
export type SettingsView = z.infer<typeof SettingsView>;

export const contract = {
  app: {
    info: call.output(
      z.object({
        version: z.string(),
        data_home: z.string(),
        skills_home: z.string(),
        platform: z.string(),
        locale: z.string(),
        transport: z.enum(['window', 'server']),
        first_start: z.boolean(),
      }),
    ),
    watch: call.output(eventIterator(AppEvent)),
    /** Copies the sample skills and chains into the data home; never overwrites. Returns the names of the chains. */
    installSamples: call.output(z.object({ chains: z.array(z.string()), skills: z.array(z.string()) })),
  },
  chains: {
    list: call.output(z.array(ChainSummary)),
    get: call.input(z.object({ name: Name })).output(ChainDocument),
    /** Errors: CHAIN_NAME_INVALID, CHAIN_NAME_CLASH, CHAIN_EXISTS. */
    create: call
      .input(z.object({ name: Name, text: z.string().optional() }))
      .output(z.object({ name: z.string(), revision: z.string() })),
    /**
     * Writes the file's text whole. `base_revision` is what the text was made from; `force` overwrites on conflict.
     * Errors: CONFLICT, CHAIN_FILE_BROKEN, CHAIN_CYCLE, CHAIN_NOT_FOUND.
     */
    save: call
      .input(z.object({ name: Name, text: z.string(), base_revision: z.string(), force: z.boolean().optional() }))
      .output(z.object({ revision: z.string() })),
    rename: call
      .input(z.object({ name: Name, new_name: Name, base_revision: z.string().optional() }))
      .output(z.object({ name: z.string(), revision: z.string() })),
    duplicate: call.input(z.object({ name: Name, new_name: Name })).output(z.object({ name: z.string() })),
    /** Moves the file into `chains/.trash/`; returns where. */
    delete: call.input(z.object({ name: Name })).output(z.object({ trashed: z.string() })),
    /** Puts back what `delete` moved away. */
    restore: call.input(z.object({ trashed: z.string() })).output(z.object({ name: z.string() })),
    saveLayout: call.input(z.object({ name: Name, layout: ChainLayout })).output(z.object({})),
    saveDraft: call.input(z.object({ name: Name, text: z.string(), based_on: z.string() })).output(z.object({})),
    discardDraft: call.input(z.object({ name: Name })).output(z.object({})),
    /** Plans the text (what is on the screen) or, without it, the saved chain. */
    plan: call
      .input(z.object({ name: Name, text: z.string().optional(), locale: z.enum(['en', 'zh-CN']).optional() }))
      .output(Plan),
    validate: call.input(z.object({ name: Name })).output(z.object({ problems: z.array(ChainProblem) })),
  },
  skills: {
    list: call.output(SkillScan),
    rescan: call.output(SkillScan),
    get: call.input(z.object({ id: z.string() })).output(SkillDetail),
  },
  actions: {
    list: call.output(z.array(SkillActions)),
    /**
     * Starts an action as a job. Errors: ACTION_NOT_FOUND, ACTION_INPUT_INVALID, ACTION_REFUSED (placement),
     * CONFIRMATION_NEEDED when the manifest asks for it and `confirmed` is not true.
     */
    run: call
      .input(
        z.object({
          skill_slug: Name,
          action_id: Name,
          input: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
          source: z.enum(['toolbar', 'skill-detail', 'agent', 'cron', 'cli', 'api']),
          confirmed: z.boolean().optional(),
        }),
      )
      .output(Job),
    /** The exact argv that `run` would use, sensitive values masked. */
    preview: call
      .input(
        z.object({
          skill_slug: Name,
          action_id: Name,
          input: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
        }),
      )
      .output(z.object({ argv: z.array(z.string()) })),
  },
  jobs: {
    list: call.output(z.array(Job)),
    get: call.input(z.object({ id: z.string() })).output(Job),
    cancel: call.input(z.object({ id: z.string() })).output(Job),
  },
  runs: {
    list: call
      .input(z.object({ chain_name: z.string().optional(), limit: z.int().min(1).max(1000).optional() }).optional())
      .output(z.array(RunSummary)),
    /** Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN, CHAIN_CYCLE, CHAIN_INVALID. */
    start: call.input(z.object({ chain_name: Name, ...startInputs })).output(z.object({ run_id: z.string() })),
    /**
     * Goes on with an interrupted run. `inputs`: the sensitive ones, which stand in no file. Errors: RUN_NOT_FOUND,
     * RUN_ENDED, RUN_ELSEWHERE, INPUT_INVALID.
     */
    resume: call
      .input(z.object({ run_id: z.string(), inputs: z.record(z.string(), z.unknown()).optional() }))
      .output(z.object({})),
    /** What a run of a part of the chain would reuse of an earlier run, per step and why. */
    previewRerun: call.input(RerunRequest).output(z.array(RerunRowSchema)),
    /** Starts it as a run of its own. */
    rerun: call.input(RerunRequest).output(z.object({ run_id: z.string() })),
    /** What would happen if steps failed and people answered as told; `text`: what is on the screen. */
    simulate: call
      .input(z.object({ name: Name, text: z.string().optional(), faults: FaultsSchema, ...plainInputs }))
      .output(SimulationSchema),
    get: call
      .input(z.object({ run_id: z.string() }))
      .output(z.object({ header: RunHeader, events: z.array(RunEvent), damaged: z.boolean() })),
    /** Events from `after_seq` on and live output; ends when the run has ended. */
    watch: call
      .input(z.object({ run_id: z.string(), after_seq: z.int().min(-1).optional() }))
      .output(eventIterator(RunBatch)),
    /** Errors: QUESTION_NOT_FOUND, ANSWER_INVALID. */
    answer: call
      .input(
        z.object({
          run_id: z.string(),
          question_id: z.string(),
          answer: z.string(),
          note: z.string().max(10_000).optional(),
        }),
      )
      .output(z.object({})),
    /** Ends the whole process tree of every running step; `force` kills at once. */
    cancel: call.input(z.object({ run_id: z.string(), force: z.boolean().optional() })).output(z.object({})),
    /** Part of a try's output file. `offset` < 0 counts from the end. At most 256 KB a call. */
    log: call
      .input(z.object({ run_id: z.string(), step_id: z.string(), try: z.int().min(1), offset: z.int().optional() }))
      .output(z.object({ text: z.string(), offset: z.number(), size: z.number() })),
    delete: call.input(z.object({ run_id: z.string() })).output(z.object({})),
  },
  settings: {
    get: call.output(SettingsView),
    /** Changes the named keys; null resets one to its default. Errors: SETTINGS_INVALID (nothing is written). */
    set: call.input(z.object({ patch: z.record(z.string(), z.unknown()) })).output(SettingsView),
  },
};
