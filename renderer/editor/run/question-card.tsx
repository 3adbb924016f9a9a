import { Button, TextInput } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../../shared/errors/app-error.ts';
import type { Question } from '../../../shared/run/event.ts';
import { answerText, errorClassText } from '../../../shared/run/run-texts.ts';
import { api, readError } from '../../api/client.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useRunPart } from '../../stores/run-store.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './run.module.css';
import { waitingBehind } from './waiting-behind.ts';

/** What a run asks a person: what happened, what each answer leads to, and the answers. */
export function QuestionCard({
  runId,
  question,
  withStep = false,
}: {
  runId: string;
  question: Question;
  withStep?: boolean;
}) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const [busy, setBusy] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [error, setError] = useState<AppError | null>(null);
  const chain = useRunPart(runId, (view) => view.chain);
  const step = chain?.steps.find((other) => other.id === question.step_id);
  const tries = useRunPart(runId, (view) => view.state?.steps.get(question.step_id)?.tries.length ?? 0);
  const known = useEditor((state) => state.view.cards.has(question.step_id));
  const behind = chain === null ? 0 : waitingBehind(chain, question.step_id);

  async function answer(choice: string) {
    setBusy(choice);
    setError(null);
    try {
      await api.runs.answer({
        run_id: runId,
        question_id: question.id,
        answer: choice,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      });
    } catch (thrown) {
      setError(readError(thrown));
      setBusy(null);
    }
  }

  return (
    <article
      className={classes['question']}
      aria-label={t('question.label', { step: step?.step_name ?? question.step_id })}
    >
      <header>
        <CircleQuestionMark size={16} aria-hidden />
        <strong>
          {question.kind === 'manual'
            ? t('question.manual', { step: step?.step_name ?? question.step_id })
            : t('question.failure', { step: step?.step_name ?? question.step_id, count: tries })}
        </strong>
        {withStep && known && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            ml="auto"
            onClick={() => store.getState().select([question.step_id], { reveal: true })}
          >
            {t('question.show')}
          </Button>
        )}
      </header>
      {question.kind === 'manual' && step !== undefined && step.action !== '' && (
        <p className={classes['task']}>{step.action}</p>
      )}
      {question.kind === 'manual' && step?.detail !== undefined && <p className={classes['dim']}>{step.detail}</p>}
      {question.error !== null && (
        <>
          <p className={classes['error']}>
            {errorClassText(locale, question.error.class)}: {question.error.message} <code>{question.error.code}</code>
          </p>
          {question.error.hint !== null && <p className={classes['dim']}>{question.error.hint}</p>}
        </>
      )}
      <ul className={classes['consequences']}>
        {question.choices.map((choice) => (
          <li key={choice}>
            <Button
              size="compact-sm"
              variant={choice === question.choices[0] ? 'filled' : 'default'}
              loading={busy === choice}
              disabled={busy !== null}
              onClick={() => void answer(choice)}
            >
              {answerText(locale, choice)}
            </Button>
            <span className={classes['dim']}>
              {t(`question.leads.${question.kind}.${choice}`, { count: behind, defaultValue: '' })}
            </span>
          </li>
        ))}
      </ul>
      <TextInput
        aria-label={t('question.note')}
        placeholder={t('question.note')}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <ErrorNote error={error} onClose={() => setError(null)} />
    </article>
  );
}
