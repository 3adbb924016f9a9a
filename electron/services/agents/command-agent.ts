import { z } from 'zod';
import type { StepContext } from '../runs/executors/executor.ts';
import { tryResultOf } from '../runs/executors/program-result.ts';
import type { Agent, AgentUsage } from './agent.ts';
import { agentEnvironment, type CallableAgent } from './agent-profiles.ts';
import { endsWithError } from './ends-with-error.ts';

/** Linux takes 128 KB in one argument, Windows 32 767 characters in the whole line. */
const argumentLimit = process.platform === 'win32' ? 24_000 : 120_000;
/** More than three times what the context of today's models holds of plain text would only be refused by them. */
const inputLimit = 1_000_000;

/** A command line as an agent. The program runs in the folder that the steps of the run share. */
export function commandAgent(profile: CallableAgent, context: Pick<StepContext, 'run' | 'workFolder'>): Agent {
  const byArgument = profile.prompt === 'argument';
  return {
    name: profile.name,
    timeoutMs: profile.timeout_seconds * 1000,
    promptLimitBytes: byArgument ? argumentLimit : inputLimit,
    async ask(prompt, timeoutMs) {
      const ended = await context.run({
        command: profile.command,
        args: byArgument ? withPrompt(profile.args, prompt) : profile.args,
        cwd: context.workFolder,
        env: agentEnvironment(profile),
        stdin: byArgument ? undefined : prompt,
        timeoutMs,
        shown: [profile.command, ...profile.args],
      });
      const { text, usage, isError } = readEnvelope(ended.stdout.text);
      const result = tryResultOf(
        {
          ...ended,
          stdout: { ...ended.stdout, text },
          exitCode: ended.exitCode === 0 && (isError || endsWithError(text)) ? 1 : ended.exitCode,
        },
        profile.command,
      );
      return { result, said: text, usage };
    },
  };
}

/** Replaces `{prompt}` wherever it stands; a profile that does not say where gets it at the end. */
function withPrompt(args: readonly string[], prompt: string): string[] {
  if (!args.some((arg) => arg.includes('{prompt}'))) return [...args, prompt];
  return args.map((arg) => arg.replaceAll('{prompt}', () => prompt));
}

const Count = z.number().int().min(0);

/** What `claude -p --output-format json` prints: the answer with what it cost. `stream-json` ends with the same. */
const Envelope = z.object({
  result: z.string().optional(),
  is_error: z.boolean().optional(),
  usage: z.object({
    input_tokens: Count,
    output_tokens: Count.optional(),
    // What came from or went into its cache is not in the first number.
    cache_creation_input_tokens: Count.nullish(),
    cache_read_input_tokens: Count.nullish(),
  }),
});

function readEnvelope(printed: string): { text: string; usage: AgentUsage | null; isError: boolean } {
  const whole = printed.trim();
  const none = { text: printed, usage: null, isError: false };
  if (!whole.endsWith('}')) return none;
  const lastLine = whole.slice(whole.lastIndexOf('\n') + 1);
  for (const json of lastLine === whole ? [whole] : [whole, lastLine]) {
    const parsed = Envelope.safeParse(jsonOrNull(json));
    if (!parsed.success) continue;
    const { result, usage, is_error: isError = false } = parsed.data;
    const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
    return {
      text: result ?? printed,
      usage: { input_tokens: usage.input_tokens + cached, output_tokens: usage.output_tokens ?? 0 },
      isError,
    };
  }
  return none;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
