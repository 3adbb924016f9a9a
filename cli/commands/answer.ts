import { parseChainFile } from '../../shared/chain/chain-file.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { foldRun } from '../../shared/run/run-state.ts';
import { answerText } from '../../shared/run/run-texts.ts';
import type { CommandContext } from '../command-context.ts';
import { withServices } from '../open-services.ts';

/**
 * `answer`: answers a question of a run that is going on in another process; without an answer it lists the open
 * questions. `question` may be left out when only one is open. Exit code 4 when there is no such question.
 */
export function answer(
  { run, question, answer: given, note }: { run: string; question?: string; answer?: string; note?: string },
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  return withServices(context, async (services) => {
    const { header, events } = await services.runs.get(run);
    const { chain } = parseChainFile(header.chain_text);
    const state = foldRun(header, chain, events);
    const open = [...state.questions.values()];
    if (given === undefined) {
      output.value(open);
      for (const one of open) {
        const choices = one.choices.map((choice) => `${choice} = ${answerText(output.locale, choice)}`).join(', ');
        output.line(output.text('open_question', { id: one.id, text: choices || (one.input?.prompt ?? '') }));
      }
      if (open.length === 0) output.line(output.text('no_questions'));
      return 0;
    }
    const id = question ?? (open.length === 1 ? open[0]!.id : undefined);
    if (id === undefined) throw new AppError('QUESTION_NOT_FOUND', { id: open.map((one) => one.id).join(', ') });
    const request = { run_id: run, question_id: id, answer: given };
    await services.runs.answer(note === undefined ? request : { ...request, note });
    output.value({ run_id: run, question_id: id, answer: given });
    output.line(output.text('answer_given', { id }));
    return 0;
  });
}
