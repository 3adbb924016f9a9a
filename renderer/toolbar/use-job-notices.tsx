import { Anchor } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { jobErrorText } from '../../shared/action/job-texts.ts';
import { useLocale } from '../i18n/i18n.ts';
import { seenJob, useActionRunner } from '../stores/action-runner.ts';
import { useJobs } from '../stores/jobs-store.ts';
import { hrefOf } from '../stores/route.ts';
import { tell, untell } from '../ui/toast.ts';

/** Says once how a job ended that was started here and then left alone. */
export function useJobNotices(): void {
  const { t } = useTranslation(['toolbar', 'common']);
  const locale = useLocale();
  const unseen = useActionRunner((state) => state.unseen);
  const jobs = useJobs((state) => state.value);
  useEffect(() => {
    for (const id of unseen) {
      const job = jobs?.find((other) => other.id === id);
      if (job === undefined || job.state === 'queued' || job.state === 'running') continue;
      seenJob(id);
      tell({
        id: `job-${id}`,
        tone: job.state === 'succeeded' ? 'good' : 'bad',
        title: `${job.title} · ${t(`common:state.${job.state}`)}`,
        message: (
          <>
            {job.error !== null && <div>{jobErrorText(locale, job.error)}</div>}
            <Anchor size="sm" href={hrefOf({ room: 'jobs', id })} onClick={() => untell(`job-${id}`)}>
              {t('show')}
            </Anchor>
          </>
        ),
      });
    }
  }, [unseen, jobs, locale, t]);
}
