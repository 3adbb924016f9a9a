import { type Chain, type Step, stepKind } from '../chain/chain.ts';
import { classifyMilestones } from '../chain/milestones.ts';
import type { Clarify, FanOutMergeMode, FanOutTemplate } from '../chain/step-fields.ts';
import { invariant } from '../errors/invariant.ts';
import { parseCondition } from '../template/parse-template.ts';
import type { Condition } from '../template/template.ts';
import type { RunHeader } from './event.ts';
import type { FailurePolicy } from './failure-policy.ts';
import { type OutputRules, outputRulesOf } from './output-rules.ts';

/** What the run of a chain has to know of it, worked out once. */
export interface RunOutline {
  readonly max_parallel: number;
  readonly steps: ReadonlyMap<string, OutlineStep>;
  /** The steps whose `variables.outputs` name a variable. */
  readonly declarers: ReadonlyMap<string, readonly string[]>;
  readonly input: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Answers to `user_input` steps that were given at the start. */
  readonly answers: Readonly<Record<string, string>>;
  readonly reuse: RunHeader['reuse'];
}

export interface OutlineStep {
  readonly id: string;
  readonly kind: string;
  readonly step: Step;
  /** Steps that wait for it, and those that its route may lead to. */
  readonly dependents: readonly string[];
  /** Steps that it waits for; a router of it is one, whether or not its `depends_on` names it. */
  readonly dependencies: readonly string[];
  /** Those of its dependencies whose route may lead to it. */
  readonly routers: readonly string[];
  readonly policy: FailurePolicy;
  /** `when` and `condition`; all must be true. */
  readonly conditions: readonly Condition[];
  readonly route: OutlineRoute | null;
  /** The step that stands in for it, and the one that it stands in for. */
  readonly fallback: string | null;
  readonly primary: string | null;
  readonly rules: OutputRules | null;
  readonly clarify: (Clarify & { readonly skipIf: Condition | null }) | null;
  readonly fan_out: OutlineFanOut | null;
  /** It may run again after it was cut off in the middle. */
  readonly may_repeat: boolean;
}

export interface OutlineRoute {
  /** The steps that `ways` lead to. */
  readonly targets: ReadonlySet<string>;
  /** Entries that lead to a step, in order; without `when` it is taken when no other is. */
  readonly ways: readonly { readonly when: Condition | null; readonly to: string }[];
  /** Entries that choose the skill with which the step runs. */
  readonly skills: readonly { readonly when: Condition | null; readonly to: string }[];
}

export interface OutlineFanOut {
  readonly template: FanOutTemplate;
  readonly max_concurrency: number;
  readonly merge: FanOutMergeMode;
  /** A child that failed does not fail the step. */
  readonly continues: boolean;
  /** What is the same for every child; its `id` is the parent's. */
  readonly child: OutlineStep;
}

/** Children of one `fan_out` that run at once when the step does not say. */
export const defaultFanOutConcurrency = 4;

/** The outline of a chain without cycles, as the header says it was started. */
export function outlineOf(header: RunHeader, chain: Chain): RunOutline {
  const milestones = classifyMilestones(chain);
  const known = new Set(chain.steps.map((step) => step.id));
  const primaries = new Map<string, string>();
  const routers = new Map<string, string[]>();
  for (const step of chain.steps) {
    if (step.on_failure !== undefined && known.has(step.on_failure)) primaries.set(step.on_failure, step.id);
    for (const { to } of step.route ?? []) {
      if (!known.has(to) || to === step.id) continue;
      const list = routers.get(to);
      if (list === undefined) routers.set(to, [step.id]);
      else if (!list.includes(step.id)) list.push(step.id);
    }
  }
  const dependents = new Map<string, string[]>(chain.steps.map((step) => [step.id, []]));
  const declarers = new Map<string, string[]>();
  const dependencies = chain.steps.map((step) => {
    const own = routers.get(step.id);
    if (own === undefined) return step.depends_on.length < 2 ? step.depends_on : [...new Set(step.depends_on)];
    return [...new Set([...step.depends_on, ...own])];
  });
  chain.steps.forEach((step, place) => {
    for (const id of dependencies[place]!) dependents.get(id)?.push(step.id);
    for (const name of Object.keys(step.variables?.outputs ?? {})) {
      const list = declarers.get(name);
      if (list === undefined) declarers.set(name, [step.id]);
      else list.push(step.id);
    }
  });
  const steps = new Map<string, OutlineStep>();
  for (const [place, step] of chain.steps.entries()) {
    const isMilestone = milestones.get(step.id)?.is_milestone;
    invariant(isMilestone !== undefined, 'every step has an answer to whether it is a milestone');
    const policy = policyOf(step, isMilestone, header.settings.default_max_retries);
    steps.set(step.id, {
      ...partOf(step, policy),
      dependents: dependents.get(step.id) ?? noIds,
      dependencies: dependencies[place]!,
      routers: routers.get(step.id) ?? noIds,
      route: step.route === undefined ? null : routeOf(step, known),
      fallback: step.on_failure !== undefined && known.has(step.on_failure) ? step.on_failure : null,
      primary: primaries.get(step.id) ?? null,
      fan_out: stepKind(step) === 'fan_out' ? fanOutOf(step, policy) : null,
    });
  }
  return {
    max_parallel: header.settings.max_parallel,
    steps,
    declarers,
    input: header.input ?? '',
    inputs: header.inputs ?? {},
    answers: header.answers ?? {},
    reuse: header.reuse,
  };
}

