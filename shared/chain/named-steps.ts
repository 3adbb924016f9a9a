import type { Chain } from './chain.ts';
import { isJsonObject } from './json-value.ts';

/**
 * The ids by which steps are named elsewhere than in `depends_on`: in a route, as a stand-in, for the final text, and as
 * `outputs.<id>` in a template or a condition. An id too many costs a line in a file; one too few cuts a link when a
 * step is renamed there. Linear in the texts.
 */
export function namedSteps(chain: Chain): Set<string> {
  const known = new Set(chain.steps.map((step) => step.id));
  const named = new Set<string>();
  const add = (id: string | undefined) => {
    if (id !== undefined && known.has(id)) named.add(id);
  };
  if (chain.final_text_mode?.startsWith('step:')) add(chain.final_text_mode.slice('step:'.length).trim());
  for (const step of chain.steps) {
    add(step.on_failure);
    for (const { to } of step.route ?? []) add(to);
    const todo: unknown[] = Object.values(step);
    for (let value = todo.pop(); value !== undefined || todo.length > 0; value = todo.pop()) {
      if (typeof value === 'string') for (const [, id] of value.matchAll(outputPattern)) add(id);
      else if (Array.isArray(value) || isJsonObject(value)) for (const inner of Object.values(value)) todo.push(inner);
    }
  }
  return named;
}

const outputPattern = /\boutputs\s*\.\s*([a-z][a-z0-9_-]*)/g;
