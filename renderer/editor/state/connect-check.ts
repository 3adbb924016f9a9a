import type { Chain } from '../../../shared/chain/chain.ts';

/** Why two steps can not be joined: the loop that would close (ids, first = last), or that they are joined already. */
export type ConnectRefusal =
  | { readonly kind: 'self' }
  | { readonly kind: 'double' }
  | { readonly kind: 'cycle'; readonly path: readonly string[] };

/**
 * Answers for every step at once whether it may be joined to `from`, so that a question while a wire is drawn costs
 * nothing. `direction` is `out` for a wire from `from` to the other step (it will depend on `from`), `in` for the
 * reverse.
 */
export function connectCheck(chain: Chain, from: string, direction: 'out' | 'in'): Map<string, ConnectRefusal> {
  const before = new Map(chain.steps.map((step) => [step.id, step.depends_on]));
  const after = new Map<string, string[]>(chain.steps.map((step) => [step.id, []]));
  for (const step of chain.steps) for (const id of step.depends_on) after.get(id)?.push(step.id);
  const next = (id: string): readonly string[] =>
    direction === 'out' ? (before.get(id) ?? []) : (after.get(id) ?? []);
  const refusals = new Map<string, ConnectRefusal>();
  // Whatever `from` already depends on (or, the other way, what depends on it) would close a loop.
  const parent = new Map<string, string>();
  const queue = [from];
  for (const id of queue) {
    for (const other of next(id)) {
      if (parent.has(other) || other === from || !before.has(other)) continue;
      parent.set(other, id);
      queue.push(other);
      refusals.set(other, { kind: 'cycle', path: loop(other, from, parent, direction) });
    }
  }
  const joined = direction === 'out' ? (after.get(from) ?? []) : (before.get(from) ?? []);
  for (const id of joined) if (!refusals.has(id)) refusals.set(id, { kind: 'double' });
  refusals.set(from, { kind: 'self' });
  return refusals;
}

/** The loop in the direction of the wires, beginning and ending with the step that the new wire leaves. */
function loop(
  other: string,
  from: string,
  parent: ReadonlyMap<string, string>,
  direction: 'out' | 'in',
): readonly string[] {
  const way: string[] = [other];
  let at = other;
  while (at !== from) {
    at = parent.get(at)!;
    way.push(at);
  }
  // `way` leads from `other` to `from`: with the wires for 'out', against them for 'in'.
  return direction === 'out' ? [from, ...way] : [other, ...way.toReversed()];
}
