import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { RunBatch } from '../../shared/api/contract.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import type { RunEvent } from '../../shared/run/event.ts';
import { giveSizes } from '../test/layout.ts';
import { show } from '../test/render.tsx';
import { startServices, testStream } from '../test/services.ts';
import { aJournal, type JournalEvent } from '../test/things.ts';
import { RunPage } from './run-page.tsx';

const steps = [{ step_name: 'Fetch' }, { step_name: 'Report', depends_on: [1] }];
const fetchId = 'fetch';
const reportId = 'report';

function failure(message: string) {
  return { class: 'network_error', code: 'network_error', message, hint: 'Check the line.', exit_code: 1 } as const;
}

const retried: readonly JournalEvent[] = [
  { kind: 'run_started' },
  { kind: 'step_ready', step_id: fetchId },
  { kind: 'step_started', step_id: fetchId, try: 1 },
  { kind: 'try_failed', step_id: fetchId, try: 1, error: failure('The host did not answer.') },
  { kind: 'retry_scheduled', step_id: fetchId, try: 2, delay_ms: 1000, class: 'network_error' },
  { kind: 'step_started', step_id: fetchId, try: 2 },
  {
    kind: 'try_succeeded',
    step_id: fetchId,
    try: 2,
    output: { text: '{"pages":3}', json: { pages: 3 }, truncated: false },
  },
  { kind: 'step_ended', step_id: fetchId, state: 'succeeded', reason: 'ok', duration_ms: 5000 },
];
const finished: readonly JournalEvent[] = [
  ...retried,
  { kind: 'step_ready', step_id: reportId },
  { kind: 'step_started', step_id: reportId, try: 1 },
  { kind: 'try_succeeded', step_id: reportId, try: 1, output: { text: 'done', truncated: false } },
  { kind: 'step_ended', step_id: reportId, state: 'succeeded', reason: 'ok', duration_ms: 2000 },
  { kind: 'processes_stopped', started: 3, left: 0, duration_ms: 0 },
  { kind: 'run_ended', state: 'succeeded', reason: 'ok', step_id: null },
];

function openRun(events: readonly JournalEvent[], over: boolean, more: { readonly damaged?: boolean } = {}) {
  const journal = { ...aJournal(steps, events), ...more };
  const stream = testStream<RunBatch>();
  if (over) stream.send({ events: [], logs: [], dropped_bytes: 0, end: true });
  const outputs: Record<string, string> = {};
  const services = startServices({
    runs: {
      get: () => journal,
      watch: () => stream,
      log: ({ step_id, try: number, offset = 0 }) => {
        const text = outputs[`${step_id}/${number}`] ?? '';
        const from = Math.max(0, offset < 0 ? text.length + offset : offset);
        return { text: text.slice(from), offset: from, size: text.length };
      },
    },
  });
  const user = show(<RunPage runId="r-1" />);
  let seq = events.length;
  /** What happens next in the run, as the stream tells it. */
  const happens = (...next: readonly JournalEvent[]) => {
    const numbered = next.map((event) => {
      seq += 1;
      return { seq: seq - 1, at: Date.parse(journal.header.started_at) + seq * 1000, ...event } as RunEvent;
    });
    stream.send({ events: numbered, logs: [], dropped_bytes: 0, end: next.some((one) => one.kind === 'run_ended') });
  };
  const prints = (step: string, number: number, text: string) => {
    outputs[`${step}/${number}`] = (outputs[`${step}/${number}`] ?? '') + text;
    stream.send({
      events: [],
      logs: [{ step_id: step, try: number, stream: 'stdout', text }],
      dropped_bytes: 0,
      end: false,
    });
  };
  return { services, user, stream, happens, prints, outputs };
}

