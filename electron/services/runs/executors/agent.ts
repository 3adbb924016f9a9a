import { mkdir } from 'node:fs/promises';
import { isBuiltInSkill } from '../../../../shared/chain/chain.ts';
import { agentEnvironment, findAgent } from '../../agents/agent-profiles.ts';
import { agentPrompt } from '../../agents/agent-prompt.ts';
import type { Executor } from './executor.ts';
import { tryResultOf } from './program-result.ts';
import type { SkillSource } from './skill-exec.ts';

/** Has an agent's program do the step. Failures: AGENT_NOT_FOUND, PROGRAM_NOT_FOUND. */
export function createAgentExecutor(skills: SkillSource): Executor {
  return async (context) => {
    const { step, settings, chain, upstream } = context;
    const chosen = step.with?.['profile'];
    const agent = findAgent(typeof chosen === 'string' && chosen !== '' ? chosen : settings.default_agent, settings);
    const skill = isBuiltInSkill(step.skill_name) ? null : await skills.find(step.skill_name);
    const prompt = agentPrompt({ chain, step, skillFolder: skill?.folder ?? null, upstream });
    const byArgument = agent.prompt === 'argument';
    await mkdir(context.workFolder, { recursive: true });
    const result = await context.run({
      command: agent.command,
      args: byArgument ? withPrompt(agent.args, prompt) : agent.args,
      cwd: context.workFolder,
      env: agentEnvironment(agent),
      stdin: byArgument ? undefined : prompt,
      timeoutMs: context.ownTimeoutMs ?? agent.timeout_seconds * 1000,
      shown: [agent.command, ...agent.args],
    });
    return tryResultOf(result, agent.command);
  };
}

/** Replaces `{prompt}` wherever it stands; a profile that does not say where gets it at the end. */
function withPrompt(args: readonly string[], prompt: string): string[] {
  if (!args.some((arg) => arg.includes('{prompt}'))) return [...args, prompt];
  return args.map((arg) => arg.replaceAll('{prompt}', () => prompt));
}
