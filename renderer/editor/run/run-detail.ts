import type { StepRunState } from '../../../shared/run/run-state.ts';

/** Behind a state's word: which try it is, once there was more than one. */
export function runDetail(run: Pick<StepRunState, 'tries'>): string | undefined {
  return run.tries.length > 1 ? `×${run.tries.length}` : undefined;
}
