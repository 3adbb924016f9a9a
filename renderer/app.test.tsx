import { notifications } from '@mantine/notifications';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppEvent } from '../shared/api/contract.ts';
import { AppError } from '../shared/errors/app-error.ts';
import { App } from './app.tsx';
import { changeLocale } from './i18n/i18n.ts';
import { allCommands } from './stores/commands.ts';
import { navigate } from './stores/route.ts';
import { useRuns } from './stores/runs-store.ts';
import { giveSizes } from './test/layout.ts';
import { startServices, testStream } from './test/services.ts';
import { aChain, aRun, aScan, aSkill, someSettings } from './test/things.ts';

async function openApp() {
  giveSizes();
  const stream = testStream<AppEvent>();
  const kept = {
    chains: [aChain('release'), aChain('audit')],
    runs: [aRun('r-1')],
    settings: someSettings(),
  };
  const services = startServices({
    app: {
      info: () => ({
        version: '1.0.0',
        data_home: '/home/me/data',
        skills_home: '/home/me/skills',
        platform: 'linux',
        locale: 'en',
        transport: 'server',
        first_start: false,
      }),
      watch: () => stream,
    },
    chains: { list: () => kept.chains },
    skills: { list: () => aScan([aSkill('writer')]), rescan: () => aScan([aSkill('writer')]) },
    actions: { list: () => [] },
    runs: { list: () => kept.runs },
    jobs: { list: () => [] },
    settings: {
      get: () => kept.settings,
      set: ({ patch }) => {
        kept.settings = someSettings({ values: patch });
        return kept.settings;
      },
    },
  });
  const user = userEvent.setup();
  onTestFinished(() => {
    notifications.clean();
    changeLocale('en');
  });
  render(<App />);
  await screen.findByRole('link', { name: 'release' });
  return { kept, services, stream, user };
}

test('a lost connection is said, and when it is back everything is read anew', async () => {
  const { kept, services, stream } = await openApp();
  const again = testStream<AppEvent>();
  services.answer({
    app: {
      watch: () => {
        throw new AppError('NOT_CONNECTED');
      },
    },
  });
  stream.end();
  expect(await screen.findByText('The program behind this window does not answer.')).toBeInTheDocument();
  kept.chains.push(aChain('came meanwhile'));
  services.answer({ app: { watch: () => again } });
  expect(await screen.findByRole('link', { name: 'came meanwhile' })).toBeInTheDocument();
  expect(screen.queryByText('The program behind this window does not answer.')).toBeNull();
});

test('a window that is not signed in says so instead of trying in silence', async () => {
  const { services, stream } = await openApp();
  services.answer({
    app: {
      watch: () => {
        throw new AppError('NOT_AUTHORISED');
      },
    },
  });
  stream.end();
  expect(await screen.findByText('This window is not signed in.')).toBeInTheDocument();
});

test('what others change comes into the window by itself', async () => {
  const { kept, services, stream } = await openApp();
  kept.chains.splice(0, 1);
  stream.send({ kind: 'chains_changed', names: ['release'] });
  await waitFor(() => expect(screen.queryByRole('link', { name: 'release' })).toBeNull());
  stream.send({ kind: 'run_changed', run: aRun('r-2', { chain_name: 'audit', state: 'waiting', open_questions: 2 }) });
  expect(await screen.findByRole('link', { name: 'Runs, 2 questions wait for you' })).toBeInTheDocument();
  expect(within(screen.getByRole('table')).getByText('Waiting for you')).toBeInTheDocument();
  expect(services.calls('runs.list')).toHaveLength(1);
});

test('the palette finds a command by its words and runs it', async () => {
  const { user } = await openApp();
  await user.keyboard('{Control>}k{/Control}');
  const search = await screen.findByPlaceholderText('Type a command, a chain or a setting');
  await user.type(search, 'runs that are kept');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(window.location.hash).toBe('#/settings/keep_runs'));
  expect(await screen.findByRole('heading', { name: 'Runs that are kept' })).toBeInTheDocument();
});

test('the palette reaches every chain, every room, every setting, every theme and language', async () => {
  await openApp();
  const ids = allCommands().map((command) => command.id);
  expect(ids).toEqual(
    expect.arrayContaining(['open.release', 'open.audit', 'go.runs', 'view.settings', 'setting.python']),
  );
  expect(ids).toEqual(expect.arrayContaining(['theme.dark', 'language.zh-CN', 'chain.new', 'samples.install']));
  const titles = allCommands().map((command) => `${command.group}: ${command.title}`);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});

test('the sheet of shortcuts shows every key that holds where the person is', async () => {
  const { user } = await openApp();
  await user.keyboard('?');
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  const keyed = allCommands().filter((command) => command.keys !== undefined);
  expect(keyed.length).toBeGreaterThan(3);
  for (const command of keyed) expect(sheet).toHaveTextContent(command.title);
  expect(within(sheet).getByText('Search chains').closest('div')).toHaveTextContent('/');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a key that is typed into a field is text, not a command', async () => {
  const { user } = await openApp();
  const search = screen.getByRole('textbox', { name: 'Search chains' });
  await user.type(search, 'a?');
  expect(search).toHaveValue('a?');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('another language holds at once for everything on the screen', async () => {
  const { user } = await openApp();
  await user.click(screen.getByRole('button', { name: 'Language' }));
  await user.click(await screen.findByRole('menuitem', { name: '简体中文' }));
  expect(await screen.findByRole('heading', { name: '调用链' })).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('zh-CN');
});

test('back and forward go through the rooms', async () => {
  await openApp();
  act(() => navigate({ room: 'runs' }));
  expect(await screen.findByRole('heading', { name: 'Runs' })).toBeInTheDocument();
  act(() => navigate({ room: 'skills' }));
  expect(await screen.findByRole('heading', { name: 'Skills' })).toBeInTheDocument();
  act(() => window.history.back());
  expect(await screen.findByRole('heading', { name: 'Runs' })).toBeInTheDocument();
});

test('bad news without a place of its own stays until it is closed; good news goes by itself', async () => {
  const { services } = await openApp();
  services.answer({
    app: {
      installSamples: () => {
        throw new AppError('FILE_UNWRITABLE', { file: '/home/me/skills', detail: 'EACCES' });
      },
    },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const command = (id: string) => allCommands().find((one) => one.id === id)!;
  await act(async () => command('samples.install').run());
  await act(async () => command('skills.rescan').run());
  const bad = await screen.findByText(/\/home\/me\/skills/);
  expect(screen.getByText('1 skill file found.')).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.queryByText('1 skill file found.')).toBeNull();
  expect(bad).toBeInTheDocument();
  await userEvent
    .setup({ advanceTimers: vi.advanceTimersByTime })
    .click(within(bad.closest<HTMLElement>('[role=alert]')!).getByRole('button', { name: 'Close' }));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.queryByText(/\/home\/me\/skills/)).toBeNull();
});

test('a room that can not be drawn leaves the window in place, and another room is there', async () => {
  const { kept } = await openApp();
  vi.spyOn(console, 'error').mockImplementation(() => {});
  kept.runs.push({ ...aRun('r-2'), steps_by_state: null as never });
  act(() => useRuns.setState({ value: kept.runs }));
  act(() => navigate({ room: 'runs' }));
  expect(await screen.findByText('This part of the window could not be shown')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Load the window again' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('link', { name: 'Skills' }));
  expect(await screen.findByRole('heading', { name: 'Skills' })).toBeInTheDocument();
});
