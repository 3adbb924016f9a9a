import { act, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Job } from '../../shared/action/manifest.ts';
import { noteJob, useJobs } from '../stores/jobs-store.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aJob } from '../test/things.ts';
import { JobsPage } from './jobs-page.tsx';

const running = aJob('j-3', {
  title: 'Render',
  state: 'running',
  progress: 40,
  progress_text: 'page 4 of 10',
  ended_at: null,
  exit_code: null,
});
const failed = aJob('j-2', {
  title: 'Publish',
  state: 'failed',
  exit_code: 3,
  error: { code: 'auth_error', message: 'The key was refused.', hint: 'Set a new key.' },
  output_head: 'sending\n',
  output_tail: 'ERROR:auth_error: The key was refused.\n',
  output_bytes: 9_000,
});
const counted = aJob('j-1', { result: { words: 12, lines: 2 }, input: { text: 'a b', key: '***' } });

async function openPage(openId?: string, jobs: Job[] = [running, failed, counted]) {
  const services = startServices({ jobs: { list: () => jobs } });
  const user = show(<JobsPage toolbar={null} openId={openId} />);
  await act(() => useJobs.getState().refresh());
  return { services, user };
}

const detail = (title: string) => screen.getByRole('region', { name: title });

test('the newest job is shown first, with how far it is', async () => {
  await openPage();
  expect(within(detail('Render')).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  expect(detail('Render')).toHaveTextContent('page 4 of 10');
});

test('progress moves as the job tells of it, and its end shows the result', async () => {
  const { services } = await openPage();
  act(() => noteJob({ ...running, progress: 90, progress_text: 'page 9 of 10' }));
  expect(within(detail('Render')).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '90');
  act(() => noteJob(aJob('j-3', { title: 'Render', result: { pages: 10 } })));
  expect(within(detail('Render')).queryByRole('progressbar')).toBeNull();
  expect(within(detail('Render')).getByRole('region', { name: 'Result' })).toHaveTextContent('pages10');
  expect(services.calls('jobs.list')).toHaveLength(1);
});

test('a failed job says code, message, next step and exit code, with its output open', async () => {
  await openPage('j-2');
  const shown = detail('Publish');
  expect(within(shown).getByRole('alert')).toHaveTextContent(/The key was refused\..*Set a new key\..*auth_error/);
  expect(shown).toHaveTextContent('3');
  expect(within(shown).getByText(/sending/)).toBeVisible();
});

test('a value that was kept secret is shown as it was kept', async () => {
  const { user } = await openPage('j-1');
  await user.click(within(detail('Count words')).getByText('Command and input'));
  expect(detail('Count words')).toHaveTextContent('key***');
});

test('a job at work is stopped from here', async () => {
  const { services, user } = await openPage('j-3');
  services.answer({ jobs: { cancel: () => aJob('j-3', { title: 'Render', state: 'cancelled', exit_code: null }) } });
  await user.click(within(detail('Render')).getByRole('button', { name: 'Stop' }));
  expect(services.calls('jobs.cancel')).toEqual([{ id: 'j-3' }]);
  expect(within(detail('Render')).getByText('Stopped')).toBeInTheDocument();
  expect(within(detail('Render')).queryByRole('button', { name: 'Stop' })).toBeNull();
});

test('jobs that did not succeed are found by their filter and their code', async () => {
  const { user } = await openPage();
  const list = screen.getByRole('region', { name: 'Jobs' });
  await user.click(screen.getByRole('button', { name: 'Failed' }));
  expect(within(list).getAllByRole('link')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'All' }));
  await user.type(screen.getByRole('textbox', { name: 'Search jobs' }), 'auth_error');
  expect(within(list).getAllByRole('link')).toHaveLength(1);
  expect(within(list).getByRole('link')).toHaveTextContent('Publish');
});

test('the arrows go along the list and open what they reach', async () => {
  const { user } = await openPage('j-3');
  within(screen.getByRole('region', { name: 'Jobs' }))
    .getAllByRole('link')[0]!
    .focus();
  await user.keyboard('{ArrowDown}');
  expect(window.location.hash).toBe('#/jobs/j-2');
});

test('a job that is no longer kept says so', async () => {
  await openPage('j-0');
  expect(screen.getByText('This job is no longer kept.')).toBeInTheDocument();
});
