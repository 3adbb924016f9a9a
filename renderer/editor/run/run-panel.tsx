import { Anchor, Button } from '@mantine/core';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { sameJson } from '../../../shared/chain/json-value.ts';
import { endReasonText } from '../../../shared/run/run-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { hrefOf } from '../../stores/route.ts';
import { useRunPart, useStepState } from '../../stores/run-store.ts';
import { useRuns } from '../../stores/runs-store.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { StateBadge, stateTone } from '../../ui/state-badge.tsx';
import { Duration, durationText, useNow, When } from '../../ui/time.tsx';
import { withoutCounters } from '../state/counters.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './run.module.css';
import { runDetail } from './run-detail.ts';

/** The shown run as a table: where each step stands, its tries as bars over time. */
export function RunPanel() {
  const { t } = useTranslation('editor');
  const runId = useEditor((state) => state.runId);
  const error = useRunPart(runId, (view) => view.error);
  const ids = useRunPart(runId, (view) => view.chain?.steps ?? null);
  if (runId === null) return <NoRun />;
  return (
    <div className={classes['panel']}>
      <RunSummaryLine runId={runId} />
      <ErrorNote error={error} />
      {ids !== null && (
        <table className={classes['table']} aria-label={t('run.table')}>
          <thead>
            <tr>
              <th scope="col">{t('outline.number')}</th>
              <th scope="col">{t('field.step_name')}</th>
              <th scope="col">{t('run.state')}</th>
              <th scope="col">{t('run.tries')}</th>
              <th scope="col">{t('run.duration')}</th>
              <th scope="col">{t('run.timeline')}</th>
            </tr>
          </thead>
          <tbody>
            {ids.map((step, index) => (
              <StepRow key={step.id} runId={runId} id={step.id} number={index + 1} name={step.step_name} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function NoRun() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const name = useEditor((state) => state.file.name);
  const last = useRuns((runs) => runs.value?.find((run) => run.chain_name === name) ?? null);
  return (
    <div className={classes['none']}>
      <p>{t('run.none')}</p>
      {last !== null && (
        <Button size="compact-sm" variant="default" onClick={() => store.getState().showRun(last.run_id)}>
          {t('run.showLast')}
        </Button>
      )}
    </div>
  );
}

function RunSummaryLine({ runId }: { runId: string }) {
  const { t } = useTranslation(['editor', 'common']);
  const locale = useLocale();
  const store = useEditorStore();
  const state = useRunPart(runId, (view) => view.state);
  const startedAt = useRunPart(runId, (view) => view.header?.started_at ?? null);
  const connected = useRunPart(runId, (view) => view.connected);
  const ran = useRunPart(runId, (view) => view.chain);
  const chain = useEditor((current) => current.doc.chain);
  const changed = useMemo(() => ran !== null && !sameJson(withoutCounters(ran), withoutCounters(chain)), [ran, chain]);
  if (state === null) return null;
  const { counts, proof, ending } = state;
  const done = counts.succeeded + counts.skipped + counts.substituted;
  const broke = ending !== null && ending.reason !== 'ok';
  return (
    <div className={classes['summary']}>
      <StateBadge state={state.state} />
      <span>{t('run.progress', { done, total: state.steps.size })}</span>
      {state.retries > 0 && <span className={classes['dim']}>{t('run.retries', { count: state.retries })}</span>}
      {broke && <span className={classes['dim']}>{endReasonText(locale, ending.reason)}</span>}
      {proof !== null && (broke || proof.left > 0) && (
        <span className={classes['dim']} data-left={proof.left > 0 || undefined}>
          {t('run.proof', { time: durationText(proof.duration_ms, t), left: proof.left, count: proof.started })}
        </span>
      )}
      {state.ended_at === null && !connected && <span className={classes['dim']}>{t('run.connecting')}</span>}
      {startedAt !== null && (
        <span className={classes['dim']}>
          <When at={startedAt} />
        </span>
      )}
      {changed && <span className={classes['dim']}>{t('run.chainChanged')}</span>}
      <span className={classes['summaryEnd']}>
        <Anchor size="xs" href={hrefOf({ room: 'run', id: runId })}>
          {t('run.open')}
        </Anchor>
        {state.ended_at !== null && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => store.getState().showRun(null)}>
            {t('run.hide')}
          </Button>
        )}
      </span>
    </div>
  );
}

const StepRow = memo(function StepRow({
  runId,
  id,
  number,
  name,
}: {
  runId: string;
  id: string;
  number: number;
  name: string;
}) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const step = useStepState(runId, id);
  const known = useEditor((state) => state.view.cards.has(id));
  const selected = useEditor((state) => state.selection.has(id));
  if (step === null) return null;
  return (
    <tr data-selected={selected || undefined}>
      <td className={classes['number']}>{number}</td>
      <td>
        <button
          type="button"
          className={classes['name']}
          onClick={() => {
            if (known) store.getState().select([id], { reveal: true });
            store.getState().showLog(id);
          }}
          title={t('run.openLog')}
        >
          {name}
        </button>
      </td>
      <td>
        <StateBadge state={step.state} plain detail={runDetail(step)} />
      </td>
      <td>{step.tries.length}</td>
      <td>{step.ready_at !== null && step.ended_at !== null ? <Duration ms={step.ended_at - step.ready_at} /> : ''}</td>
      <td className={classes['bars']}>
        <Bars runId={runId} id={id} />
      </td>
    </tr>
  );
});

/** One bar a try, at its place in the time of the run. */
function Bars({ runId, id }: { runId: string; id: string }) {
  const step = useStepState(runId, id);
  const start = useRunPart(runId, (view) => view.state?.started_at ?? null);
  const end = useRunPart(runId, (view) => view.state?.ended_at ?? null);
  const now = useNow(end === null && step !== null && step.tries.length > 0 ? 500 : null);
  if (step === null || start === null) return null;
  const span = Math.max(1, (end ?? now) - start);
  const tone = stateTone(step.state);
  return (
    <span className={classes['track']} aria-hidden>
      {step.tries.map((one, index) => {
        const from = ((one.started_at - start) / span) * 100;
        const to = (((one.ended_at ?? now) - start) / span) * 100;
        const last = index === step.tries.length - 1;
        return (
          <span
            key={one.try}
            data-tone={one.error !== undefined ? 'bad' : last ? tone : 'idle'}
            style={{ left: `${from}%`, width: `${Math.max(0.6, to - from)}%` }}
          />
        );
      })}
    </span>
  );
}
