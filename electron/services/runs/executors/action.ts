import { z } from 'zod';
import type { Action, Scalar } from '../../../../shared/action/manifest.ts';
import { AppError } from '../../../../shared/errors/app-error.ts';
import type { SkillRow } from '../../../../shared/skill/skill.ts';
import type { Executor } from './executor.ts';
import { tryResultOf } from './program-result.ts';

const With = z.looseObject({
  action: z.string().min(1),
  input: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export interface ResolvedAction {
  readonly action: Action;
  readonly slug: string;
  readonly skill: SkillRow | null;
}

/** Where actions come from. Both throw AppErrors: ACTION_NOT_FOUND, ACTION_INPUT_INVALID, ACTION_REFUSED ... */
export interface ActionSource {
  resolve(skillNameOrSlug: string, actionId: string): Promise<ResolvedAction>;
  command(
    resolved: ResolvedAction,
    input: Record<string, Scalar>,
  ): Promise<{
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly maskedArgv: readonly string[];
    /** Values that must appear nowhere. */
    readonly secrets: readonly string[];
    readonly timeoutMs: number;
  }>;
}

/** Runs an entry of the skill's `actions.json`; its sensitive values reach neither the log nor the journal. */
export function createActionExecutor(actions: ActionSource): Executor {
  return async (context) => {
    const { step } = context;
    const fields = With.safeParse(step.with ?? {});
    if (!fields.success) {
      const issue = fields.error.issues[0];
      throw new AppError('INPUT_INVALID', { detail: issue?.message ?? '' }, { field: `with.${issue?.path.join('.')}` });
    }
    const { action: actionId, input = {} } = fields.data;
    const resolved = await actions.resolve(step.skill_name, actionId);
    const { command, args, cwd, env, maskedArgv, secrets, timeoutMs } = await actions.command(resolved, input);
    const result = await context.run({
      command,
      args,
      cwd,
      env,
      secrets,
      timeoutMs: context.ownTimeoutMs ?? timeoutMs,
      shown: maskedArgv,
    });
    return tryResultOf(result, command);
  };
}
