import type { InputSchema, Scalar, SkillActions } from '../../../shared/action/manifest.ts';
import type { Chain, Step } from '../../../shared/chain/chain.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';

/** What the palette offers: a skill, or one of the two kinds that need none. */
export type PaletteItem =
  | { readonly kind: 'skill'; readonly row: SkillRow; readonly actions: SkillActions | null }
  | { readonly kind: 'manual'; readonly name: string }
  | { readonly kind: 'agent'; readonly name: string };

export type NewStep = Partial<Step> & Pick<Step, 'skill_name' | 'step_name' | 'action'>;

/**
 * The step that a palette item becomes. A skill with actions runs its first one, a skill with programs its first one,
 * any other is read by an agent: what was dropped can run as it is wherever the skill can.
 */
export function newStepFor(item: PaletteItem, chain: Pick<Chain, 'steps'>): NewStep {
  if (item.kind === 'manual') {
    return { skill_name: '', step_name: freeName(item.name, chain), action: '', kind: 'manual' };
  }
  if (item.kind === 'agent') return { skill_name: '', step_name: freeName(item.name, chain), action: '' };
  const { row } = item;
  const base = { skill_name: row.name, step_name: freeName(row.name, chain), action: firstSentence(row.description) };
  const action = item.actions?.actions.find((entry) => entry.action.entrypoint.type === 'cli')?.action;
  if (action !== undefined) {
    return {
      ...base,
      action: action.description ?? action.title ?? base.action,
      kind: 'action',
      with: { action: action.id, input: defaultInput(action.inputSchema) },
    };
  }
  const script = row.scripts[0];
  if (script !== undefined) return { ...base, kind: 'skill_exec', with: { entrypoint: script } };
  return base;
}

/** The values that a form starts with: declared defaults only, so that what is missing stays to be seen. */
export function defaultInput(schema: InputSchema | undefined): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (property.default !== undefined) values[name] = property.default;
  }
  return values;
}

/** `name`, or `name 2`, `name 3`, ... when a step has it already. */
export function freeName(name: string, chain: Pick<Chain, 'steps'>): string {
  const taken = new Set(chain.steps.map((step) => step.step_name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
  return free;
}

const longestAction = 160;

function firstSentence(text: string): string {
  const line = text.trim().split(/\r?\n/)[0] ?? '';
  const sentence = /^.*?(?:[。！？]|[.!?](?=\s|$))/.exec(line)?.[0] ?? line;
  const characters = [...sentence];
  return characters.length <= longestAction ? sentence : `${characters.slice(0, longestAction - 1).join('')}…`;
}
