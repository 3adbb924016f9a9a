import { ActionIcon, Tooltip } from '@mantine/core';
import { PanelBottomClose } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useRunPart } from '../../stores/run-store.ts';
import { LogPanel } from '../run/log-panel.tsx';
import { QuestionsPanel } from '../run/questions-panel.tsx';
import { RunPanel } from '../run/run-panel.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { type PanelTab, panelTabs } from '../state/editor-store.ts';
import classes from './panel.module.css';
import { PlanPanel } from './plan-panel.tsx';
import { ProblemsPanel } from './problems-panel.tsx';

const bodies: Record<PanelTab, () => React.ReactNode> = {
  problems: ProblemsPanel,
  plan: PlanPanel,
  run: RunPanel,
  log: LogPanel,
  questions: QuestionsPanel,
};

/** Below the canvas: the tabs are always there, their content when one is open. */
export const BottomPanel = memo(function BottomPanel() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const open = useEditor((state) => state.panel);
  const errors = useEditor((state) => countOf(state.view.problems, 'error'));
  const warnings = useEditor((state) => countOf(state.view.problems, 'warning'));
  const runId = useEditor((state) => state.runId);
  const questions = useRunPart(runId, (view) => view.state?.questions.size ?? 0);
  const asks = questions > 0;
  // Whoever watches the run sees at once what it asks, and the run again after the answer. Other tabs are left alone.
  useEffect(() => {
    const { panel, setPanel } = store.getState();
    if (asks && panel === 'run') setPanel('questions');
    else if (!asks && panel === 'questions') setPanel('run');
  }, [asks, store]);
  const id = useId();
  const Body = open === null ? null : bodies[open];
  const badge = (tab: PanelTab): { text: string; tone: string } | null => {
    if (tab === 'questions' && questions > 0) return { text: String(questions), tone: 'wait' };
    if (tab !== 'problems') return null;
    if (errors > 0) return { text: String(errors), tone: 'bad' };
    return warnings > 0 ? { text: String(warnings), tone: 'wait' } : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move === undefined) return;
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = tabs.indexOf(event.target as HTMLElement);
    tabs[(at + move + tabs.length) % tabs.length]?.focus();
  };
  return (
    <section className={classes['panel']} aria-label={t('panel.label')} data-open={open !== null || undefined}>
      <div className={classes['bar']}>
        <div role="tablist" aria-label={t('panel.label')} className={classes['tabs']} onKeyDown={onKeyDown}>
          {panelTabs.map((tab, index) => {
            const mark = badge(tab);
            return (
              <button
                key={tab}
                type="button"
                role="tab"
                id={`${id}-${tab}`}
                aria-selected={open === tab}
                aria-controls={open === tab ? `${id}-body` : undefined}
                tabIndex={open === tab || (open === null && index === 0) ? 0 : -1}
                className={classes['tab']}
                onClick={() => store.getState().setPanel(open === tab ? null : tab)}
              >
                {t(`panel.${tab}`)}
                {mark !== null && (
                  <span className={classes['badge']} data-tone={mark.tone}>
                    {mark.text}
                  </span>
                )}
              </button>
            );
          })}
        </div>
        {open !== null && (
          <Tooltip label={t('panel.fold')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('panel.fold')}
              onClick={() => store.getState().setPanel(null)}
            >
              <PanelBottomClose size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {Body !== null && (
        <div
          id={`${id}-body`}
          role="tabpanel"
          aria-labelledby={`${id}-${open}`}
          className={classes['body']}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls must be reachable by keyboard.
          tabIndex={0}
        >
          <Body />
        </div>
      )}
    </section>
  );
});

function countOf(problems: readonly { severity: string }[], severity: string): number {
  return problems.reduce((sum, problem) => sum + Number(problem.severity === severity), 0);
}
