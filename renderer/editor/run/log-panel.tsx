import { SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRunPart, useStepState } from '../../stores/run-store.ts';
import { useStepOutput } from '../../stores/step-output.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { LogView } from '../../ui/log-view.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './run.module.css';

/** The output of one try of one step of the shown run. */
export function LogPanel() {
  const { t } = useTranslation('editor');
  const runId = useEditor((state) => state.runId);
  const chosen = useEditor((state) => state.logStep);
  const chain = useRunPart(runId, (view) => view.chain);
  const stepId =
    chosen !== null && chain?.steps.some((step) => step.id === chosen) ? chosen : (chain?.steps[0]?.id ?? null);
  if (runId === null || chain === null || stepId === null) return <p className={classes['none']}>{t('log.none')}</p>;
  return (
    <StepLog
      key={`${runId} ${stepId}`}
      runId={runId}
      stepId={stepId}
      steps={chain.steps.map((step, index) => ({ value: step.id, label: `${index + 1} ${step.step_name}` }))}
    />
  );
}

function StepLog({
  runId,
  stepId,
  steps,
}: {
  runId: string;
  stepId: string;
  steps: readonly { value: string; label: string }[];
}) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const tries = useStepState(runId, stepId)?.tries.length ?? 0;
  // The newest try is shown until the person picks one.
  const [picked, setPicked] = useState<number | null>(null);
  const shown = picked ?? tries;
  const output = useStepOutput(runId, stepId, shown);
  const none = tries === 0 ? t('log.notStarted') : t('log.empty');
  return (
    <div className={classes['logPanel']}>
      {output.error !== null && (
        <div className={classes['logNote']}>
          <ErrorNote error={output.error} />
        </div>
      )}
      <LogView
        label={t('log.output')}
        lines={output.lines}
        whenEmpty={output.reading ? '' : none}
        earlierBytes={output.earlierBytes}
        onEarlier={output.showEarlier}
      >
        <Select
          className={classes['logStep'] ?? ''}
          aria-label={t('log.step')}
          data={[...steps]}
          value={stepId}
          allowDeselect={false}
          searchable
          onChange={(id) => id !== null && store.getState().showLog(id)}
        />
        {tries > 1 && (
          <SegmentedControl
            aria-label={t('log.try')}
            data={Array.from({ length: tries }, (_, index) => ({
              value: String(index + 1),
              label: t('run.try', { try: index + 1 }),
            }))}
            value={String(shown)}
            onChange={(value) => setPicked(Number(value))}
          />
        )}
      </LogView>
    </div>
  );
}
