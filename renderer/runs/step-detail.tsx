import { SegmentedControl, Tabs } from '@mantine/core';
import { Star } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Chain, isBuiltInSkill, type Step, stepKind } from '../../shared/chain/chain.ts';
import type { StepRunState, TryState } from '../../shared/run/run-state.ts';
import { endReasonText } from '../../shared/run/run-texts.ts';
import { useLocale } from '../i18n/i18n.ts';
import { hrefOf } from '../stores/route.ts';
import { useRunPart, useStepState } from '../stores/run-store.ts';
import { useSkills } from '../stores/skills-store.ts';
import { useStepOutput } from '../stores/step-output.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { LogView } from '../ui/log-view.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { durationText, useNow } from '../ui/time.tsx';
import { TryErrorText } from '../ui/try-error-text.tsx';
import classes from './step-detail.module.css';

/** One step of a run: how it went, what each try printed, what it handed on, and what it was told to do. */
export function StepDetail({
  runId,
  chain,
  step,
  onChoose,
}: {
  runId: string;
  chain: Chain;
  step: Step;
  onChoose: (stepId: string) => void;
}) {
  const { t } = useTranslation('runs');
  const run = useStepState(runId, step.id);
  const isMilestone = useRunPart(runId, (view) => view.state?.outline.steps.get(step.id)?.policy.is_milestone ?? false);
  const [picked, setPicked] = useState<number | null>(null);
  if (run === null) return null;
  const tryNumber = picked ?? run.tries.at(-1)?.try ?? 0;
  const shown = run.tries.find((one) => one.try === tryNumber);
  return (
    <section className={classes['detail']} aria-label={step.step_name}>
      <header className={classes['head']}>
        <h2 className={classes['title']}>
          {step.step_name}
          {isMilestone && <Star size={14} fill="currentColor" aria-label={t('step.milestone')} />}
        </h2>
        <StateBadge state={run.state} />
      </header>
      <Told run={run} shown={shown} />
      <Tabs
        defaultValue={stepKind(step) === 'manual' ? 'about' : 'log'}
        keepMounted={false}
        classNames={{ root: classes['tabs'] ?? '' }}
      >
        <Tabs.List className={classes['tabList'] ?? ''}>
          <Tabs.Tab value="log">{t('log.title')}</Tabs.Tab>
          <Tabs.Tab value="output">{t('step.output')}</Tabs.Tab>
          <Tabs.Tab value="about">{t('step.about')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="log" className={classes['panel'] ?? ''}>
          <TryLog
            runId={runId}
            stepId={step.id}
            tries={run.tries}
            tryNumber={tryNumber}
            onPick={(next) => setPicked(next === run.tries.at(-1)?.try ? null : next)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="output" className={classes['panel'] ?? ''}>
          <HandedOn tries={run.tries} />
        </Tabs.Panel>
        <Tabs.Panel value="about" className={classes['panel'] ?? ''}>
          <About chain={chain} step={step} onChoose={onChoose} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

/** Why the step is where it is: the failure of the shown try, the next try, how it ended. */
function Told({ run, shown }: { run: StepRunState; shown: TryState | undefined }) {
  const { t } = useTranslation(['runs', 'common']);
  const locale = useLocale();
  const { retry } = run;
  const now = useNow(retry === null ? null : 250);
  const ended = run.reason !== null && run.reason !== 'ok';
  if (shown?.error === undefined && retry === null && !ended) return null;
  return (
    <div className={classes['told']}>
      {shown?.error !== undefined && <TryErrorText error={shown.error} />}
      {retry !== null && (
        <p>
          {t('timeline.retryIn', {
            duration: durationText(Math.max(0, retry.due_at - now), t),
          })}
        </p>
      )}
      {ended && run.reason !== null && <p className={classes['dim']}>{endReasonText(locale, run.reason)}</p>}
    </div>
  );
}

function TryLog({
  runId,
  stepId,
  tries,
  tryNumber,
  onPick,
}: {
  runId: string;
  stepId: string;
  tries: readonly TryState[];
  tryNumber: number;
  onPick: (tryNumber: number) => void;
}) {
  const { t } = useTranslation('runs');
  const output = useStepOutput(runId, stepId, tryNumber);
  const isOver = tries.find((one) => one.try === tryNumber)?.ended_at != null;
  const none = tries.length === 0 ? t('timeline.noTry') : isOver ? t('log.empty') : t('log.emptyYet');
  return (
    <>
      {output.error !== null && (
        <div className={classes['note']}>
          <ErrorNote error={output.error} />
        </div>
      )}
      <LogView
        label={t('log.title')}
        lines={output.lines}
        whenEmpty={output.reading ? '' : none}
        earlierBytes={output.earlierBytes}
        onEarlier={output.showEarlier}
      >
        {tries.length > 1 && (
          <SegmentedControl
            aria-label={t('log.tries')}
            data={tries.map((one) => ({ value: String(one.try), label: t('log.try', { n: one.try }) }))}
            value={String(tryNumber)}
            onChange={(value) => onPick(Number(value))}
          />
        )}
      </LogView>
    </>
  );
}

/** What the steps behind this one get from it. */
function HandedOn({ tries }: { tries: readonly TryState[] }) {
  const { t } = useTranslation('runs');
  const output = tries.findLast((one) => one.output !== undefined)?.output;
  if (output === undefined) return <p className={classes['none']}>{t('step.noOutput')}</p>;
  const text = output.json === undefined ? output.text : JSON.stringify(output.json, null, 2);
  return (
    <div className={classes['scroll']}>
      {output.truncated && <p className={classes['dim']}>{t('step.truncated')}</p>}
      <pre className={classes['code']}>{text === '' ? t('log.empty') : text}</pre>
    </div>
  );
}

function About({ chain, step, onChoose }: { chain: Chain; step: Step; onChoose: (stepId: string) => void }) {
  const { t } = useTranslation('runs');
  const { find } = useSkills();
  const skill = find(step.skill_name);
  const before = chain.steps.filter((one) => step.depends_on.includes(one.id));
  const text = [step.action, step.skill_instruction, step.detail].filter((part) => part !== undefined && part !== '');
  return (
    <dl className={classes['about']}>
      {!isBuiltInSkill(step.skill_name) && (
        <Entry label={t('step.skill')}>
          {skill === null ? step.skill_name : <a href={hrefOf({ room: 'skill', id: skill.id })}>{step.skill_name}</a>}
        </Entry>
      )}
      {text.length > 0 && (
        <Entry label={t('step.action')}>
          {text.map((part) => (
            <p key={part} className={classes['text']}>
              {part}
            </p>
          ))}
        </Entry>
      )}
      {step.with !== undefined && (
        <Entry label={t('step.with')}>
          <pre className={classes['code']}>{JSON.stringify(step.with, null, 2)}</pre>
        </Entry>
      )}
      {before.length > 0 && (
        <Entry label={t('step.dependsOn')}>
          <span className={classes['links']}>
            {before.map((one) => (
              <button key={one.id} type="button" onClick={() => onChoose(one.id)}>
                {one.step_name}
              </button>
            ))}
          </span>
        </Entry>
      )}
    </dl>
  );
}

function Entry({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes['entry']}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
