import { runStateText } from '../../shared/run/run-texts.ts';
import type { CommandContext } from '../command-context.ts';
import { withServices } from '../open-services.ts';

/** `cancel`: stops a run, whoever runs it, and waits for the proof. Exit code 0 when no process of it is left. */
export function cancel({ run, force }: { run: string; force?: boolean }, context: CommandContext): Promise<number> {
  const { output } = context;
  return withServices(context, async (services) => {
    await services.runs.cancel(run, { force: force ?? false });
    const summary = await services.runs.waitForEnd(run);
    const { events } = await services.runs.get(run);
    const proof = events.findLast((event) => event.kind === 'processes_stopped');
    const { started, left, duration_ms: ms } = proof ?? { started: 0, left: 0, duration_ms: 0 };
    output.value({ run_id: run, state: summary.state, processes: { started, left }, stop_ms: ms });
    output.line(`${run}: ${runStateText(output.locale, summary.state)}`);
    output.line(output.text('stopped', { ms, started, left }));
    return left === 0 ? 0 : 1;
  });
}
