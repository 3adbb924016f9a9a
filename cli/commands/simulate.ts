import { join } from 'node:path';
import { findHomes } from '../../electron/services/find-homes.ts';
import { silentLog } from '../../electron/services/log.ts';
import { simulateChain } from '../../electron/services/runs/simulate-chain.ts';
import { createSettingsStore } from '../../electron/services/settings/settings-store.ts';
import { answerText, endReasonText, errorClassText, runStateText, stepStateText } from '../../shared/run/run-texts.ts';
import { readFailure, readStepValue } from '../../shared/run/simulate.ts';
import { neededName, openChains, withSuggestion } from '../chain-by-name.ts';
import type { CommandContext } from '../command-context.ts';
import { columns } from '../output.ts';
import { type InputOptions, readInputs } from '../read-inputs.ts';

interface Options extends InputOptions {
  readonly name?: string | undefined;
  readonly fail?: readonly string[];
  readonly answer?: readonly string[];
  readonly output?: readonly string[];
}

/**
 * `simulate`: what a run would do if steps failed and people answered as told; nothing is run. Exit code 0 when the run
 * would succeed, 1 when it would fail or be aborted, 0 as well when it would wait for an answer that was not given.
 */
export async function simulate(options: Options, context: CommandContext): Promise<number> {
  const { output } = context;
  const name = neededName(options.name, output);
  const chains = openChains();
  const { chain } = await withSuggestion(name, chains, output, () => chains.read(name));
  const faults = {
    failures: (options.fail ?? []).map((text) => readFailure(chain, text)),
    answers: (options.answer ?? []).map((text) => {
      const { step_id, value } = readStepValue(chain, text, 'answer');
      return { step_id, answer: value };
    }),
    outputs: Object.fromEntries(
      (options.output ?? []).map((text) => {
        const { step_id, value } = readStepValue(chain, text, 'output');
        return [step_id, value];
      }),
    ),
  };
  const settings = createSettingsStore({
    home: findHomes().dataHome,
    defaultsFile: join(context.appFolder, 'assets', 'default_config.json'),
    log: silentLog,
    now: Date.now,
  });
  const result = simulateChain(chain, faults, readInputs(options, output), settings.values());
  await settings.dispose();
  output.value({ chain_name: chain.name, ...result });
  const number = new Map(chain.steps.map((step, place) => [step.id, `${place + 1} ${step.step_name}`]));
  output.line(output.text('simulated', { name: chain.name, state: runStateText(output.locale, result.state) }));
  const rows = result.steps.map((step) => [
    number.get(step.step_id) ?? step.step_id,
    stepStateText(output.locale, step.state),
    step.tries === 0 ? '' : output.text('tries', { count: step.tries }),
    step.last_error === null ? '' : errorClassText(output.locale, step.last_error),
    step.reason === null ? '' : endReasonText(output.locale, step.reason),
  ]);
  for (const line of columns(rows)) output.line(`  ${line}`);
  for (const question of result.open_questions) {
    const choices = question.choices.map((choice) => `${choice} = ${answerText(output.locale, choice)}`).join(', ');
    const step = number.get(question.step_id) ?? question.step_id;
    output.line(output.text('simulated_question', { step, choices: choices || (question.input?.prompt ?? '') }));
  }
  output.line(output.text('simulated_wait', { seconds: result.retry_wait_ms / 1000 }));
  return result.state === 'failed' || result.state === 'aborted' ? 1 : 0;
}
