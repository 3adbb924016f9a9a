import { Button } from '@mantine/core';
import { ListChecks, Square } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Job } from '../../shared/action/manifest.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import { readError } from '../api/client.ts';
import { stopJob } from '../stores/action-runner.ts';
import { useJobs } from '../stores/jobs-store.ts';
import { hrefOf, navigate } from '../stores/route.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { isAtWork, JobView } from '../ui/job-view.tsx';
import { ListBar } from '../ui/list-bar.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { Tag } from '../ui/tag.tsx';
import { When } from '../ui/time.tsx';
import classes from './jobs-page.module.css';

type Filter = 'all' | 'atWorkFilter' | 'endedBadly';
const filters: Readonly<Record<Filter, (job: Job) => boolean>> = {
  all: () => true,
  atWorkFilter: isAtWork,
  endedBadly: (job) => job.state === 'failed' || job.state === 'timed_out' || job.state === 'interrupted',
};

/** Every job that is kept, newest first, beside the one that is looked at. */
export function JobsPage({ toolbar, openId }: { toolbar: ReactNode; openId: string | undefined }) {
  const { t } = useTranslation(['jobs', 'common']);
  const { value: jobs, error } = useJobs();
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const shown = (jobs ?? []).filter((job) => filters[filter](job) && fits(job, query));
  const open = openId === undefined ? (shown[0] ?? null) : (jobs?.find((job) => job.id === openId) ?? null);

  return (
    <Page title={t('common:rooms.jobs')} toolbar={toolbar} flush>
      {jobs === null || jobs.length === 0 ? (
        <div className={classes['empty']}>
          <ErrorNote error={error} />
          {jobs !== null && (
            <EmptyState
              icon={ListChecks}
              title={t('empty.title')}
              actions={
                <Button component="a" href={hrefOf({ room: 'skills' })} variant="default">
                  {t('empty.skills')}
                </Button>
              }
            >
              {t('empty.text')}
            </EmptyState>
          )}
        </div>
      ) : (
        <div className={classes['split']}>
          <section className={classes['side']} aria-label={t('list')}>
            <ListBar
              search={<SearchBox label={t('search')} value={query} onChange={setQuery} />}
              chips={(Object.keys(filters) as Filter[]).map((name) => (
                <Tag key={name} pressed={filter === name} onToggle={() => setFilter(name)}>
                  {t(name)}
                </Tag>
              ))}
              count={t('count', { count: shown.length })}
            />
            <ErrorNote error={error} />
            <ul className={classes['list']}>
              {shown.map((job) => (
                <li key={job.id}>
                  <JobItem job={job} current={job.id === open?.id} />
                </li>
              ))}
            </ul>
            {shown.length === 0 && <p className={classes['none']}>{t('noMatch')}</p>}
          </section>
          <section className={classes['detail']} aria-label={open?.title ?? t('result')}>
            {open !== null ? (
              <OpenJob key={open.id} job={open} />
            ) : (
              <p className={classes['none']}>{openId === undefined ? t('choose') : t('notFound')}</p>
            )}
          </section>
        </div>
      )}
    </Page>
  );
}

function JobItem({ job, current }: { job: Job; current: boolean }) {
  return (
    <a
      className={classes['item']}
      href={hrefOf({ room: 'jobs', id: job.id })}
      aria-current={current ? 'true' : undefined}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowDown' ? 'nextElementSibling' : 'previousElementSibling';
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        const next = event.currentTarget.parentElement?.[step]?.querySelector<HTMLElement>('a');
        if (next == null) return;
        event.preventDefault();
        next.focus();
        navigate({ room: 'jobs', id: decodeURIComponent(next.getAttribute('href')?.split('/').pop() ?? '') });
      }}
    >
      <span className={classes['itemHead']}>
        <span className={classes['itemTitle']}>{job.title}</span>
        <StateBadge
          state={job.state}
          plain
          detail={isAtWork(job) && job.progress !== null ? `${Math.round(job.progress)} %` : undefined}
        />
      </span>
      <span className={classes['itemLine']}>
        <span className={classes['itemSkill']}>{job.skill_name}</span>
        <When at={job.created_at} />
      </span>
      {isAtWork(job) && <span className={classes['itemBar']} style={{ width: `${job.progress ?? 0}%` }} />}
    </a>
  );
}

function OpenJob({ job }: { job: Job }) {
  const { t } = useTranslation('jobs');
  const [stopping, setStopping] = useState(false);
  const [error, setError] = useState<AppError | null>(null);

  async function stop() {
    setStopping(true);
    setError(null);
    try {
      await stopJob(job.id);
    } catch (thrown) {
      setError(readError(thrown));
    }
    setStopping(false);
  }

  return (
    <div className={classes['card']}>
      <header className={classes['cardHead']}>
        <div>
          <h2 className={classes['cardTitle']}>{job.title}</h2>
          <p className={classes['cardLine']}>
            {t('skill')}: {job.skill_name}
          </p>
        </div>
        {isAtWork(job) && (
          <Button
            variant="default"
            leftSection={<Square size={13} aria-hidden />}
            loading={stopping}
            onClick={() => void stop()}
          >
            {t('stop')}
          </Button>
        )}
      </header>
      <ErrorNote error={error} />
      <JobView job={job} />
    </div>
  );
}

function fits(job: Job, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${job.title} ${job.skill_name} ${job.action_id} ${job.error?.code ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