const noIds: readonly string[] = [];
const noConditions: readonly Condition[] = [];

/** What a step is by itself, without its place among the others. */
function partOf(step: Step, policy: FailurePolicy): OutlineStep {
  const kind = stepKind(step);
  return {
    id: step.id,
    kind,
    step,
    dependents: noIds,
    dependencies: noIds,
    routers: noIds,
    policy,
    conditions: conditionsOf(step),
    route: null,
    fallback: null,
    primary: null,
    rules: outputRulesOf(step),
    clarify: kind === 'user_input' ? { ...step.clarify, skipIf: parsed(step.clarify?.skip_if) } : null,
    fan_out: null,
    may_repeat: step.idempotent === true || repeatable.has(kind),
  };
}

/** Kinds that change nothing outside the run, so that doing them twice costs time and no more. */
const repeatable: ReadonlySet<string> = new Set(['llm_chat', 'llm_classify', 'user_input', 'manual', 'fan_out']);

function conditionsOf(step: Step): readonly Condition[] {
  const when = parsed(step.when);
  // The seed's field may hold a sentence for the agent; what is no condition is shown to the agent and not evaluated.
  const condition = parsed(step.condition);
  if (when === null) return condition === null ? noConditions : [condition];
  return condition === null ? [when] : [when, condition];
}

function parsed(text: string | undefined): Condition | null {
  if (text === undefined || text.trim() === '') return null;
  const result = parseCondition(text);
  return result.ok ? result.condition : null;
}

function routeOf(step: Step, known: ReadonlySet<string>): OutlineRoute {
  const entries = (step.route ?? []).map(({ when, to }) => ({ when: parsed(when), to, isDefault: when === undefined }));
  // An entry whose condition can not be read is never true; the check refuses such a chain.
  const usable = entries.filter(({ when, isDefault, to }) => (when !== null || isDefault) && to !== step.id);
  return {
    // Also those of entries that can not be read: they are never taken.
    targets: new Set(entries.filter(({ to }) => known.has(to) && to !== step.id).map(({ to }) => to)),
    ways: usable.filter(({ to }) => known.has(to)),
    skills: usable.filter(({ to }) => !known.has(to)),
  };
}

function fanOutOf(step: Step, policy: FailurePolicy): OutlineFanOut {
  const template = step.fan_out_template ?? { kind: 'agent' };
  const wanted = step.fan_out_max_concurrency ?? defaultFanOutConcurrency;
  const child = childStep(step, template);
  return {
    template,
    max_concurrency: wanted === 0 ? Number.POSITIVE_INFINITY : Math.max(1, wanted),
    merge: step.fan_out_merge_mode ?? 'concat',
    continues: saysContinue(step) || isOn(template.continue_on_error) || isOn(template.with?.['continue_on_error']),
    child: partOf(child, {
      ...policy,
      retries_by_itself: !askedKinds.has(stepKind(child)),
      is_milestone: false,
      continue_on_error: false,
      on_exhaust: 'abort',
    }),
  };
}

/** The step that a child of a `fan_out` carries out; ids, item and index come from its place. */
function childStep(step: Step, template: FanOutTemplate): Step {
  const { continue_on_error: _, skill, ...fields } = template;
  const skillName = template.skill_name ?? (typeof skill === 'string' ? skill : step.skill_name);
  return {
    ...(step.retry_policy === undefined ? {} : { retry_policy: step.retry_policy }),
    ...(step.timeout_seconds === undefined ? {} : { timeout_seconds: step.timeout_seconds }),
    ...(step.idempotent === undefined ? {} : { idempotent: step.idempotent }),
    ...fields,
    action: template.action ?? step.action,
    id: step.id,
    step_name: step.step_name,
    skill_name: skillName,
    depends_on: [],
  };
}

/** Kinds that a person does: asked about when they fail, never repeated by themselves, and in no need of a place. */
export const askedKinds: ReadonlySet<string> = new Set(['manual', 'user_input']);

function policyOf(step: Step, isMilestone: boolean, defaultMaxRetries: number): FailurePolicy {
  const kind = stepKind(step);
  return {
    max_retries: step.retry_policy?.max_retries ?? defaultMaxRetries,
    error_types: step.retry_policy?.error_types ?? [],
    on_exhaust: step.failure_mode?.on_exhaust ?? 'ask',
    is_milestone: isMilestone,
    continue_on_error: saysContinue(step),
    // The children of a fan-out are repeated, not the whole of it.
    retries_by_itself: !askedKinds.has(kind) && kind !== 'fan_out',
  };
}

/** Both places where files say it. */
function saysContinue(step: Step): boolean {
  return isOn(step.continue_on_error) || isOn(step.with?.['continue_on_error']);
}

function isOn(value: unknown): boolean {
  return value === true || value === 'true';
}
