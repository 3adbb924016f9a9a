import type { ChainSummary } from '../../../shared/api/contract.ts';
import type { Chain, ChainProblem } from '../../../shared/chain/chain.ts';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { classifyMilestones } from '../../../shared/chain/milestones.ts';
import { type AppError, toAppError } from '../../../shared/errors/app-error.ts';
import type { TextFile } from '../files/read-text-file.ts';

/** A chain file as it was read; `chain` is null when it can not be read as one, and `error` says why. */
export interface StoredChain {
  /** Name of the file inside `chains/`. */
  readonly base: string;
  readonly text: string;
  readonly revision: string;
  readonly modifiedMs: number;
  readonly chain: Chain | null;
  readonly problems: readonly ChainProblem[];
  readonly error: AppError | null;
}

/** Reads a file's text as a chain; never throws, since a broken file is shown with its reason. */
export function storedChain(base: string, file: TextFile): StoredChain {
  const { text, revision, modifiedMs } = file;
  try {
    const { chain, problems } = parseChainFile(text, base);
    return { base, text, revision, modifiedMs, chain, problems, error: null };
  } catch (thrown) {
    return { base, text, revision, modifiedMs, chain: null, problems: [], error: toAppError(thrown) };
  }
}

/** A file that could not even be read. */
export function unreadableChain(base: string, thrown: unknown): StoredChain {
  return { base, text: '', revision: '', modifiedMs: 0, chain: null, problems: [], error: toAppError(thrown) };
}

/** A row of the list, without the last run, which the run service knows. */
export function chainSummary(
  name: string,
  file: string,
  stored: StoredChain,
  problems: readonly ChainProblem[],
  fallbackTime: string,
): Omit<ChainSummary, 'last_run'> {
  const { chain, error, revision } = stored;
  return {
    name,
    file,
    revision,
    description: chain?.description ?? '',
    tags: [...(chain?.tags ?? [])],
    steps: chain?.steps.length ?? 0,
    milestones: chain === null ? 0 : countMilestones(chain),
    exec_count: chain?.exec_count ?? 0,
    updated_at: chain?.updated_at ?? fallbackTime,
    problems: {
      errors: problems.filter((problem) => problem.severity === 'error').length,
      warnings: problems.filter((problem) => problem.severity === 'warning').length,
    },
    broken:
      error === null
        ? null
        : {
            code: error.code,
            params: { ...error.params },
            ...(error.place.line === undefined ? {} : { line: error.place.line }),
          },
  };
}

function countMilestones(chain: Chain): number {
  let count = 0;
  for (const answer of classifyMilestones(chain).values()) if (answer.is_milestone) count += 1;
  return count;
}
