import { neededName, withSuggestion } from '../chain-by-name.ts';
import type { CommandContext } from '../command-context.ts';
import { followRun, type OnQuestion } from '../follow-run.ts';
import { withServices } from '../open-services.ts';
import { type InputOptions, readInputs } from '../read-inputs.ts';

/** `run`: carries a chain out and tells what happens; see `followRun` for the exit codes. */
export function run(
  options: InputOptions & { name?: string | undefined; onQuestion?: string },
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const name = neededName(options.name, output);
  return withServices(context, async (services) => {
    const inputs = readInputs(options, output);
    const { run_id: runId } = await withSuggestion(name, services.chains, output, () =>
      services.runs.start({ chain_name: name, source: 'cli', ...inputs }),
    );
    output.line(output.text('run_started', { id: runId, name }));
    return await followRun(services, runId, options.onQuestion as OnQuestion | undefined, output);
  });
}
