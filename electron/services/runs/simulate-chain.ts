import type { Chain } from '../../../shared/chain/chain.ts';
import { chainGraph } from '../../../shared/chain/chain-graph.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { findCycle } from '../../../shared/graph/find-cycle.ts';
import { type Faults, simulate } from '../../../shared/run/simulate.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import { checkStartInputs, type StartInputs } from './start-inputs.ts';

/**
 * Simulates a run of the chain with the settings of this machine. Errors: CHAIN_CYCLE, ACTION_INPUT_INVALID,
 * STEP_NOT_FOUND.
 */
export function simulateChain(
  chain: Chain,
  faults: Faults,
  given: StartInputs,
  settings: Pick<Settings, 'default_max_retries' | 'max_parallel'>,
) {
  const cycle = findCycle(chainGraph(chain));
  if (cycle !== null) throw new AppError('CHAIN_CYCLE', { path: cycle.join(' → ') });
  const { kept } = checkStartInputs(chain, given);
  const { default_max_retries, max_parallel } = settings;
  const { state, retry_wait_ms, duration_ms, open_questions, steps, events } = simulate(chain, faults, {
    settings: { default_max_retries, max_parallel },
    ...(kept.input === undefined ? {} : { input: kept.input }),
    ...(kept.inputs === undefined ? {} : { inputs: kept.inputs }),
    ...(kept.answers === undefined ? {} : { start_answers: kept.answers }),
  });
  return {
    state: state.state,
    retry_wait_ms,
    duration_ms,
    open_questions: [...open_questions],
    steps: [...steps],
    events: [...events],
  };
}
