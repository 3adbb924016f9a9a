import { hash } from 'node:crypto';
import { type Chain, isBuiltInSkill, stepKind } from '../../../shared/chain/chain.ts';
import type { PlanContext } from '../../../shared/run/plan-schema.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { agentPrompt } from './agent-prompt.ts';
import { contextLayers } from './context-layers.ts';
import { countTokens } from './count-tokens.ts';

/** Counts of the last texts: an editor plans the same skills again and again. */
const known = new Map<string, number>();
const knownLimit = 2_000;

/** By step: what an agent would be given, as the chain and its skills are now. Only for steps of kind `agent`. */
export async function planContexts(
  chain: Chain,
  skills: { find(name: string): Promise<SkillRow | null> },
): Promise<ReadonlyMap<string, PlanContext>> {
  const contexts = new Map<string, PlanContext>();
  for (const step of chain.steps) {
    if (stepKind(step) !== 'agent') continue;
    const skill = isBuiltInSkill(step.skill_name) ? null : await skills.find(step.skill_name);
    const { layers, instruction } = contextLayers(step, skill);
    const rows: PlanContext['layers'] = [];
    for (const [index, layer] of layers.entries()) {
      const facts = { chain, step, skillFolder: skill?.folder ?? null, upstream: [], limitBytes: 0 };
      const own = agentPrompt({ ...facts, layer: { ...layer, text: '' }, hasMore: index < layers.length - 1 });
      const tokens = (await remembered(own)) + (await remembered(layer.text));
      const { file, fragment } = layer;
      rows.push({
        layer: layer.layer,
        tokens,
        ...(file === null ? {} : { file }),
        ...(fragment === null
          ? {}
          : {
              fragment: {
                heading: fragment.heading,
                start_line: fragment.start_line,
                end_line: fragment.end_line,
              },
            }),
      });
    }
    contexts.set(step.id, { layers: rows, instruction });
  }
  return contexts;
}

async function remembered(text: string): Promise<number> {
  const key = hash('sha1', text);
  const before = known.get(key);
  if (before !== undefined) return before;
  const tokens = await countTokens(text);
  if (known.size >= knownLimit) known.clear();
  known.set(key, tokens);
  return tokens;
}
