import type { StepStateName } from '../../shared/run/event.ts';
import type { RunState } from '../../shared/run/run-state.ts';

const order: readonly StepStateName[] = ['waiting', 'failed', 'retrying', 'running'];

/**
 * The step that somebody who opens the run wants to see: the one that ended it, else one that waits, failed, or is at
 * work, else the last that ended, else the first. Null for a chain without steps.
 */
export function firstInterestingStep(run: RunState): string | null {
  const ended = run.ending?.step_id;
  if (ended !== undefined && ended !== null && run.steps.get(ended) !== undefined) return ended;
  const steps = [...run.steps.values()];
  for (const state of order) {
    const found = steps.find((step) => step.state === state);
    if (found !== undefined) return found.id;
  }
  const last = steps.reduce<(typeof steps)[number] | undefined>(
    (latest, step) => ((step.ended_at ?? -1) > (latest?.ended_at ?? -1) && step.tries.length > 0 ? step : latest),
    undefined,
  );
  return (last ?? steps[0])?.id ?? null;
}
