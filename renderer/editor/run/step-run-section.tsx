import { Button } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { TryState } from '../../../shared/run/run-state.ts';
import { endReasonText, errorClassText } from '../../../shared/run/run-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useStepState } from '../../stores/run-store.ts';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Duration } from '../../ui/time.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { AskedQuestion } from './asked-question.tsx';
import classes from './run.module.css';
import { runDetail } from './run-detail.ts';

/** How the shown run went for this step: its state, every try with its error and next step, the open question. */
export function StepRunSection({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const runId = useEditor((state) => state.runId);
  const step = useStepState(runId, id);
  if (runId === null || step === null) return null;
  return (
    <section className={classes['stepRun']} aria-label={t('run.ofStep')}>
      <div className={classes['stepRunHead']}>
        <StateBadge state={step.state} detail={runDetail(step)} />
        {step.reason !== null && step.reason !== 'ok' && (
          <span className={classes['dim']}>{endReasonText(locale, step.reason)}</span>
        )}
        {step.retry !== null && (
          <span className={classes['dim']}>
            {t('run.retryDue', { try: step.retry.try, reason: errorClassText(locale, step.retry.error_class) })}
          </span>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          ml="auto"
          leftSection={<ScrollText size={13} aria-hidden />}
          onClick={() => store.getState().showLog(id)}
        >
          {t('run.log')}
        </Button>
      </div>
      {step.question !== null && <AskedQuestion runId={runId} question={step.question} />}
      {step.tries.some((one) => one.error !== undefined) && (
        <ol className={classes['tries']}>
          {step.tries.map((one) => (
            <TryRow key={one.try} one={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function TryRow({ one }: { one: TryState }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  return (
    <li>
      <div className={classes['tryHead']}>
        <span>{t('run.try', { try: one.try })}</span>
        <span className={classes['dim']}>
          {one.ended_at === null ? t('common:state.running') : <Duration ms={one.ended_at - one.started_at} />}
        </span>
        {one.error !== undefined && <code>{one.error.code}</code>}
      </div>
      {one.error !== undefined && (
        <>
          <p className={classes['error']}>
            {errorClassText(locale, one.error.class)}: {one.error.message}
          </p>
          {one.error.hint !== null && <p className={classes['dim']}>{one.error.hint}</p>}
        </>
      )}
    </li>
  );
}
