import { ShieldAlert, ShieldCheck, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunHeader } from '../../shared/run/event.ts';
import { hasEnded, type RunState } from '../../shared/run/run-state.ts';
import { endReasonText } from '../../shared/run/run-texts.ts';
import { useLocale } from '../i18n/i18n.ts';
import type { RunView } from '../stores/run-store.ts';
import { Duration, durationText, useNow, When } from '../ui/time.tsx';
import classes from './run-facts.module.css';
import { StepsBar } from './steps-bar.tsx';
import type { RunControls } from './use-run-controls.ts';

/** The run in one line: how far, since when, how long, and how it ended, with the proof that nothing is left. */
export function RunFacts({
  view,
  header,
  state,
  controls,
}: {
  view: RunView;
  header: RunHeader;
  state: RunState;
  controls: RunControls;
}) {
  const { t } = useTranslation('runs');
  const isOver = hasEnded(state);
  const now = useNow(isOver ? null : 1000);
  const start = state.started_at ?? Date.parse(header.started_at);
  return (
    <section className={classes['facts']} aria-label={t('page.facts')}>
      <dl className={classes['list']}>
        <Fact label={t('page.steps')} wide>
          <StepsBar counts={state.counts} total={state.steps.size} />
        </Fact>
        <Fact label={t('page.started')}>
          <When at={header.started_at} />
        </Fact>
        <Fact label={isOver ? t('page.took') : t('page.takes')}>
          <Duration ms={Math.max(0, (state.ended_at ?? now) - start)} />
        </Fact>
        {state.retries > 0 && <Fact label={t('page.retries')}>{state.retries}</Fact>}
        <Fact label={t('page.from')}>{t(`source.${header.source}`)}</Fact>
        <Fact label={t('page.id')}>
          <code>{header.run_id}</code>
        </Fact>
      </dl>
      <div className={classes['lines']} role="status">
        {controls.stopping && <p>{t('page.stopping')}</p>}
        {isOver && <Ending view={view} state={state} />}
        {!isOver && !view.connected && (
          <p className={classes['lost']}>
            <Unplug size={14} aria-hidden />
            {t('reconnecting')}
          </p>
        )}
      </div>
    </section>
  );
}

function Fact({ label, wide = false, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={classes['fact']} data-wide={wide || undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Ending({ view, state }: { view: RunView; state: RunState }) {
  const { t } = useTranslation(['runs', 'common']);
  const locale = useLocale();
  const { ending } = state;
  const reason = ending === null ? 'engine_stopped' : ending.reason;
  const step = view.chain?.steps.find((one) => one.id === ending?.step_id);
  return (
    <>
      {reason !== 'ok' && (
        <p>
          {endReasonText(locale, reason)} {step !== undefined && t('ended.at', { step: step.step_name })}
        </p>
      )}
      {state.proof !== null && <Proof proof={state.proof} stopped={ending !== null && ending.state !== 'succeeded'} />}
    </>
  );
}

/** What became of the processes of the run: the proof of a stop, and of a clean end. */
function Proof({ proof, stopped }: { proof: NonNullable<RunState['proof']>; stopped: boolean }) {
  const { t } = useTranslation(['runs', 'common']);
  if (proof.started === 0) return null;
  const clean = proof.left === 0;
  const Icon = clean ? ShieldCheck : ShieldAlert;
  return (
    <p className={classes['proof']} data-tone={clean ? 'ok' : 'bad'}>
      <Icon size={15} aria-hidden />
      {stopped
        ? t('ended.proof', {
            duration: durationText(proof.duration_ms, t),
            left: proof.left,
            started: proof.started,
          })
        : t(clean ? 'ended.proofClean' : 'ended.left', { count: clean ? proof.started : proof.left })}
    </p>
  );
}
