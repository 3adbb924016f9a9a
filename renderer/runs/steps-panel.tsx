import { SegmentedControl } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import type { Chain } from '../../shared/chain/chain.ts';
import type { RunState } from '../../shared/run/run-state.ts';
import { Panel } from '../ui/panel.tsx';
import { StepsTable } from './steps-table.tsx';
import { StepsTimeline } from './steps-timeline.tsx';

const views = ['bars', 'table'] as const;

/** The steps of a run as bars in time or, with the same content, as a table. */
export function StepsPanel({
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
  const [view, setView] = useLocalStorage<(typeof views)[number]>({
    key: 'studio.run.steps',
    defaultValue: 'bars',
    getInitialValueInEffect: false,
  });
  return (
    <Panel
      title={t('timeline.title')}
      padded={false}
      fill
      aside={
        <SegmentedControl
          aria-label={t('timeline.view')}
          data={views.map((value) => ({ value, label: t(`timeline.${value}`) }))}
          value={view}
          onChange={(value) => setView(value === 'table' ? 'table' : 'bars')}
        />
      }
    >
      {view === 'bars' ? (
        <StepsTimeline runId={runId} chain={chain} state={state} chosen={chosen} onChoose={onChoose} />
      ) : (
        <StepsTable runId={runId} chain={chain} chosen={chosen} onChoose={onChoose} />
      )}
    </Panel>
  );
}
