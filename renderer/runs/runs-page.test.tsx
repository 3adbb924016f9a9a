import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { noteRun, useRuns } from '../stores/runs-store.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aRun } from '../test/things.ts';
import { RunsPage } from './runs-page.tsx';

const runs = [
  aRun('r-4', { chain_name: 'audit', state: 'running', ended_at: null, duration_ms: null, open_questions: 1 }),
  aRun('r-3', { state: 'failed', retries: 2 }),
  aRun('r-2', { state: 'interrupted' }),
  aRun('r-1'),
];

async function openPage() {
  const kept = [...runs];
  const services = startServices({ runs: { list: () => kept } });
  const user = show(<RunsPage />);
  await act(() => useRuns.getState().refresh());
  return { kept, services, user };
}

const ids = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.getAttribute('href')?.split('/').at(-1));

test('the history is narrowed by words and by how a run stands', async () => {
  const { user } = await openPage();
  await user.click(screen.getByRole('button', { name: 'Failed' }));
  expect(ids()).toEqual(['r-3']);
  await user.click(screen.getByRole('button', { name: 'Stopped' }));
  expect(ids()).toEqual(['r-2']);
  await user.click(screen.getByRole('button', { name: 'Stopped' }));
  await user.type(screen.getByRole('textbox', { name: 'Search runs' }), 'release');
  expect(ids()).toEqual(['r-3', 'r-2', 'r-1']);
});

test('a run that asks is found among those that wait, also while another branch is at work', async () => {
  const { user } = await openPage();
  await user.click(screen.getByRole('button', { name: 'Waiting for you' }));
  expect(ids()).toEqual(['r-4']);
  expect(screen.getAllByRole('row')[1]).toHaveTextContent('1 question');
});

test('a row changes as its run goes on, without the list being read again', async () => {
  const { services } = await openPage();
  act(() => noteRun(aRun('r-4', { chain_name: 'audit', state: 'succeeded' })));
  expect(screen.getAllByRole('row')[1]).toHaveTextContent('Succeeded');
  act(() => noteRun(aRun('r-5', { chain_name: 'new one' })));
  expect(ids()[0]).toBe('r-5');
  expect(services.calls('runs.list')).toHaveLength(1);
});

test('a run is deleted only after a question, whose safe answer has the focus', async () => {
  const { kept, services, user } = await openPage();
  services.answer({
    runs: {
      delete: ({ run_id }) => {
        kept.splice(
          kept.findIndex((run) => run.run_id === run_id),
          1,
        );
        return {};
      },
    },
  });
  const row = screen.getAllByRole('row')[4]!;
  await user.click(within(row).getByRole('button'));
  await user.click(await screen.findByRole('menuitem', { name: /Delete/ }));
  const dialog = await screen.findByRole('dialog');
  await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Cancel' })).toHaveFocus());
  expect(services.calls('runs.delete')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(ids()).toEqual(['r-4', 'r-3', 'r-2']));
  expect(services.calls('runs.delete')).toEqual([{ run_id: 'r-1' }]);
});

test('a run at work can be stopped from the list and not deleted', async () => {
  const { services, user } = await openPage();
  services.answer({ runs: { cancel: () => ({}) } });
  await user.click(within(screen.getAllByRole('row')[1]!).getByRole('button'));
  expect(screen.queryByRole('menuitem', { name: /Delete/ })).toBeNull();
  await user.click(await screen.findByRole('menuitem', { name: 'Stop' }));
  expect(services.calls('runs.cancel')).toEqual([{ run_id: 'r-4' }]);
});

test('a long history is drawn in parts', async () => {
  const services = startServices({
    runs: { list: () => Array.from({ length: 350 }, (_, at) => aRun(`r-${350 - at}`)) },
  });
  const user = show(<RunsPage />);
  await act(() => useRuns.getState().refresh());
  expect(ids()).toHaveLength(100);
  await user.click(screen.getByRole('button', { name: 'Show 100 more' }));
  expect(ids()).toHaveLength(200);
  expect(services.calls('runs.list')).toHaveLength(1);
});
