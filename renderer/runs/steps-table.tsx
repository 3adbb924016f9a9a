import { useTranslation } from 'react-i18next';
import type { Chain } from '../../shared/chain/chain.ts';
import { useStepState } from '../stores/run-store.ts';
import { StateBadge } from '../ui/state-badge.tsx';
import { Duration, When } from '../ui/time.tsx';
import classes from './steps-table.module.css';

/** The timeline's twin in words. */
export function StepsTable({
  runId,
  chain,
  chosen,
  onChoose,
}: {
  runId: string;
  chain: Chain;
  chosen: string | null;
  onChoose: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  return (
    <table className={classes['table']} aria-label={t('timeline.title')}>
      <thead>
        <tr>
          <th scope="col">{t('timeline.column.step')}</th>
          <th scope="col">{t('timeline.column.state')}</th>
          <th scope="col">{t('timeline.column.tries')}</th>
          <th scope="col">{t('timeline.column.started')}</th>
          <th scope="col">{t('timeline.column.took')}</th>
        </tr>
      </thead>
      <tbody>
        {chain.steps.map((step, index) => (
          <Row
            key={step.id}
            runId={runId}
            stepId={step.id}
            name={`${index + 1} ${step.step_name}`}
            isChosen={step.id === chosen}
            onChoose={onChoose}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  runId,
  stepId,
  name,
  isChosen,
  onChoose,
}: {
  runId: string;
  stepId: string;
  name: string;
  isChosen: boolean;
  onChoose: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  const step = useStepState(runId, stepId);
  if (step === null) return null;
  const first = step.tries[0];
  const waits = step.tries.reduce(
    (sum, one, index) => sum + Math.max(0, one.started_at - (step.tries[index - 1]?.ended_at ?? one.started_at)),
    0,
  );
  return (
    <tr aria-current={isChosen ? 'true' : undefined}>
      <td>
        <button type="button" className={classes['name']} onClick={() => onChoose(stepId)}>
          {name}
        </button>
      </td>
      <td>
        <StateBadge state={step.state} plain />
      </td>
      <td>{step.tries.length}</td>
      <td>{first === undefined ? t('timeline.noTry') : <When at={new Date(first.started_at).toISOString()} />}</td>
      <td>
        {first !== undefined && step.ended_at !== null && <Duration ms={step.ended_at - first.started_at} />}
        {waits > 0 && (
          <span className={classes['waits']}>
            {t('timeline.waited')} <Duration ms={waits} />
          </span>
        )}
      </td>
    </tr>
  );
}
