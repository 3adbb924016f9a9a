import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDownToLine, Copy, Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRunPart, useStepState } from '../../stores/run-store.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './run.module.css';
import { useStepOutput } from './use-step-output.ts';

const lineHeight = 18;

/** The output of one try of one step: follows the end until the person scrolls up; search; copy. */
export function LogPanel() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
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
      onStep={(id) => store.getState().showLog(id)}
    />
  );
}

function StepLog({
  runId,
  stepId,
  steps,
  onStep,
}: {
  runId: string;
  stepId: string;
  steps: { value: string; label: string }[];
  onStep: (id: string) => void;
}) {
  const { t } = useTranslation('editor');
  const tries = useStepState(runId, stepId)?.tries.length ?? 0;
  const [picked, setPicked] = useState<number | null>(null);
  const shown = picked ?? tries;
  const { lines, truncated, error } = useStepOutput(runId, stepId, shown);
  const [query, setQuery] = useState('');
  const [following, setFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const matches = useMemo(() => {
    const wanted = query.toLowerCase();
    return wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
  }, [lines, query]);
  const rows = useVirtualizer({
    count: matches.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  });
  useEffect(() => {
    if (following && box.current !== null) box.current.scrollTop = matches.length * lineHeight;
  }, [matches, following]);
  return (
    <div className={classes['logPanel']}>
      <div className={classes['logBar']}>
        <Select
          aria-label={t('log.step')}
          data={steps}
          value={stepId}
          allowDeselect={false}
          searchable
          onChange={(id) => id !== null && onStep(id)}
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
        <TextInput
          aria-label={t('log.search')}
          placeholder={t('log.search')}
          value={query}
          leftSection={<Search size={13} aria-hidden />}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <span className={classes['dim']}>{t('log.lines', { count: matches.length })}</span>
        <span className={classes['summaryEnd']}>
          {!following && (
            <Button
              size="compact-xs"
              variant="light"
              leftSection={<ArrowDownToLine size={13} aria-hidden />}
              onClick={() => setFollowing(true)}
            >
              {t('log.follow')}
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<Copy size={13} aria-hidden />}
            onClick={() => void navigator.clipboard?.writeText(matches.join('\n'))}
          >
            {t('log.copy')}
          </Button>
        </span>
      </div>
      <ErrorNote error={error} />
      {truncated && <p className={classes['truncated']}>{t('log.truncated')}</p>}
      {/* biome-ignore lint/a11y/useSemanticElements: a log, not a section of a document. */}
      <div
        ref={box}
        className={classes['log']}
        role="region"
        aria-label={t('log.output')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setFollowing(scrollHeight - scrollTop - clientHeight < lineHeight * 2);
        }}
      >
        {matches.length === 0 && (
          <p className={classes['none']}>{tries === 0 ? t('log.notStarted') : t('log.empty')}</p>
        )}
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, start }) => (
            <div key={index} className={classes['line']} style={{ transform: `translateY(${start}px)` }}>
              {matches[index]}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
