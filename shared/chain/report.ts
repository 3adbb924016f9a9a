import type { ChainProblem } from './chain.ts';
import type { ProblemCode } from './chain-texts.ts';

/** Adds a finding about one step to the list. */
export type Report = (
  severity: ChainProblem['severity'],
  code: ProblemCode,
  field: string,
  params?: ChainProblem['params'],
) => void;
