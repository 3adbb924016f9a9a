import { Button } from '@mantine/core';
import { OctagonX, Play, Square } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../stores/settings-store.ts';
import { useNow } from '../../ui/time.tsx';
import { useEditor } from '../state/editor-context.ts';
import type { ChainRun } from './use-chain-run.ts';

/** Run, or Stop while it runs; after the grace time of a stop that is not enough, Force. */
export function RunBar({ run }: { run: ChainRun }) {
  const { t } = useTranslation('editor');
  const { stop_grace_seconds } = useSettings();
  const empty = useEditor((state) => state.view.ids.length === 0);
  const errors = useEditor((state) =>
    state.view.problems.reduce((sum, problem) => sum + Number(problem.severity === 'error'), 0),
  );
  const stopping = run.active && run.stopAsked !== null;
  const now = useNow(stopping ? 500 : null);
  if (!run.active) {
    return (
      <Button
        size="compact-sm"
        leftSection={<Play size={14} aria-hidden />}
        loading={run.starting}
        disabled={empty}
        title={errors > 0 ? t('run.hasErrors', { count: errors }) : undefined}
        onClick={() => void run.start()}
      >
        {t('run.run')}
      </Button>
    );
  }
  const force = stopping && now - (run.stopAsked ?? now) > (stop_grace_seconds + 1) * 1000;
  return force ? (
    <Button
      size="compact-sm"
      color="red"
      leftSection={<OctagonX size={14} aria-hidden />}
      onClick={() => void run.stop(true)}
    >
      {t('run.force')}
    </Button>
  ) : (
    <Button
      size="compact-sm"
      color="red"
      variant="light"
      leftSection={<Square size={13} aria-hidden />}
      loading={stopping}
      onClick={() => void run.stop()}
    >
      {stopping ? t('run.stopping') : t('run.stop')}
    </Button>
  );
}
