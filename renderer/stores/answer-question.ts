import type { AppError } from '../../shared/errors/app-error.ts';
import type { Question } from '../../shared/run/event.ts';
import { api, readError } from '../api/client.ts';

/** Gives a run the answer of the person; what was wrong with it, or null. */
export async function answerQuestion(
  runId: string,
  question: Question,
  choice: string,
  note: string,
): Promise<AppError | null> {
  const said = note.trim();
  try {
    await api.runs.answer({
      run_id: runId,
      question_id: question.id,
      answer: choice,
      ...(said === '' ? {} : { note: said }),
    });
    return null;
  } catch (thrown) {
    return readError(thrown);
  }
}