describe('a run that has ended', () => {
  test('shows a retried step with both tries, what the first failed of, and what the second handed on', async () => {
    const { user } = openRun(finished, true);
    await user.click(await screen.findByRole('button', { name: /Fetch.*Succeeded 2 tries/ }));
    const detail = screen.getByRole('region', { name: 'Fetch' });
    expect(within(detail).queryByText(/did not answer/)).toBeNull();
    await user.click(within(detail).getByRole('radio', { name: 'Try 1' }));
    expect(within(detail).getByText(/did not answer/)).toBeInTheDocument();
    expect(within(detail).getByText(/Check the line/)).toBeInTheDocument();
    await user.click(within(detail).getByRole('tab', { name: 'Output' }));
    expect(within(detail).getByText(/"pages": 3/)).toBeInTheDocument();
  });

  test('says how many processes it started and that none is left, and offers to run the chain again', async () => {
    const { services, user } = openRun(finished, true);
    expect(await screen.findByText(/3 processes.*none is left/)).toBeInTheDocument();
    services.answer({ runs: { start: () => ({ run_id: 'r-2' }) } });
    await user.click(screen.getByRole('button', { name: 'Run again' }));
    await waitFor(() => expect(window.location.hash).toBe('#/runs/r-2'));
    expect(services.calls('runs.start')).toEqual([{ chain_name: 'release', source: 'window' }]);
  });

  test('says the same in its table as in its bars', async () => {
    const { user } = openRun(finished, true);
    await user.click(await screen.findByRole('radio', { name: 'Table' }));
    const rows = within(screen.getByRole('table', { name: 'Steps' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/1 Fetch.*Succeeded.*2/),
      expect.stringMatching(/2 Report.*Succeeded.*1/),
    ]);
  });

  test('that was interrupted says so, and offers no Stop', async () => {
    openRun([...retried, { kind: 'run_interrupted' }], true);
    expect((await screen.findAllByText('Interrupted')).length).toBeGreaterThan(0);
    expect(screen.getByText(/program.*ended|ended.*program/i)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Run again' })).toBeInTheDocument();
  });

  test('whose journal lost a line says that it may not be whole', async () => {
    openRun(finished, true, { damaged: true });
    expect(await screen.findByText(/could not be read/)).toBeInTheDocument();
  });
});

describe('a run at work', () => {
  test('grows by what the stream tells, each step as it happens', async () => {
    const { happens } = openRun(retried, false);
    expect(await screen.findByRole('button', { name: /Report.*Pending/ })).toBeInTheDocument();
    happens({ kind: 'step_ready', step_id: reportId }, { kind: 'step_started', step_id: reportId, try: 1 });
    expect(await screen.findByRole('button', { name: /Report.*Running/ })).toBeInTheDocument();
  });

  test('shows the output of a try as it grows', async () => {
    giveSizes();
    const { happens, prints } = openRun(retried, false);
    await screen.findByRole('button', { name: /Report/ });
    happens({ kind: 'step_ready', step_id: reportId }, { kind: 'step_started', step_id: reportId, try: 1 });
    expect(await screen.findByText('No output yet.')).toBeInTheDocument();
    const log = screen.getByRole('region', { name: 'Log' });
    prints(reportId, 1, 'page 1\nERROR:disk_full: no room\n');
    expect(await within(log).findByText('page 1')).toBeInTheDocument();
    prints(reportId, 1, 'page 2\n');
    expect(await within(log).findByText('page 2')).toBeInTheDocument();
  });

  test('asks what to do with a failed step and gives the chosen answer with its note', async () => {
    const { services, user, happens } = openRun(retried.slice(0, 3), false);
    await screen.findByRole('button', { name: /Fetch/ });
    happens(
      { kind: 'try_failed', step_id: fetchId, try: 1, error: failure('No route.') },
      {
        kind: 'question_asked',
        question: {
          id: 'q-1',
          step_id: fetchId,
          kind: 'failure',
          choices: ['retry', 'skip', 'abort'],
          error: failure('No route.'),
        },
      },
    );
    const card = await screen.findByRole('article', { name: /"Fetch" failed/ });
    expect(card).toHaveTextContent('No route.');
    services.answer({ runs: { answer: () => ({}) } });
    await user.type(within(card).getByRole('textbox'), 'not needed today');
    await user.click(within(card).getByRole('button', { name: 'Skip this step' }));
    expect(services.calls('runs.answer')).toEqual([
      { run_id: 'r-1', question_id: 'q-1', answer: 'skip', note: 'not needed today' },
    ]);
    happens({ kind: 'question_answered', question_id: 'q-1', step_id: fetchId, answer: 'skip' });
    await waitFor(() => expect(screen.queryByRole('article', { name: /"Fetch" failed/ })).toBeNull());
  });

  test('says why an answer was refused and lets the person answer again', async () => {
    const { services, user, happens } = openRun(retried.slice(0, 3), false);
    await screen.findByRole('button', { name: /Fetch/ });
    happens({
      kind: 'question_asked',
      question: { id: 'q-1', step_id: fetchId, kind: 'manual', choices: ['done', 'failed'], error: null },
    });
    services.answer({
      runs: {
        answer: () => {
          throw new AppError('QUESTION_NOT_FOUND', { question: 'q-1' });
        },
      },
    });
    const card = await screen.findByRole('article', { name: /"Fetch"/ });
    await user.click(within(card).getByRole('button', { name: 'Done' }));
    expect(await within(card).findByRole('alert')).toHaveTextContent('QUESTION_NOT_FOUND');
    expect(within(card).getByRole('button', { name: 'Done' })).toBeEnabled();
  });

  test('is stopped once, says that it is stopping, and then how long it took and that nothing is left', async () => {
    const { services, user, happens } = openRun(retried.slice(0, 3), false);
    services.answer({ runs: { cancel: () => ({}) } });
    await user.click(await screen.findByRole('button', { name: 'Stop' }));
    expect(services.calls('runs.cancel')).toEqual([{ run_id: 'r-1' }]);
    expect(screen.getByRole('status')).toHaveTextContent('Stopping');
    happens(
      { kind: 'cancel_requested' },
      { kind: 'step_ended', step_id: fetchId, state: 'cancelled', reason: 'cancelled_by_person', duration_ms: 900 },
      { kind: 'step_ended', step_id: reportId, state: 'cancelled', reason: 'cancelled_by_person', duration_ms: 0 },
      { kind: 'processes_stopped', started: 2, left: 0, duration_ms: 1200 },
      { kind: 'run_ended', state: 'cancelled', reason: 'cancelled_by_person', step_id: null },
    );
    expect(await screen.findByText(/1\.2 s.*0 of 2 processes/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
  });

  test('offers force only when the grace time of a stop is over', async () => {
    const { services, user, happens } = openRun(retried.slice(0, 3), false);
    services.answer({ runs: { cancel: () => ({}) } });
    await user.click(await screen.findByRole('button', { name: 'Stop' }));
    expect(screen.queryByRole('button', { name: 'Kill now' })).toBeNull();
    // The journal of this test is of the past: the grace time has gone by when the event comes.
    happens({ kind: 'cancel_requested' });
    await user.click(await screen.findByRole('button', { name: 'Kill now' }));
    expect(services.calls('runs.cancel')).toEqual([{ run_id: 'r-1' }, { run_id: 'r-1', force: true }]);
  });

  test('whose connection breaks says so and reads on where it stopped', async () => {
    const { services, stream } = openRun(retried, false);
    await screen.findByRole('button', { name: /Report/ });
    const again = testStream<RunBatch>();
    services.answer({ runs: { watch: () => again } });
    stream.fail(new TypeError('Failed to fetch'));
    expect(await screen.findByText(/connection is lost/i)).toBeInTheDocument();
    await waitFor(() => expect(screen.queryByText(/connection is lost/i)).toBeNull(), { timeout: 5000 });
    expect(services.calls('runs.watch').at(-1)).toEqual({ run_id: 'r-1', after_seq: retried.length - 1 });
  });
});

test('a run that is not there says so once and is not asked for again', async () => {
  const services = startServices({
    runs: {
      get: () => {
        throw new AppError('RUN_NOT_FOUND', { run: 'r-9' });
      },
    },
  });
  show(<RunPage runId="r-9" />);
  expect(await screen.findByRole('alert')).toHaveTextContent('RUN_NOT_FOUND');
  expect(services.calls('runs.get')).toHaveLength(1);
});
