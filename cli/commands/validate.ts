import { problemText } from '../../shared/chain/chain-texts.ts';
import { neededName, withSuggestion } from '../chain-by-name.ts';
import type { CommandContext } from '../command-context.ts';
import { withServices } from '../open-services.ts';
import { printProblems } from '../print-problems.ts';

/** `validate`: what is wrong with a chain on this machine. Exit code 1 when there is an error, 0 with warnings only. */
export function validate(options: { name?: string | undefined }, context: CommandContext): Promise<number> {
  const { output } = context;
  const name = neededName(options.name, output);
  return withServices(context, async (services) => {
    const problems = await withSuggestion(name, services.chains, output, () => services.validateChain(name));
    const { errors, warnings } = printProblems(problems, output);
    output.value({
      name,
      valid: errors === 0,
      errors,
      warnings,
      problems: problems.map((problem) => ({ ...problem, text: problemText(output.locale, problem) })),
    });
    output.line(problems.length === 0 ? output.text('valid', { name }) : output.text('problems', { errors, warnings }));
    return errors === 0 ? 0 : 1;
  });
}
