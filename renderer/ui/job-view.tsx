import { Button, CopyButton, Progress } from '@mantine/core';
import { Check, ChevronRight, CircleAlert, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { jobErrorText } from '../../shared/action/job-texts.ts';
import type { Job } from '../../shared/action/manifest.ts';
import { useLocale } from '../i18n/i18n.ts';
import classes from './job-view.module.css';
import { StateBadge } from './state-badge.tsx';
import { Duration, useNow, When } from './time.tsx';

/** Whether a job has neither ended nor been given up. */
export function isAtWork(job: Pick<Job, 'state'>): boolean {
  return job.state === 'queued' || job.state === 'running';
}

/** Everything about one job: how far it is, what came out or what went wrong, and below it the output and the call. */
export function JobView({ job }: { job: Job }) {
  const { t } = useTranslation('jobs');
  return (
    <div className={classes['job']}>
      <div className={classes['line']}>
        <StateBadge state={job.state} />
        <JobTime job={job} />
        {job.exit_code !== null && job.exit_code !== 0 && (
          <span className={classes['dim']}>{t('exitCode', { code: job.exit_code })}</span>
        )}
      </div>
      {isAtWork(job) && <JobProgress job={job} />}
      {job.error !== null && <JobError job={job} error={job.error} />}
      {job.state === 'succeeded' && <JobResult job={job} />}
      {job.output_bytes > 0 && (
        <Fold title={t('output')} aside={t('bytes', { count: job.output_bytes })} open={job.state === 'failed'}>
          <Code text={job.output_head} />
          {job.output_tail !== '' && (
            <>
              <p className={classes['gap']}>{t('leftOut')}</p>
              <Code text={job.output_tail} />
            </>
          )}
        </Fold>
      )}
      <Fold title={t('call')}>
        <Code text={job.argv.map(shownArgument).join(' ')} />
        {Object.keys(job.input).length > 0 && (
          <dl className={classes['values']}>
            {Object.entries(job.input).map(([field, value]) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </Fold>
    </div>
  );
}

/** The bar of a running job; without a figure it says only that the job is at work. */
export function JobProgress({ job }: { job: Job }) {
  const { t } = useTranslation('jobs');
  const unknown = job.progress === null;
  const text = job.progress_text ?? t(job.state === 'queued' ? 'waits' : 'atWork');
  return (
    <div className={classes['progress']}>
      <div className={classes['progressText']}>
        <span>{text}</span>
        {!unknown && <span>{Math.round(job.progress ?? 0)} %</span>}
      </div>
      <Progress.Root size="sm" radius="xl">
        <Progress.Section
          value={job.progress ?? 100}
          aria-label={text}
          animated={unknown && job.state === 'running'}
          striped={unknown && job.state === 'running'}
          color={job.state === 'queued' ? 'gray.4' : 'petrol'}
          {...(unknown ? { withAria: false } : {})}
        />
      </Progress.Root>
    </div>
  );
}

/** Code, sentence and next step of a job that failed, with the program's own words. */
function JobError({ job, error }: { job: Job; error: NonNullable<Job['error']> }) {
  const locale = useLocale();
  return (
    <div className={classes['error']} role={isAtWork(job) ? undefined : 'alert'}>
      <CircleAlert size={16} aria-hidden className={classes['errorIcon']} />
      <div>
        <div className={classes['errorText']}>{jobErrorText(locale, error)}</div>
        <div className={classes['dim']}>
          {error.hint !== null && <span>{error.hint} </span>}
          <code>{error.code}</code>
        </div>
      </div>
    </div>
  );
}

function JobResult({ job }: { job: Job }) {
  const { t } = useTranslation('jobs');
  if (job.result === null || job.result === undefined) {
    const text = `${job.output_head}${job.output_tail === '' ? '' : `\n...\n${job.output_tail}`}`.trim();
    return text === '' ? (
      <p className={classes['dim']}>{t('nothingPrinted')}</p>
    ) : (
      <Code text={text} label={t('result')} />
    );
  }
  const rows = rowsOf(job.result);
  const text = typeof job.result === 'string' ? job.result : JSON.stringify(job.result, null, 2);
  if (rows === null) return <Code text={text} label={t('result')} />;
  return (
    <section aria-label={t('result')}>
      <dl className={classes['values']} data-result>
        {rows.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Fold title={t('asJson')}>
        <Code text={text} />
      </Fold>
    </section>
  );
}

/** A flat object is easier to read as a list than as JSON. */
function rowsOf(result: unknown): [string, string][] | null {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return null;
  const entries = Object.entries(result);
  if (entries.length === 0 || entries.length > 20) return null;
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return null;
  return entries.map(([key, value]) => [key, String(value)]);
}

function JobTime({ job }: { job: Job }) {
  const { t } = useTranslation('jobs');
  const running = job.state === 'running';
  const now = useNow(running ? 500 : null);
  const started = job.started_at === null ? null : Date.parse(job.started_at);
  const ended = job.ended_at === null ? null : Date.parse(job.ended_at);
  return (
    <span className={classes['dim']}>
      {started !== null && (running || ended !== null) && (
        <>
          <Duration ms={(ended ?? now) - started} /> ·{' '}
        </>
      )}
      <When at={job.started_at ?? job.created_at} /> · {t(`source.${job.source}`)}
    </span>
  );
}

function Fold({
  title,
  aside,
  open = false,
  children,
}: {
  title: string;
  aside?: string;
  open?: boolean;
  children: ReactNode;
}) {
  return (
    <details className={classes['fold']} open={open}>
      <summary>
        <ChevronRight size={14} aria-hidden className={classes['chevron']} />
        {title}
        {aside !== undefined && <span className={classes['dim']}>{aside}</span>}
      </summary>
      <div className={classes['folded']}>{children}</div>
    </details>
  );
}

function Code({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation('jobs');
  return (
    <div className={classes['code']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard. */}
      <section tabIndex={0} aria-label={label ?? t('text')} className={classes['scroll']}>
        <pre>{text}</pre>
      </section>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            className={classes['copy'] ?? ''}
            size="compact-xs"
            variant="default"
            aria-label={copied ? t('copied') : t('copy')}
            onClick={copy}
          >
            {copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}

/** Shown so that it could be typed; it is never run from here. */
function shownArgument(argument: string): string {
  return /^[\w@%+=:,./*-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
