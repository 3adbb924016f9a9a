import { parseChainFile } from '../../shared/chain/chain-file.ts';
import type { RerunScope } from '../../shared/run/reuse.ts';
import { rerunReasonText, rerunVerdictText } from '../../shared/run/run-texts.ts';
import { namedStep } from '../../shared/run/simulate.ts';
import type { CommandContext } from '../command-context.ts';
import { followRun, type OnQuestion } from '../follow-run.ts';
import { withServices } from '../open-services.ts';
import { columns, usageError } from '../output.ts';
import { type InputOptions, readInputs } from '../read-inputs.ts';

interface Options extends InputOptions {
  readonly run: string;
  readonly from?: string;
  readonly only?: string;
  readonly failed?: boolean;
  readonly preview?: boolean;
  readonly onQuestion?: string;
}

/**
 * `rerun`: runs a part of an earlier run's chain again, as a run of its own, with the results before it. `--preview` only
 * says per step what would be reused and why. Exit codes as for `run`.
 */
export function rerun(options: Options, context: CommandContext): Promise<number> {
  const { output } = context;
  const chosen = [options.from, options.only, options.failed].filter((one) => one !== undefined);
  if (chosen.length !== 1) throw usageError(output.text('rerun_scope'));
  return withServices(context, async (services) => {
    const { header } = await services.runs.get(options.run);
    const { chain } = await services.chains.read(header.chain_name).catch(() => parseChainFile(header.chain_text));
    const scope: RerunScope =
      options.from !== undefined
        ? { kind: 'from', step_id: namedStep(chain, options.from) }
        : options.only !== undefined
          ? { kind: 'only', step_id: namedStep(chain, options.only) }
          : { kind: 'failed' };
    const request = { run_id: options.run, scope, source: 'cli' as const, ...readInputs(options, output) };
    const rows = await services.runs.previewRerun(request);
    const names = new Map(chain.steps.map((step, place) => [step.id, `${place + 1} ${step.step_name}`]));
    const lines = rows.map((row) => [
      names.get(row.step_id) ?? row.step_id,
      rerunVerdictText(output.locale, row.verdict),
      rerunReasonText(output.locale, row.reason, names.get(row.cause ?? '') ?? ''),
    ]);
    for (const line of columns(lines)) output.line(line);
    if (options.preview) {
      output.value(rows);
      return 0;
    }
    const { run_id: runId } = await services.runs.rerun(request);
    output.line(output.text('run_started', { id: runId, name: header.chain_name }));
    return await followRun(services, runId, options.onQuestion as OnQuestion | undefined, output);
  });
}
