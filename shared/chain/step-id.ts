import { type Chain, StepId } from './chain.ts';
import { shortHash } from './short-hash.ts';

/**
 * Gives every step an id: its own where it has a usable one that no earlier step has, else one made from its name. The
 * same list always gives the same ids. Own ids are set aside first, so that a made one never takes them. Linear.
 */
export function assignStepIds(steps: readonly { readonly ownId: unknown; readonly name: string }[]): string[] {
  const taken = new Set<string>();
  const own = steps.map(({ ownId }) => {
    if (!isStepId(ownId) || taken.has(ownId)) return null;
    taken.add(ownId);
    return ownId;
  });
  const counters = new Map<string, number>();
  return steps.map(({ name }, index) => own[index] ?? freeId(idFromName(name), taken, counters));
}

/** The id that a new step of this name gets: free in the chain, and always the same for the same chain. */
export function newStepId(chain: Pick<Chain, 'steps'>, name: string): string {
  return freeId(idFromName(name), new Set(chain.steps.map((step) => step.id)), new Map());
}

/** Like `newStepId` for many: takes every id that it gives. */
export function createIdMaker(taken: Iterable<string>): (name: string) => string {
  const ids = new Set(taken);
  const counters = new Map<string, number>();
  return (name) => freeId(idFromName(name), ids, counters);
}

export function isStepId(value: unknown): value is string {
  return StepId.safeParse(value).success;
}

/**
 * `Fetch sources` -> `fetch_sources`. What ASCII can not say is kept apart by a fingerprint, so that two Chinese names
 * do not become one id.
 */
function idFromName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40)
    .replace(/_+$/, '');
  const lossy = /[^\p{ASCII}\p{M}]/u.test(name.normalize('NFKD'));
  const word = slug === '' ? 'step' : /^[a-z]/.test(slug) ? slug : `step_${slug}`;
  return lossy ? `${word}_${shortHash(name.normalize('NFC'))}` : word;
}

function freeId(base: string, taken: Set<string>, counters: Map<string, number>): string {
  let id = base;
  let count = counters.get(base) ?? 1;
  while (taken.has(id)) {
    count += 1;
    id = `${base}_${count}`;
  }
  counters.set(base, count);
  taken.add(id);
  return id;
}
