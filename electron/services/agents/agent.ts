import type { TryResult } from '../../../shared/run/decide.ts';

/** Whoever does steps of kind `agent`: a program of this machine or a model. */
export interface Agent {
  /** Its name in the settings. */
  readonly name: string;
  /** For a step that sets no limit of its own; over all the layers of a try. */
  readonly timeoutMs: number;
  /** Longest prompt that it can take. */
  readonly promptLimitBytes: number;
  /** Asks once. Never throws for what the program or the model does. */
  ask(prompt: string, timeoutMs: number): Promise<AgentAnswer>;
}

export interface AgentAnswer {
  readonly result: TryResult;
  /** All that it said, also when it failed. */
  readonly said: string;
  /** Null when it does not say. */
  readonly usage: AgentUsage | null;
}

export interface AgentUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
