import type { ChainProblem } from '../shared/chain/chain.ts';
import { problemText } from '../shared/chain/chain-texts.ts';
import type { Output } from './output.ts';

/** Prints what a check found, errors first; returns how many errors and warnings there are. */
export function printProblems(problems: readonly ChainProblem[], output: Output): { errors: number; warnings: number } {
  const order = ['error', 'warning', 'info'] as const;
  for (const severity of order) {
    for (const problem of problems) {
      if (problem.severity === severity)
        output.line(`${output.text(severity)}: ${problemText(output.locale, problem)}`);
    }
  }
  const count = (severity: string) => problems.filter((problem) => problem.severity === severity).length;
  return { errors: count('error'), warnings: count('warning') };
}
