import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { ChainSummary } from '../../shared/api/contract.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { useChains } from '../stores/chains-store.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aChain, aRun, someRevision } from '../test/things.ts';
import { ChainDialogs, chainDialogs } from './chain-dialogs.tsx';
import { ChainsPage } from './chains-page.tsx';

const release = aChain('release', { description: 'Build, test and publish', tags: ['ship', 'daily'] });
const audit = aChain('audit', { description: 'Look for leaks', tags: ['daily'] });
const notes = aChain('发布说明', { description: 'Write the notes', tags: ['ship'] });

async function openPage(chains: readonly ChainSummary[] = [release, audit, notes]) {
  const kept = [...chains];
  const services = startServices({ chains: { list: () => kept } });
  const user = show(
    <>
      <ChainsPage />
      <ChainDialogs />
    </>,
  );
  await useChains.getState().refresh();
  return { kept, services, user };
}

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

describe('the list of chains', () => {
  test('is narrowed by words in name, description and tags, and says how many are left', async () => {
    const { user } = await openPage();
    await user.type(await screen.findByRole('textbox', { name: 'Search chains' }), 'SHIP notes');
    expect(names()).toEqual(['发布说明']);
    expect(screen.getByRole('status')).toHaveTextContent('1 of 3');
    await user.keyboard('{Escape}');
    expect(names()).toHaveLength(3);
  });

  test('shows only chains that carry every chosen tag', async () => {
    const { user } = await openPage();
    await user.click(await screen.findByRole('button', { name: 'ship' }));
    expect(names()).toEqual(['release', '发布说明']);
    await user.click(screen.getByRole('button', { name: 'daily' }));
    expect(names()).toEqual(['release']);
  });

  test('offers the way back when nothing fits', async () => {
    const { user } = await openPage();
    await user.type(await screen.findByRole('textbox', { name: 'Search chains' }), 'nothing like this');
    await user.click(screen.getByRole('button', { name: 'Show all chains' }));
    expect(names()).toHaveLength(3);
  });

  test('shows a file that can not be read, with its reason and line, and does not offer to run it', async () => {
    const broken = aChain('half', {
      broken: { code: 'CHAIN_FILE_BROKEN', params: { detail: 'end of file' }, line: 7 },
    });
    await openPage([broken]);
    const row = (await screen.findAllByRole('row'))[1]!;
    expect(row).toHaveTextContent(/half\.json/);
    expect(row).toHaveTextContent(/7/);
    expect(row).toHaveTextContent('Unreadable');
    expect(within(row).queryByRole('button', { name: 'Run "half"' })).toBeNull();
  });

  test('starts a chain and goes to its run', async () => {
    const { services, user } = await openPage();
    services.answer({ runs: { start: () => ({ run_id: 'r-1' }) } });
    await user.click(await screen.findByRole('button', { name: 'Run "release"' }));
    expect(services.calls('runs.start')).toEqual([{ chain_name: 'release', source: 'window' }]);
    expect(window.location.hash).toBe('#/runs/r-1');
  });

  test('says at its top why a chain was not started', async () => {
    const { services, user } = await openPage();
    services.answer({
      runs: {
        start: () => {
          throw new AppError('CHAIN_CYCLE', { path: 'a -> b -> a' });
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Run "audit"' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('CHAIN_CYCLE');
    expect(window.location.hash).toBe('');
  });

  test('keeps showing what it knew when the list can not be read again', async () => {
    const { services } = await openPage();
    services.answer({
      chains: {
        list: () => {
          throw new AppError('FILE_UNREADABLE', { file: '/home/me/data/chains' });
        },
      },
    });
    await useChains.getState().refresh();
    expect(await screen.findByRole('alert')).toHaveTextContent('FILE_UNREADABLE');
    expect(names()).toHaveLength(3);
  });
});

describe('deleting a chain', () => {
  test('asks nothing, and Undo takes it out of the trash again', async () => {
    const { kept, services, user } = await openPage();
    services.answer({
      chains: {
        delete: ({ name }) => {
          kept.splice(
            kept.findIndex((chain) => chain.name === name),
            1,
          );
          return { trashed: 'audit.json.1' };
        },
        restore: () => {
          kept.push(audit);
          return { name: 'audit' };
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'More for "audit"' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    await waitFor(() => expect(names()).toEqual(['release', '发布说明']));
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(names()).toContain('audit'));
    expect(services.calls('chains.restore')).toEqual([{ trashed: 'audit.json.1' }]);
    expect(await screen.findByText('"audit" is back.')).toBeInTheDocument();
  });
});

describe('the dialog for a name', () => {
  test('opens a new chain by its name without the spaces around it', async () => {
    const { services, user } = await openPage();
    services.answer({ chains: { create: ({ name }) => ({ name, revision: someRevision }) } });
    await user.click(screen.getByRole('button', { name: 'New chain' }));
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), '  日报 ');
    await user.click(screen.getByRole('button', { name: 'Create' }));
    await waitFor(() => expect(window.location.hash).toBe(`#/chains/${encodeURIComponent('日报')}`));
    expect(services.calls('chains.create')).toEqual([{ name: '日报' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('says at the field why a name is refused, keeps what was typed, and takes a better one', async () => {
    const { services, user } = await openPage();
    services.answer({
      chains: {
        create: ({ name }) => {
          if (name === 'Release') throw new AppError('CHAIN_NAME_CLASH', { name, other: 'release' });
          return { name, revision: someRevision };
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'New chain' }));
    const field = await screen.findByRole('textbox', { name: 'Name' });
    await user.type(field, 'Release{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/release/));
    expect(field).toBeInvalid();
    expect(field).toHaveValue('Release');
    await user.type(field, ' 2{Enter}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('proposes a name for a copy and makes it from the chain in question', async () => {
    const { services, user } = await openPage();
    services.answer({ chains: { duplicate: ({ new_name }) => ({ name: new_name }) } });
    await user.click(await screen.findByRole('button', { name: 'More for "release"' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Duplicate…' }));
    expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveValue('release copy');
    await user.click(screen.getByRole('button', { name: 'Duplicate' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(services.calls('chains.duplicate')).toEqual([{ name: 'release', new_name: 'release copy' }]);
  });

  test('renames only what it has seen: the revision goes with it', async () => {
    const { services, user } = await openPage();
    services.answer({ chains: { rename: ({ new_name }) => ({ name: new_name, revision: someRevision }) } });
    await user.click(await screen.findByRole('button', { name: 'More for "audit"' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Rename…' }));
    const field = await screen.findByRole('textbox', { name: 'Name' });
    await user.clear(field);
    await user.type(field, 'leaks{Enter}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(services.calls('chains.rename')).toEqual([
      { name: 'audit', new_name: 'leaks', base_revision: someRevision },
    ]);
  });
});

describe('bringing chain files in', () => {
  const file = (name: string, text: string) => new File([text], name, { type: 'application/json' });
  const chainText = (name: string) =>
    JSON.stringify({ name, steps: [{ index: 1, skill_name: 's', step_name: 'one', action: 'do it' }] });

  test('a clash is said at its file and a new name brings it in; the others are in already', async () => {
    const { kept, services, user } = await openPage();
    services.answer({
      chains: {
        create: ({ name }) => {
          if (kept.some((chain) => chain.name === name)) throw new AppError('CHAIN_EXISTS', { name });
          kept.push(aChain(name));
          return { name, revision: someRevision };
        },
      },
    });
    chainDialogs.importFiles([file('release.json', chainText('release')), file('new.json', chainText('fresh'))]);
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('new.json');
    await user.click(within(dialog).getByRole('button', { name: 'Import' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('CHAIN_EXISTS');
    expect(names()).toContain('fresh');
    expect(within(dialog).queryByText('new.json')).toBeNull();
    const name = within(dialog).getByRole('textbox', { name: 'Name' });
    await user.clear(name);
    await user.type(name, 'release 2');
    await user.click(within(dialog).getByRole('button', { name: 'Import' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(services.calls('chains.create').at(-1)).toEqual({ name: 'release 2', text: chainText('release') });
  });

  test('a text that is no chain is refused with its place, and nothing is written', async () => {
    const { services, user } = await openPage();
    chainDialogs.import();
    const dialog = await screen.findByRole('dialog');
    await user.click(within(dialog).getByRole('textbox', { name: /paste/i }));
    await user.paste('{"name": "x",\n "steps": [');
    await user.click(within(dialog).getByRole('button', { name: 'Read it' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent(/2/);
    expect(within(dialog).getByRole('button', { name: 'Import' })).toBeDisabled();
    expect(services.calls('chains.create')).toEqual([]);
  });
});

test('the last run of a chain leads to it', async () => {
  const { run_id, state, started_at } = aRun('r-7', { state: 'failed' });
  await openPage([aChain('release', { last_run: { run_id, state, started_at } })]);
  expect(await screen.findByRole('link', { name: /Failed/ })).toHaveAttribute('href', '#/runs/r-7');
});
