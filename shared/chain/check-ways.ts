import { type Chain, isBuiltInSkill, type Step } from './chain.ts';
import type { Report } from './report.ts';

/**
 * Findings about where a step leads besides its dependents: its routes, and the step that stands in for it when it
 * fails. Linear.
 */
export function checkWays(
  chain: Chain,
  hasSkill: (name: string) => boolean | undefined,
  reportOf: (step: Step) => Report,
): void {
  const steps = new Map(chain.steps.map((step) => [step.id, step]));
  const numbers = new Map(chain.steps.map((step, place) => [step.id, place + 1]));
  const primaries = new Map<string, Step>();
  for (const step of chain.steps) {
    const report = reportOf(step);
    if (step.on_failure !== undefined) {
      const field = 'on_failure';
      const target = steps.get(step.on_failure);
      const first = primaries.get(step.on_failure);
      if (target === undefined) report('error', 'stand_in_missing', field, { id: step.on_failure });
      else if (target === step) report('error', 'stand_in_itself', field);
      else {
        const other = numbers.get(target.id)!;
        if (target.on_failure !== undefined) report('error', 'stand_in_has_own', field, { other });
        if (first !== undefined) report('error', 'stand_in_shared', field, { other, first: numbers.get(first.id)! });
        else primaries.set(target.id, step);
      }
    }
  }
  for (const step of chain.steps) {
    const report = reportOf(step);
    if (primaries.has(step.id) && step.depends_on.length > 0) report('error', 'stand_in_depends', 'depends_on');
    const needed = step.depends_on.find((id) => id !== step.id && primaries.has(id));
    if (needed !== undefined) report('error', 'stand_in_needed', 'depends_on', { other: numbers.get(needed)! });
    checkRoute(step, { numbers, primaries, hasSkill }, report);
  }
}

interface Around {
  readonly numbers: ReadonlyMap<string, number>;
  readonly primaries: ReadonlyMap<string, Step>;
  hasSkill(name: string): boolean | undefined;
}

function checkRoute({ id, route = [] }: Step, { numbers, primaries, hasSkill }: Around, report: Report): void {
  let defaults = 0;
  route.forEach(({ when, to }, at) => {
    const field = `route[${at}]`;
    const params = { entry: at + 1, to };
    if (when === undefined) {
      defaults += 1;
      if (defaults > 1) report('error', 'route_default_twice', field, params);
      else if (at < route.length - 1) report('error', 'route_default_not_last', field, params);
    }
    if (to === id) report('error', 'route_to_itself', `${field}.to`, params);
    else if (primaries.has(to))
      report('error', 'route_to_stand_in', `${field}.to`, { ...params, other: numbers.get(to)! });
    else if (!numbers.has(to) && (isBuiltInSkill(to) || hasSkill(to) === false)) {
      report('error', 'route_target_missing', `${field}.to`, params);
    }
  });
}
