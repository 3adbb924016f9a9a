import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { scalarText } from '../../../../shared/action/argv.ts';
import type { Step } from '../../../../shared/chain/chain.ts';
import { ExecArguments } from '../../../../shared/chain/chain.ts';
import { AppError } from '../../../../shared/errors/app-error.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import type { SkillRow } from '../../../../shared/skill/skill.ts';
import { interpreterFor } from '../../actions/interpreter.ts';
import { searchPath } from '../../processes/env.ts';
import { createProgramFinder } from '../../skills/find-program.ts';
import type { Executor } from './executor.ts';
import { tryResultOf } from './program-result.ts';

const With = z.looseObject({
  entrypoint: z.string().min(1),
  args: ExecArguments.optional(),
  stdin: z.string().optional(),
  /** A folder of the skill; absent = the skill's own. */
  cwd: z.string().optional(),
  /** `json`: the output has to be JSON. */
  parse_mode: z.enum(['text', 'json']).optional(),
});

/** Where skills come from. */
export interface SkillSource {
  find(name: string): Promise<SkillRow | null>;
}

/**
 * Runs a file of the step's skill: Python, Node and shell files by their interpreter, anything else as a program.
 * Failures: SKILL_NOT_FOUND, SCRIPT_NOT_FOUND (also for a file outside the skill), INPUT_INVALID.
 */
export function createSkillExecExecutor(skills: SkillSource): Executor {
  return async (context) => {
    const { step, settings } = context;
    const fields = With.safeParse(withAliases(step));
    if (!fields.success) {
      const issue = fields.error.issues[0];
      throw new AppError('INPUT_INVALID', { detail: issue?.message ?? '' }, { field: `with.${issue?.path.join('.')}` });
    }
    const { entrypoint, args = [], stdin, cwd, parse_mode } = fields.data;
    const skill = await skills.find(step.skill_name);
    if (skill === null) throw new AppError('SKILL_NOT_FOUND', { name: step.skill_name });
    const script = await findScript(skill, entrypoint);
    const interpreter = interpreterFor(script, {
      python: settings.python,
      skillFolder: skill.folder,
      findProgram: createProgramFinder({ ...process.env, PATH: searchPath() }),
      platform: process.platform,
    });
    const [command, ...before] = interpreter === null ? [script] : [interpreter, script];
    const allArgs = [...before, ...args.map(scalarText)];
    const result = await context.run({
      command: command!,
      args: allArgs,
      cwd: await workingFolder(skill, cwd),
      stdin,
      timeoutMs: context.ownTimeoutMs ?? settings.step_timeout_seconds * 1000,
      shown: [command!, ...allArgs],
    });
    const ended = tryResultOf(result, command!);
    return parse_mode === 'json' && ended.kind === 'succeeded' ? withJson(ended) : ended;
  };
}

/** `skill_exec_...` on the step itself, as MetaSkill has it, stands for the entry of the same name in `with`. */
function withAliases(step: Step): Record<string, unknown> {
  const aliases: Record<string, unknown> = {
    entrypoint: step.skill_exec_entrypoint,
    args: step.skill_exec_args,
    stdin: step.skill_exec_stdin,
    cwd: step.skill_exec_cwd,
    parse_mode: step.skill_exec_parse_mode,
  };
  return { ...Object.fromEntries(Object.entries(aliases).filter(([, value]) => value !== undefined)), ...step.with };
}

/** The whole output as JSON, a code fence round it left out; what is none fails the try. */
function withJson(ended: Extract<TryResult, { kind: 'succeeded' }>): TryResult {
  const text = ended.output.text.trim().replace(/^```[a-z]*\n([\s\S]*)\n```$/i, '$1');
  try {
    return { ...ended, output: { ...ended.output, json: JSON.parse(text) as unknown } };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      kind: 'failed',
      error: { class: 'other', code: 'OUTPUT_CONTRACT_FAILED', message, hint: null, exit_code: 0 },
    };
  }
}

/** A folder inside the skill's. Errors: INPUT_INVALID. */
async function workingFolder(skill: SkillRow, cwd: string | undefined): Promise<string> {
  if (cwd === undefined || cwd === '') return skill.folder;
  const [base, real] = await Promise.all([realpath(skill.folder), realpath(join(skill.folder, cwd)).catch(() => null)]);
  if (real !== null && !isAbsolute(cwd) && (real === base || isInside(base, real))) return real;
  const params = { detail: `"${cwd}" is no folder of the skill`, 'detail:zh-CN': `“${cwd}”不是该技能中的文件夹` };
  throw new AppError('INPUT_INVALID', params, { field: 'with.cwd' });
}

/** The file that an entrypoint names: in the skill's folder or its `scripts`, never outside, links followed. */
async function findScript(skill: SkillRow, entrypoint: string): Promise<string> {
  const missing = () => new AppError('SCRIPT_NOT_FOUND', { name: skill.name, script: entrypoint });
  const written = entrypoint.replaceAll('\\', '/');
  if (written.includes('\0')) throw missing();
  const folder = await realpath(skill.folder).catch(() => null);
  if (folder === null) throw missing();
  const places = isAbsolute(written) ? [written] : [join(folder, written), join(folder, 'scripts', written)];
  for (const place of places) {
    const real = await realpath(resolve(place)).catch(() => null);
    if (real === null || !isInside(folder, real)) continue;
    if ((await stat(real)).isFile()) return real;
  }
  throw missing();
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '' && !path.startsWith('..') && !isAbsolute(path);
}
