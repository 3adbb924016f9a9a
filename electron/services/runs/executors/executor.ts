import type { Chain, Step } from '../../../../shared/chain/chain.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import type { StepOutput } from '../../../../shared/run/event.ts';
import type { Settings } from '../../../../shared/settings/settings.ts';
import type { ProcessResult, RunProcessOptions } from '../../processes/run-process.ts';

/** All that an executor may know of the try it carries out. */
export interface StepContext {
  /** As it is in the chain, its templates filled in, its skill the one that its route chose. */
  readonly step: Step;
  readonly chain: Chain;
  readonly try: number;
  readonly settings: Settings;
  /** What the steps that it depends on gave, in the order of the chain. */
  readonly upstream: readonly { readonly step: Step; readonly output: StepOutput }[];
  /** Kept across the tries of the step. */
  readonly stepFolder: string;
  /** Shared by the steps of the run. */
  readonly workFolder: string;
  readonly signal: AbortSignal;
  /** The time limit that the step itself sets; null when it sets none. */
  readonly ownTimeoutMs: number | null;
  /**
   * Runs a program as part of the try: stopped with the run, its output live and in the try's log, the variables of
   * the step in its environment. `shown` stands in the log instead of the arguments.
   */
  run(
    program: Pick<RunProcessOptions, 'command' | 'args' | 'cwd' | 'env' | 'stdin' | 'secrets'> & {
      readonly timeoutMs: number;
      readonly shown: readonly string[];
    },
  ): Promise<ProcessResult>;
  /** Adds to the live output and the log of the try, for work that is done without a program. */
  write(stream: 'stdout' | 'stderr' | 'engine', text: string): void;
  /** Values that from now on appear nowhere in what the run keeps or shows. */
  hide(values: readonly string[]): void;
}

/**
 * Carries out one try of one kind of step. It says what happened and never decides what that means. An AppError that it
 * throws is a failed try.
 */
export type Executor = (context: StepContext) => Promise<TryResult>;
