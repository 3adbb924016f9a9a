import { basename } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { AgentProfile, Settings } from '../../../shared/settings/settings.ts';

/** A profile that can be called, with the variables of our environment that its program may see. */
export interface CallableAgent extends AgentProfile {
  readonly passEnv: readonly RegExp[];
}

/** Programs that many people have; a profile of the settings with the same name takes the place of one of these. */
const presets: readonly AgentProfile[] = [
  {
    name: 'claude',
    command: 'claude',
    args: ['-p', '--output-format', 'text'],
    prompt: 'stdin',
    timeout_seconds: 1800,
  },
  {
    name: 'codex',
    command: 'codex',
    args: ['exec', '--skip-git-repo-check', '-'],
    prompt: 'stdin',
    timeout_seconds: 1800,
  },
  {
    name: 'openclaw',
    command: 'openclaw',
    args: ['agent', '--local', '--agent', 'main', '--message', '{prompt}'],
    prompt: 'argument',
    timeout_seconds: 1800,
  },
  { name: 'gemini', command: 'gemini', args: ['-p', '{prompt}'], prompt: 'argument', timeout_seconds: 1800 },
  { name: 'opencode', command: 'opencode', args: ['run', '{prompt}'], prompt: 'argument', timeout_seconds: 1800 },
];

/** Keys and addresses that an agent's own program is set up with; no other program sees them. */
const variablesOf: Readonly<Record<string, readonly RegExp[]>> = {
  claude: [/^(ANTHROPIC|CLAUDE)_/, /^(AWS|GOOGLE_CLOUD|VERTEX|CLOUD_ML)_/],
  codex: [/^(OPENAI|CODEX|AZURE_OPENAI)_/],
  openclaw: [/^(OPENCLAW|ANTHROPIC|OPENAI|GEMINI|OPENROUTER)_/],
  gemini: [/^(GEMINI|GOOGLE)_/],
  opencode: [/^(OPENCODE|ANTHROPIC|OPENAI|GEMINI|OPENROUTER)_/],
};

/** The names that a step may give as its profile: the command lines of the settings, the presets, the models. */
export function agentNames(settings: Pick<Settings, 'agents' | 'models'>): string[] {
  return [...new Set([...settings.agents, ...presets, ...settings.models].map(({ name }) => name))];
}

/** Errors: AGENT_NOT_FOUND. */
export function findAgent(name: string, settings: Pick<Settings, 'agents'>): CallableAgent {
  const profile = [...settings.agents, ...presets].find((one) => one.name === name);
  if (profile === undefined) throw new AppError('AGENT_NOT_FOUND', { name });
  const program = basename(profile.command).replace(/\.(exe|cmd|bat)$/i, '');
  return { ...profile, passEnv: variablesOf[program] ?? [] };
}

/** The part of our environment that the agent's program may see besides what every child sees. */
export function agentEnvironment(
  agent: Pick<CallableAgent, 'passEnv'>,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => agent.passEnv.some((pattern) => pattern.test(name))),
  );
}
