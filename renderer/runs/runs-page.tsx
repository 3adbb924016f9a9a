import { Button, Skeleton } from '@mantine/core';
import { Activity, SearchX, Workflow } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import type { RunSummary } from '../../shared/run/event.ts';
import { useCommands } from '../stores/commands.ts';
import { navigate } from '../stores/route.ts';
import { useRuns } from '../stores/runs-store.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ListBar } from '../ui/list-bar.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Tag } from '../ui/tag.tsx';
import { matchingRuns, type RunFilter, runFilters } from './matching-runs.ts';
import classes from './runs-page.module.css';
import { RunsTable } from './runs-table.tsx';

/** The history: every run that is kept, newest first, changing as runs go on. */
export function RunsPage({ toolbar }: { toolbar?: ReactNode }) {
  const { t } = useTranslation(['runs', 'common']);
  const { value: runs, error: loadError, refresh } = useRuns();
  const [error, setError] = useState<AppError | null>(null);
  return (
    <Page title={t('title')} toolbar={toolbar}>
      {loadError !== null && (
        <div className={classes['note']}>
          <ErrorNote error={loadError}>
            <Button mt="xs" variant="default" size="compact-xs" onClick={() => void refresh()}>
              {t('common:again')}
            </Button>
          </ErrorNote>
        </div>
      )}
      {error !== null && (
        <div className={classes['note']}>
          <ErrorNote error={error} onClose={() => setError(null)} />
        </div>
      )}
      {runs === null && loadError === null && (
        <div className={classes['waiting']} aria-hidden>
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} height={50} radius="md" />
          ))}
        </div>
      )}
      {runs?.length === 0 && (
        <EmptyState
          icon={Activity}
          title={t('empty.title')}
          actions={
            <Button
              size="sm"
              leftSection={<Workflow size={16} aria-hidden />}
              onClick={() => navigate({ room: 'chains' })}
            >
              {t('empty.button')}
            </Button>
          }
        >
          {t('empty.text')}
        </EmptyState>
      )}
      {runs !== null && runs.length > 0 && <RunsList runs={runs} onError={setError} />}
    </Page>
  );
}

const rowsAtOnce = 100;

function RunsList({ runs, onError }: { runs: readonly RunSummary[]; onError: (error: AppError) => void }) {
  const { t } = useTranslation(['runs', 'common']);
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<RunFilter | null>(null);
  const [limit, setLimit] = useState(rowsAtOnce);
  const search = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => matchingRuns(runs, query, filter), [runs, query, filter]);
  useCommands(() => [
    {
      id: 'list.search',
      title: t('search'),
      group: t('common:command.group.general'),
      keys: ['/'],
      enabled: true,
      run: () => search.current?.querySelector('input')?.focus(),
    },
  ]);
  return (
    <>
      <div ref={search}>
        <ListBar
          search={<SearchBox label={t('search')} value={query} onChange={setQuery} />}
          chips={runFilters.map((name) => (
            <Tag key={name} pressed={filter === name} onToggle={() => setFilter(filter === name ? null : name)}>
              {t(`filter.${name}`)}
            </Tag>
          ))}
          count={
            shown.length === runs.length
              ? t('count', { count: runs.length })
              : t('countOf', { shown: shown.length, all: runs.length })
          }
        />
      </div>
      {shown.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={t('noMatch.title')}
          actions={
            <Button
              variant="default"
              onClick={() => {
                setQuery('');
                setFilter(null);
              }}
            >
              {t('noMatch.clear')}
            </Button>
          }
        />
      ) : (
        <RunsTable runs={shown.slice(0, limit)} onError={onError} />
      )}
      {shown.length > limit && (
        <div className={classes['more']}>
          <Button variant="default" onClick={() => setLimit(limit + rowsAtOnce)}>
            {t('common:showMore', { count: Math.min(rowsAtOnce, shown.length - limit) })}
          </Button>
        </div>
      )}
    </>
  );
}
