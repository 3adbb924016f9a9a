import type { Question } from '../../../shared/run/event.ts';
import { answerQuestion } from '../../stores/answer-question.ts';
import { useRunPart } from '../../stores/run-store.ts';
import { QuestionCard } from '../../ui/question-card.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';

/** A question of the shown run; `withStep` where its step is not in sight. */
export function AskedQuestion({
  runId,
  question,
  withStep = false,
}: {
  runId: string;
  question: Question;
  withStep?: boolean;
}) {
  const store = useEditorStore();
  const chain = useRunPart(runId, (view) => view.chain);
  const tries = useRunPart(runId, (view) => view.state?.steps.get(question.step_id)?.tries.length ?? 0);
  const known = useEditor((state) => state.view.cards.has(question.step_id));
  if (chain === null) return null;
  return (
    <QuestionCard
      question={question}
      chain={chain}
      tries={tries}
      onAnswer={(choice, note) => answerQuestion(runId, question, choice, note)}
      {...(withStep && known ? { onShow: (id: string) => store.getState().select([id], { reveal: true }) } : {})}
    />
  );
}
