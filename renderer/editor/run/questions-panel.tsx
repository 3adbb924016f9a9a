import { useTranslation } from 'react-i18next';
import type { Question } from '../../../shared/run/event.ts';
import { useRunPart } from '../../stores/run-store.ts';
import { useEditor } from '../state/editor-context.ts';
import { AskedQuestion } from './asked-question.tsx';
import classes from './run.module.css';

const none: ReadonlyMap<string, Question> = new Map();

/** Everything that the shown run waits for. */
export function QuestionsPanel() {
  const { t } = useTranslation('editor');
  const runId = useEditor((state) => state.runId);
  const questions = useRunPart(runId, (view) => view.state?.questions ?? none);
  if (runId === null || questions.size === 0) return <p className={classes['none']}>{t('question.none')}</p>;
  return (
    <div className={classes['questions']}>
      {[...questions.values()].map((question) => (
        <AskedQuestion key={question.id} runId={runId} question={question} withStep />
      ))}
    </div>
  );
}
