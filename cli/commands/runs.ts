import { runStateText } from '../../shared/run/run-texts.ts';
import type { CommandContext } from '../command-context.ts';
import { withServices } from '../open-services.ts';
import { columns, usageError } from '../output.ts';

/** `runs`: the history, newest first. */
export function runs(options: { chain?: string; limit?: string }, context: CommandContext): Promise<number> {
  const { output } = context;
  const limit = options.limit === undefined ? 50 : wholeNumber(options.limit, 1, 1000, context);
  return withServices(context, async (services) => {
    const rows = await services.runs.list({
      limit,
      ...(options.chain === undefined ? {} : { chain_name: options.chain }),
    });
    output.value(rows);
    if (rows.length === 0) output.line(output.text('no_runs'));
    else {
      const keys = ['col_run', 'col_chain', 'col_state', 'col_started', 'col_duration'] as const;
      const body = rows.map((row) => [
        row.run_id,
        row.chain_name,
        runStateText(output.locale, row.state),
        row.started_at,
        row.duration_ms === null ? '-' : `${(row.duration_ms / 1000).toFixed(1)} s`,
      ]);
      for (const line of columns([keys.map((key) => output.text(key)), ...body])) output.line(line);
    }
    return 0;
  });
}

/** A number that was typed. Errors: USAGE. */
export function wholeNumber(given: string, min: number, max: number, { output }: CommandContext): number {
  const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!(number >= min && number <= max)) throw usageError(output.text('number_unknown', { given, min, max }));
  return number;
}
