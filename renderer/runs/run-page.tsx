import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { ArrowLeft, OctagonX, RotateCcw, Square, Workflow } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasEnded } from '../../shared/run/run-state.ts';
import { answerQuestion } from '../stores/answer-question.ts';
import { useCommands } from '../stores/commands.ts';
import { hrefOf, navigate } from '../stores/route.ts';
import { type RunView, useRun } from '../stores/run-store.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';
import { QuestionCard } from '../ui/question-card.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { firstInterestingStep } from './first-interesting-step.ts';
import { RunFacts } from './run-facts.tsx';
import classes from './run-page.module.css';
import { StepDetail } from './step-detail.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { type RunControls, useRunControls } from './use-run-controls.ts';

/** One run: how it stands or ended, what it asks, every step in time, and the output of the chosen step. */
export function RunPage({ runId, toolbar }: { runId: string; toolbar?: ReactNode }) {
  const { t } = useTranslation(['runs', 'common']);
  const view = useRun(runId);
  const controls = useRunControls(view);
  return (
    <Page
      flush
      back={
        <Tooltip label={t('page.back')}>
          <ActionIcon component="a" href={hrefOf({ room: 'runs' })} aria-label={t('page.back')}>
            <ArrowLeft size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      }
      title={view.header?.chain_name ?? t('title')}
      toolbar={toolbar}
      actions={<Buttons view={view} controls={controls} />}
    >
      <div className={classes['scroll']}>
        <div className={classes['notes']}>
          <ErrorNote error={controls.error} onClose={controls.clearError} />
          {view.header === null && <ErrorNote error={view.error} />}
          {view.damaged && (
            <p className={classes['damaged']} role="status">
              {t('damagedNote')}
            </p>
          )}
        </div>
        <RunBody runId={runId} view={view} controls={controls} />
      </div>
    </Page>
  );
}

function RunBody({ runId, view, controls }: { runId: string; view: RunView; controls: RunControls }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const { header, chain, state } = view;
  if (header === null || chain === null || state === null) return null;
  const stepId = chosen ?? firstInterestingStep(state);
  const step = chain.steps.find((one) => one.id === stepId);
  return (
    <>
      <RunFacts view={view} header={header} state={state} controls={controls} />
      {state.questions.size > 0 && (
        <div className={classes['questions']}>
          {[...state.questions.values()].map((question) => (
            <QuestionCard
              key={question.id}
              question={question}
              chain={chain}
              tries={state.steps.get(question.step_id)?.tries.length ?? 0}
              onAnswer={(choice, note) => answerQuestion(runId, question, choice, note)}
              onShow={setChosen}
            />
          ))}
        </div>
      )}
      <div className={classes['split']}>
        <StepsPanel runId={runId} chain={chain} state={state} chosen={step?.id ?? null} onChoose={setChosen} />
        {step !== undefined && (
          <StepDetail key={step.id} runId={runId} chain={chain} step={step} onChoose={setChosen} />
        )}
      </div>
    </>
  );
}

function Buttons({ view, controls }: { view: RunView; controls: RunControls }) {
  const { t } = useTranslation('runs');
  const { header, state } = view;
  const isOver = state !== null && hasEnded(state);
  useCommands(() => {
    if (header === null) return [];
    const group = t('title');
    return [
      { id: 'run.stop', title: t('page.stop'), group, enabled: !isOver && !controls.stopping, run: controls.stop },
      { id: 'run.again', title: t('page.again'), group, enabled: isOver, run: controls.again },
      {
        id: 'run.chain',
        title: t('page.openChain'),
        group,
        enabled: true,
        run: () => navigate({ room: 'chain', name: header.chain_name }),
      },
    ];
  });
  if (header === null || state === null) return null;
  return (
    <>
      <StateBadge state={state.state} />
      <Button
        component="a"
        href={hrefOf({ room: 'chain', name: header.chain_name })}
        variant="default"
        leftSection={<Workflow size={15} aria-hidden />}
      >
        {t('page.openChain')}
      </Button>
      {isOver ? (
        <Button leftSection={<RotateCcw size={15} aria-hidden />} loading={controls.starting} onClick={controls.again}>
          {t('page.again')}
        </Button>
      ) : (
        <StopButton controls={controls} />
      )}
    </>
  );
}

function StopButton({ controls }: { controls: RunControls }) {
  const { t } = useTranslation('runs');
  if (controls.mayForce) {
    return (
      <Tooltip label={t('page.forceHint')}>
        <Button color="red" leftSection={<OctagonX size={15} aria-hidden />} onClick={controls.force}>
          {t('page.force')}
        </Button>
      </Tooltip>
    );
  }
  return (
    <Button
      color="red"
      variant="light"
      leftSection={<Square size={13} fill="currentColor" aria-hidden />}
      loading={controls.stopping}
      onClick={controls.stop}
    >
      {controls.stopping ? t('page.stopping') : t('page.stop')}
    </Button>
  );
}
