import { useTranslation } from 'react-i18next';
import { endStates, type StepStateName, stepStates } from '../../shared/run/event.ts';
import { type StateTone, stateTone } from '../ui/state-badge.tsx';
import classes from './steps-bar.module.css';

const toneOrder: readonly StateTone[] = ['ok', 'bad', 'wait', 'run', 'idle'];

/** How far a run is: a bar in the colours of its steps' states, and the count in words. */
export function StepsBar({ counts, total }: { counts: Partial<Record<StepStateName, number>>; total: number }) {
  const { t } = useTranslation('runs');
  // What a stop cut off was not done.
  const done = endStates.reduce((sum, state) => sum + (state === 'cancelled' ? 0 : (counts[state] ?? 0)), 0);
  return (
    <span className={classes['steps']}>
      <span className={classes['bar']} aria-hidden>
        {toneOrder.map((tone) => {
          const count = countOf(counts, tone);
          return count === 0 ? null : <span key={tone} data-tone={tone} style={{ flexGrow: count }} />;
        })}
      </span>
      <span className={classes['count']} aria-hidden>
        {done}/{total}
      </span>
      <span className="visually-hidden">{t('progress', { done, all: total })}</span>
    </span>
  );
}

function countOf(counts: Partial<Record<StepStateName, number>>, tone: StateTone): number {
  return stepStates.reduce((sum, state) => sum + (stateTone(state) === tone ? (counts[state] ?? 0) : 0), 0);
}
