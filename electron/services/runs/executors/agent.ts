import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isBuiltInSkill } from '../../../../shared/chain/chain.ts';
import { toAppError } from '../../../../shared/errors/app-error.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import type { LayerUse } from '../../../../shared/run/event.ts';
import type { Agent, AgentAnswer } from '../../agents/agent.ts';
import { findAgent } from '../../agents/agent-profiles.ts';
import { agentPrompt, proseCondition } from '../../agents/agent-prompt.ts';
import { commandAgent } from '../../agents/command-agent.ts';
import { type ContextLayer, contextLayers } from '../../agents/context-layers.ts';
import { countTokens } from '../../agents/count-tokens.ts';
import { modelAgent } from '../../agents/model-agent.ts';
import { apiKeyOf, environmentSecrets, type SecretStore } from '../../models/model-endpoint.ts';
import type { Executor, StepContext } from './executor.ts';
import type { SkillSource } from './skill-exec.ts';

/** In the step's folder: the layer that its last try came to. */
const layerFile = 'agent-layer';

/**
 * Has an agent do the step, with as little of its skill as it can do with: it gets the next layer when it asks for more
 * or fails with class `other`, all within one try and its time limit. A repeated try starts at the layer that the one
 * before it came to. Failures: AGENT_NOT_FOUND, MODEL_KEY_MISSING, PROGRAM_NOT_FOUND, CONTEXT_NOT_ENOUGH (the agent asks
 * for more than there is).
 */
export function createAgentExecutor(skills: SkillSource, secrets: SecretStore = environmentSecrets()): Executor {
  return async (context) => {
    const { step, chain, upstream } = context;
    const agent = await chosenAgent(context, secrets);
    const deadline = performance.now() + (context.ownTimeoutMs ?? agent.timeoutMs);
    const skill = isBuiltInSkill(step.skill_name) ? null : await skills.find(step.skill_name);
    const { layers } = contextLayers(step, skill);
    await Promise.all([context.workFolder, context.stepFolder].map((folder) => mkdir(folder, { recursive: true })));
    const uses: LayerUse[] = [];
    let at = context.try > 1 ? await lastLayer(context.stepFolder, layers) : 0;
    for (;;) {
      const layer = layers[at]!;
      const hasMore = at < layers.length - 1;
      const prompt = agentPrompt({
        chain,
        step,
        skillFolder: skill?.folder ?? null,
        upstream,
        layer,
        hasMore,
        limitBytes: agent.promptLimitBytes,
      });
      await writeFile(join(context.stepFolder, layerFile), String(layer.layer));
      const answer = await agent.ask(prompt, Math.max(1, deadline - performance.now()));
      const left = hasMore && !context.signal.aborted ? whyLeft(answer.result) : null;
      uses.push({ layer: layer.layer, ...(await tokensOf(prompt, answer)), left });
      if (left === null) {
        const work = { by: agent.name, ...(skill === null ? {} : { skill: skill.name }), layers: uses };
        return { ...judged(answer.result, proseCondition(step) !== null), work };
      }
      at += 1;
      context.write('engine', `# layer ${layer.layer} -> ${layers[at]!.layer} (${left}): ${reasonOf(answer.result)}\n`);
    }
  };
}

/** The command line of that name, else the model of that name. Errors: AGENT_NOT_FOUND, MODEL_KEY_MISSING. */
async function chosenAgent(context: StepContext, secrets: SecretStore): Promise<Agent> {
  const { step, settings } = context;
  const profile = step.with?.['profile'];
  const name = typeof profile === 'string' && profile !== '' ? profile : settings.default_agent;
  try {
    return commandAgent(findAgent(name, settings), context);
  } catch (thrown) {
    const endpoint = settings.models.find((one) => one.name === name);
    if (toAppError(thrown).code !== 'AGENT_NOT_FOUND' || endpoint === undefined) throw thrown;
    return modelAgent(endpoint, await apiKeyOf(endpoint, secrets), context);
  }
}

/** Where the try before ended: with less than that it was not done. */
async function lastLayer(stepFolder: string, layers: readonly ContextLayer[]): Promise<number> {
  const written = await readFile(join(stepFolder, layerFile), 'utf8').catch(() => '1');
  return Math.max(
    0,
    layers.findLastIndex(({ layer }) => layer <= Number(written)),
  );
}

function whyLeft(result: TryResult): LayerUse['left'] {
  if (result.kind === 'succeeded') return asksForMore(result) ? 'asked_for_more' : null;
  if (result.kind === 'declined' || result.error.class !== 'other') return null;
  // A program that does not start does not start with more context either.
  return result.error.code === 'PROGRAM_NOT_FOUND' || result.error.code === 'SPAWN' ? null : 'failed';
}

/** What the last layer's answer means. */
function judged(result: TryResult, mayDecline: boolean): TryResult {
  if (asksForMore(result)) {
    const message = reasonOf(result) || 'the agent asks for more context than the skill has';
    const hint = 'Say more in the action or the detail of the step, or choose another skill.';
    return { kind: 'failed', error: { class: 'other', code: 'CONTEXT_NOT_ENOUGH', message, hint, exit_code: null } };
  }
  if (mayDecline && jsonOf(result)?.['skip'] === true) return { kind: 'declined' };
  return result;
}

function asksForMore(result: TryResult): boolean {
  return jsonOf(result)?.['need_more_context'] === true;
}

function reasonOf(result: TryResult): string {
  if (result.kind === 'failed') return `${result.error.code}: ${result.error.message}`.slice(0, 500);
  const reason = jsonOf(result)?.['reason'];
  return typeof reason === 'string' ? reason.slice(0, 500) : '';
}

function jsonOf(result: TryResult): Record<string, unknown> | null {
  const json = result.kind === 'succeeded' ? result.output.json : null;
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null;
}

async function tokensOf(
  prompt: string,
  { said, usage }: AgentAnswer,
): Promise<Pick<LayerUse, 'input_tokens' | 'output_tokens' | 'estimated'>> {
  if (usage !== null) return { ...usage, estimated: false };
  return { input_tokens: await countTokens(prompt), output_tokens: await countTokens(said), estimated: true };
}
