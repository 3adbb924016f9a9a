import { Star } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../../shared/errors/app-error.ts';
import type { Plan, PlanStep } from '../../../shared/run/plan-schema.ts';
import { api, readError } from '../../api/client.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { KindIcon } from '../canvas/kind-icon.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './panel.module.css';

const replanDelayMs = 350;

/** What a run of the chain on the screen would do: its waves from left to right, and what each step would be given. */
export function PlanPanel() {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const chain = useEditor((state) => state.doc.chain);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: planned anew whenever the chain on the screen changes.
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const { file, text } = store.getState();
      try {
        setPlan(await api.chains.plan({ name: file.name, text: text(), locale }, { signal: stop.signal }));
        setError(null);
      } catch (thrown) {
        const failure = readError(thrown);
        if (!stop.signal.aborted && failure.code !== 'CANCELLED') setError(failure);
      }
    }, replanDelayMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [chain, locale, store]);
  return (
    <div className={classes['plan']}>
      <ErrorNote error={error} />
      {plan !== null && (
        <>
          <p className={classes['planHead']}>
            {t('plan.summary', {
              steps: t('count.steps', { count: plan.total_steps }),
              waves: t('count.waves', { count: plan.execution_groups.length }),
              retries: t('count.retries', { count: plan.default_max_retries }),
            })}
            {plan.missing_skills.length > 0 && (
              <span data-bad> {t('plan.missing', { names: plan.missing_skills.join(', ') })}</span>
            )}
          </p>
          <ol className={classes['waves']}>
            {plan.execution_groups.map((wave) => (
              <li key={wave.group_index}>
                <h2>
                  {t('plan.wave', { number: wave.group_index })}
                  {wave.can_parallel && <span>{t('plan.parallel')}</span>}
                </h2>
                <ul>
                  {wave.steps.map((step) => (
                    <PlannedStep key={step.step_id} step={step} />
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function PlannedStep({ step }: { step: PlanStep }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const { failure_mode, retry_policy } = step;
  return (
    <li>
      <button type="button" onClick={() => store.getState().select([step.step_id], { reveal: true })}>
        <span className={classes['planLine']}>
          <KindIcon kind={step.kind} size={14} />
          <span className={classes['planName']}>
            {step.step_index} {step.step_name}
          </span>
          {failure_mode.is_milestone && (
            <span className={classes['planStar']} title={step.milestone_reason}>
              <Star size={12} aria-hidden fill="currentColor" />
              <span className="visually-hidden">{t('card.milestone')}</span>
            </span>
          )}
        </span>
        <span className={classes['planMeta']}>
          {t('plan.policy', {
            retries: t('count.retries', { count: retry_policy.max_retries }),
            afterwards: t(`exhaust.${failure_mode.is_milestone ? 'abort' : failure_mode.on_exhaust}`),
          })}
        </span>
      </button>
    </li>
  );
}
