import type { RunStateName, RunSummary } from '../../shared/run/event.ts';

export const runFilters = ['active', 'waiting', 'succeeded', 'bad', 'stopped'] as const;
export type RunFilter = (typeof runFilters)[number];

const statesOf: Record<Exclude<RunFilter, 'waiting'>, readonly RunStateName[]> = {
  active: ['running', 'waiting'],
  succeeded: ['succeeded'],
  bad: ['failed', 'aborted'],
  stopped: ['cancelled', 'interrupted'],
};

/** The runs whose chain or id holds every word of `query` (case ignored) and whose state is of the chosen kind. */
export function matchingRuns(
  runs: readonly RunSummary[],
  query: string,
  filter: RunFilter | null,
): readonly RunSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && filter === null) return runs;
  return runs.filter((run) => {
    const text = `${run.chain_name}\n${run.run_id}`.toLowerCase();
    return words.every((word) => text.includes(word)) && isOfKind(run, filter);
  });
}

function isOfKind(run: RunSummary, filter: RunFilter | null): boolean {
  if (filter === null) return true;
  // A run that asks something while another branch goes on is `running`, and waits for an answer all the same.
  if (filter === 'waiting') return run.open_questions > 0;
  return statesOf[filter].includes(run.state);
}
