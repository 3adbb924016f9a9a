import type { CommandContext } from '../command-context.ts';
import { followRun, type OnQuestion } from '../follow-run.ts';
import { withServices } from '../open-services.ts';
import { readInputs } from '../read-inputs.ts';

/** `resume`: goes on with an interrupted run and tells what happens. Exit codes as for `run`. */
export function resume(
  { run, inputs, onQuestion }: { run: string; inputs?: string; onQuestion?: string },
  context: CommandContext,
): Promise<number> {
  return withServices(context, async (services) => {
    const given = readInputs(inputs === undefined ? {} : { inputs }, context.output);
    await services.runs.resume({ run_id: run, inputs: given.inputs });
    return await followRun(services, run, onQuestion as OnQuestion | undefined, context.output);
  });
}
