import { ActionIcon, Menu } from '@mantine/core';
import { Activity, Ellipsis, FileWarning, RotateCcw, Square, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { RunSummary } from '../../shared/run/event.ts';
import { api, readError } from '../api/client.ts';
import { hrefOf, navigate } from '../stores/route.ts';
import { useRuns } from '../stores/runs-store.ts';
import { ConfirmModal } from '../ui/confirm-modal.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { RowTitle } from '../ui/row-title.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { Duration, useNow, When } from '../ui/time.tsx';
import classes from './runs-table.module.css';
import { StepsBar } from './steps-bar.tsx';

/** Runs as rows. */
export function RunsTable({ runs, onError }: { runs: readonly RunSummary[]; onError: (error: AppError) => void }) {
  const { t } = useTranslation('runs');
  const [deleting, setDeleting] = useState<RunSummary | null>(null);
  const [busy, setBusy] = useState(false);

  async function remove(run: RunSummary) {
    setBusy(true);
    try {
      await api.runs.delete({ run_id: run.run_id });
      await useRuns.getState().refresh();
    } catch (thrown) {
      onError(readError(thrown));
    } finally {
      setBusy(false);
      setDeleting(null);
    }
  }

  return (
    <>
      <DataTable
        label={t('title')}
        columns={[
          { label: t('column.chain') },
          { label: t('column.state'), width: 'min(15rem, 38cqw)' },
          { label: t('column.steps'), width: '12rem', from: 'medium' },
          { label: t('column.started'), width: '8.5rem', from: 'small' },
          { label: t('column.duration'), width: '7.5rem', from: 'wide' },
          { label: t('column.source'), width: '8rem', from: 'wide' },
          { label: t('column.actions'), hidden: true, width: '3.5rem', align: 'end' },
        ]}
      >
        {runs.map((run) => (
          <RunRow key={run.run_id} run={run} onDelete={setDeleting} onError={onError} />
        ))}
      </DataTable>
      <ConfirmModal
        opened={deleting !== null}
        title={t('delete.title')}
        message={t('delete.text', { name: deleting?.chain_name })}
        confirmLabel={t('delete.confirm')}
        danger
        busy={busy}
        onConfirm={() => deleting !== null && void remove(deleting)}
        onClose={() => setDeleting(null)}
      />
    </>
  );
}

function RunRow({
  run,
  onDelete,
  onError,
}: {
  run: RunSummary;
  onDelete: (run: RunSummary) => void;
  onError: (error: AppError) => void;
}) {
  const { t } = useTranslation('runs');
  return (
    <tr>
      <td>
        <RowTitle href={hrefOf({ room: 'run', id: run.run_id })} title={run.chain_name}>
          {run.run_id}
        </RowTitle>
      </td>
      <td>
        <span className={classes['state']}>
          <StateBadge state={run.state} />
          {run.open_questions > 0 && run.state !== 'waiting' && (
            <span className={classes['waits']}>{t('questions', { count: run.open_questions })}</span>
          )}
          {run.damaged && (
            <span className={classes['damaged']}>
              <FileWarning size={13} aria-hidden />
              {t('damaged')}
            </span>
          )}
        </span>
      </td>
      <td data-from="medium">
        <StepsBar counts={run.steps_by_state} total={run.steps_total} />
        {run.retries > 0 && <span className={classes['dim']}>{t('retries', { count: run.retries })}</span>}
      </td>
      <td data-from="small" className={classes['dim']}>
        <When at={run.started_at} />
      </td>
      <td data-from="wide" className={classes['number']}>
        <Took run={run} />
      </td>
      <td data-from="wide" className={classes['dim']}>
        {t(`source.${run.source}`, { defaultValue: run.source })}
      </td>
      <td>
        <RowMenu run={run} onDelete={onDelete} onError={onError} />
      </td>
    </tr>
  );
}

function Took({ run }: { run: RunSummary }) {
  const now = useNow(run.ended_at === null ? 1000 : null);
  return <Duration ms={run.duration_ms ?? Math.max(0, now - Date.parse(run.started_at))} />;
}

function RowMenu({
  run,
  onDelete,
  onError,
}: {
  run: RunSummary;
  onDelete: (run: RunSummary) => void;
  onError: (error: AppError) => void;
}) {
  const { t } = useTranslation('runs');
  const { run_id, chain_name: name } = run;
  const isOver = run.ended_at !== null;

  async function again() {
    try {
      const started = await api.runs.start({ chain_name: name, source: 'window' });
      navigate({ room: 'run', id: started.run_id });
    } catch (thrown) {
      onError(readError(thrown));
    }
  }

  return (
    <span className={classes['actions']}>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t('row.more', { name })}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Activity size={14} aria-hidden />}
            onClick={() => navigate({ room: 'run', id: run_id })}
          >
            {t('row.open')}
          </Menu.Item>
          <Menu.Item leftSection={<Workflow size={14} aria-hidden />} onClick={() => navigate({ room: 'chain', name })}>
            {t('row.chain')}
          </Menu.Item>
          <Menu.Item leftSection={<RotateCcw size={14} aria-hidden />} onClick={() => void again()}>
            {t('row.again')}
          </Menu.Item>
          <Menu.Divider />
          {isOver ? (
            <Menu.Item
              color="var(--s-bad)"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={() => onDelete(run)}
            >
              {t('row.delete')}
            </Menu.Item>
          ) : (
            <Menu.Item
              color="var(--s-bad)"
              leftSection={<Square size={14} aria-hidden />}
              onClick={() => void api.runs.cancel({ run_id }).catch((thrown) => onError(readError(thrown)))}
            >
              {t('row.stop')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
