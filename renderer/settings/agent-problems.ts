import type { AgentProfile } from '../../shared/settings/settings.ts';

export type AgentProblem = 'empty' | 'long' | 'taken' | 'noPlaceholder' | 'notPositive';

/** What keeps a profile from being saved, by field, in the order of the form. `others` = names that are taken. */
export function agentProblems(
  profile: AgentProfile,
  others: readonly string[],
): Partial<Record<keyof AgentProfile, AgentProblem>> {
  const problems: Partial<Record<keyof AgentProfile, AgentProblem>> = {};
  if (profile.name === '') problems.name = 'empty';
  else if (profile.name.length > 60) problems.name = 'long';
  else if (others.includes(profile.name)) problems.name = 'taken';
  if (profile.command === '') problems.command = 'empty';
  // Without a place for it, the agent would be started and never be told what to do.
  if (profile.prompt === 'argument' && !profile.args.some((argument) => argument.includes('{prompt}'))) {
    problems.args = 'noPlaceholder';
  }
  if (!(Number.isFinite(profile.timeout_seconds) && profile.timeout_seconds > 0)) {
    problems.timeout_seconds = 'notPositive';
  }
  return problems;
}
