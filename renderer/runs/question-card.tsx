import { Button, TextInput } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Chain } from '../../shared/chain/chain.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { Question } from '../../shared/run/event.ts';
import { answerText } from '../../shared/run/run-texts.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import classes from './question-card.module.css';
import { TryErrorText } from './try-error-text.tsx';

const explained = ['retry', 'skip', 'abort', 'done', 'failed'];

/** What the run asks: what happened or is to be done, and each answer with what it causes. */
export function QuestionCard({
  runId,
  chain,
  question,
  onShow,
}: {
  runId: string;
  chain: Chain;
  question: Question;
  onShow: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  const locale = useLocale();
  const [busy, setBusy] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [error, setError] = useState<AppError | null>(null);
  const step = chain.steps.find((one) => one.id === question.step_id);
  const title = t(`question.${question.kind}`, { step: step?.step_name ?? question.step_id });

  async function answer(choice: string) {
    setBusy(choice);
    setError(null);
    try {
      const said = note.trim();
      await api.runs.answer({
        run_id: runId,
        question_id: question.id,
        answer: choice,
        ...(said === '' ? {} : { note: said }),
      });
    } catch (thrown) {
      setError(readError(thrown));
      setBusy(null);
    }
  }

  return (
    <section className={classes['card']} aria-label={title}>
      <CircleQuestionMark size={18} aria-hidden className={classes['icon']} />
      <div className={classes['body']}>
        <div className={classes['head']}>
          <h2>{title}</h2>
          <Button size="compact-xs" variant="subtle" onClick={() => onShow(question.step_id)}>
            {t('question.show')}
          </Button>
        </div>
        {question.kind === 'manual' && step !== undefined && (
          <p className={classes['task']}>{step.action === '' ? step.detail : step.action}</p>
        )}
        {question.error !== null && <TryErrorText error={question.error} />}
        <ul className={classes['answers']}>
          {question.choices.map((choice, index) => (
            <li key={choice}>
              <Button
                variant={index === 0 ? 'filled' : 'default'}
                loading={busy === choice}
                disabled={busy !== null && busy !== choice}
                onClick={() => void answer(choice)}
              >
                {answerText(locale, choice)}
              </Button>
              {explained.includes(choice) && <span>{t(`question.effect.${choice}`)}</span>}
            </li>
          ))}
        </ul>
        <TextInput
          aria-label={t('question.note')}
          placeholder={t('question.note')}
          value={note}
          maxLength={10_000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <ErrorNote error={error} onClose={() => setError(null)} />
      </div>
    </section>
  );
}
