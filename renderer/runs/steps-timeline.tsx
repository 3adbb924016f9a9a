import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Chain } from '../../shared/chain/chain.ts';
import { hasEnded, type RunState, type StepRunState } from '../../shared/run/run-state.ts';
import { useStepState } from '../stores/run-store.ts';
import { StateBadge } from '../ui/state-badge.tsx';
import { durationText, useNow } from '../ui/time.tsx';
import { barsOf, busySpans } from './step-bars.ts';
import classes from './steps-timeline.module.css';
import { apart, type TimeScale, timeScale } from './time-scale.ts';

/** Room for the longest time at a tick. */
const labelPx = 66;

/** A row for each step: a bar for each try at its place in time, waits apart, long idle times squeezed. */
export function StepsTimeline({
  runId,
  chain,
  state,
  chosen,
  onChoose,
}: {
  runId: string;
  chain: Chain;
  state: RunState;
  chosen: string | null;
  onChoose: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  const isOver = hasEnded(state);
  const now = useNow(isOver ? null : 500);
  const start = state.started_at ?? now;
  const end = state.ended_at ?? Math.max(now, start + 1);
  const scale = useMemo(() => timeScale(start, end, busySpans(state, end)), [state, start, end]);
  return (
    <div className={classes['timeline']}>
      <Axis scale={scale} />
      <ol className={classes['rows']} aria-label={t('timeline.label')} onKeyDown={moveByArrows}>
        {chain.steps.map((step, index) => (
          <Row
            key={step.id}
            runId={runId}
            stepId={step.id}
            number={index + 1}
            name={step.step_name}
            isChosen={step.id === chosen}
            scale={scale}
            end={end}
            onChoose={onChoose}
          />
        ))}
      </ol>
    </div>
  );
}

function Axis({ scale }: { scale: TimeScale }) {
  const { t } = useTranslation('common');
  const { ref, width } = useElementSize();
  return (
    <div className={classes['axis']} aria-hidden>
      <div className={classes['axisTrack']} ref={ref}>
        {apart(scale.ticks, width === 0 ? 0 : labelPx / width).map((tick) => (
          <span key={tick.ms} className={classes['tick']} style={{ left: percent(tick.at) }}>
            {tick.ms < 10_000 ? t('duration.s', { s: tick.ms / 1000 }) : durationText(tick.ms, t)}
          </span>
        ))}
      </div>
    </div>
  );
}

const Row = memo(function Row({
  runId,
  stepId,
  number,
  name,
  isChosen,
  scale,
  end,
  onChoose,
}: {
  runId: string;
  stepId: string;
  number: number;
  name: string;
  isChosen: boolean;
  scale: TimeScale;
  end: number;
  onChoose: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  const step = useStepState(runId, stepId);
  if (step === null) return null;
  return (
    <li>
      <button
        type="button"
        className={classes['row']}
        aria-current={isChosen ? 'true' : undefined}
        onClick={() => onChoose(stepId)}
      >
        <span className={classes['number']}>{number}</span>
        <span className={classes['name']}>{name}</span>
        <StateBadge
          state={step.state}
          plain
          iconOnly
          detail={step.tries.length > 1 ? t('timeline.tries', { count: step.tries.length }) : undefined}
        />
        <Track step={step} scale={scale} end={end} />
        <span className={classes['took']}>
          <Took step={step} end={end} />
        </span>
      </button>
    </li>
  );
});

function Track({ step, scale, end }: { step: StepRunState; scale: TimeScale; end: number }) {
  const { t } = useTranslation('runs');
  return (
    <span className={classes['track']} aria-hidden>
      {scale.squeezed.map((gap) => (
        <span
          key={gap.at}
          className={classes['squeezed']}
          style={{ left: percent(gap.at), width: percent(gap.width) }}
        />
      ))}
      {barsOf(step, end).map((bar) => {
        const left = scale.place(bar.from);
        const right = scale.place(bar.to);
        return (
          <span
            key={`${bar.kind}${bar.from}`}
            className={classes['bar']}
            data-kind={bar.kind}
            data-tone={bar.tone}
            title={t(`timeline.${bar.kind}`, { n: bar.try })}
            style={{ left: percent(left), width: percent(Math.max(0, right - left)) }}
          />
        );
      })}
    </span>
  );
}

function Took({ step, end }: { step: StepRunState; end: number }) {
  const { t } = useTranslation('common');
  const first = step.tries[0];
  if (first === undefined) return null;
  return durationText((step.ended_at ?? end) - first.started_at, t);
}

/** Up, down, Home and End go through the rows; Tab leaves them. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = rows.indexOf(event.target as HTMLElement);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = to === undefined ? undefined : rows[to];
  if (row === undefined) return;
  event.preventDefault();
  row.focus();
  row.click();
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`;
}
