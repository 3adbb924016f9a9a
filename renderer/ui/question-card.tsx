import { Button, TextInput } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Chain } from '../../shared/chain/chain.ts';
import { waitingBehind } from '../../shared/chain/waiting-behind.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { Question } from '../../shared/run/event.ts';
import { answerText } from '../../shared/run/run-texts.ts';
import { useLocale } from '../i18n/i18n.ts';
import { ErrorNote } from './error-note.tsx';
import { InputAnswer } from './input-answer.tsx';
import classes from './question-card.module.css';
import { TryErrorText } from './try-error-text.tsx';

/** What a run asks: what happened or is to be done, each answer with what it leads to, and a note for the record. */
export function QuestionCard({
  question,
  chain,
  tries,
  onAnswer,
  onShow,
}: {
  question: Question;
  /** The chain as the run has it. */
  chain: Chain;
  /** How often the step was tried. */
  tries: number;
  /** Gives the answer; resolves with what was wrong with it. */
  onAnswer: (choice: string, note: string) => Promise<AppError | null>;
  /** Leads to the step; absent where the card stands beside it. */
  onShow?: (stepId: string) => void;
}) {
  const { t } = useTranslation('common');
  const locale = useLocale();
  const [busy, setBusy] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [error, setError] = useState<AppError | null>(null);
  const step = chain.steps.find((one) => one.id === question.step_id);
  const name = step?.step_name ?? question.step_id;
  const title =
    question.kind === 'failure'
      ? t('question.failure', { step: name, count: tries })
      : t(`question.${question.kind}`, { step: name });
  const count = waitingBehind(chain, question.step_id);

  async function answer(choice: string) {
    setBusy(choice);
    setError(null);
    const wrong = await onAnswer(choice, note);
    if (wrong === null) return;
    setError(wrong);
    setBusy(null);
  }

  return (
    <article className={classes['card']} aria-label={title}>
      <CircleQuestionMark size={18} aria-hidden className={classes['icon']} />
      <div className={classes['body']}>
        <div className={classes['head']}>
          <h2>{title}</h2>
          {onShow !== undefined && step !== undefined && (
            <Button size="compact-xs" variant="subtle" flex="none" onClick={() => onShow(question.step_id)}>
              {t('question.show')}
            </Button>
          )}
        </div>
        {question.kind === 'manual' && step !== undefined && (
          <p className={classes['task']}>{[step.action, step.detail ?? ''].filter((text) => text !== '').join('\n')}</p>
        )}
        {question.input !== undefined && (
          <>
            {question.input.prompt !== '' && <p className={classes['task']}>{question.input.prompt}</p>}
            <InputAnswer asked={question.input} busy={busy !== null} onAnswer={(given) => void answer(given)} />
          </>
        )}
        {question.error !== null && <TryErrorText error={question.error} />}
        {question.choices.length > 0 && (
          <ul className={classes['answers']}>
            {question.choices.map((choice, index) => (
              <li key={choice}>
                <Button
                  size="compact-sm"
                  variant={index === 0 ? 'filled' : 'default'}
                  loading={busy === choice}
                  disabled={busy !== null && busy !== choice}
                  onClick={() => void answer(choice)}
                >
                  {answerText(locale, choice)}
                </Button>
                <span>{t(`question.leads.${question.kind}.${choice}`, { count, defaultValue: '' })}</span>
              </li>
            ))}
          </ul>
        )}
        <TextInput
          aria-label={t('question.note')}
          placeholder={t('question.note')}
          value={note}
          maxLength={10_000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <ErrorNote error={error} onClose={() => setError(null)} />
      </div>
    </article>
  );
}
