import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../shared/action/manifest.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { askAction, useActionRunner } from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { noteJob, useJobs } from '../stores/jobs-store.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aJob, aManifest } from '../test/things.ts';
import { ActionDialog } from './action-dialog.tsx';

const publish: Action = {
  id: 'publish',
  title: 'Publish',
  entrypoint: { type: 'cli', command: 'publish', args: ['--to', '{{to}}', '--key', '{{key}}', '--pages', '{{pages}}'] },
  placements: ['toolbar'],
  inputSchema: {
    type: 'object',
    required: ['to', 'key'],
    properties: {
      to: { type: 'string', title: 'Place', minLength: 3, pattern: '^[a-z]+$' },
      key: { type: 'string', title: 'Key', sensitive: true },
      pages: { type: 'integer', title: 'Pages', default: 5, minimum: 1, maximum: 9 },
      draft: { type: 'boolean', title: 'As a draft' },
      kind: { type: 'string', title: 'Kind', enum: ['news', 'notes'], default: 'notes' },
    },
  },
};
const wipe: Action = {
  id: 'wipe',
  title: 'Wipe',
  entrypoint: { type: 'cli', command: 'wipe' },
  placements: ['toolbar'],
  confirmation: { message: 'Everything goes away.', danger: true },
};
const plain: Action = { id: 'plain', title: 'Plain', entrypoint: { type: 'cli', command: 'plain' } };

async function ask(actionId: string) {
  const services = startServices({
    actions: {
      list: () => [aManifest('words', [publish, wipe, plain])],
      preview: () => ({ argv: ['python3', 'main.py', actionId, '--key', '***'] }),
      run: ({ action_id }) => aJob('j-1', { action_id, title: action_id, state: 'running', ended_at: null }),
    },
    jobs: { list: () => [] },
  });
  const user = show(<ActionDialog />);
  await act(async () => {
    await useActions.getState().refresh();
    await useJobs.getState().refresh();
    askAction({ slug: 'words', actionId, source: 'toolbar' });
  });
  const dialog = await screen.findByRole('dialog');
  return { services, user, dialog, form: within(dialog) };
}

describe('the form of an action', () => {
  test('starts with the defaults of the manifest and hides what is sensitive', async () => {
    const { form } = await ask('publish');
    expect(form.getByRole('textbox', { name: 'Pages' })).toHaveValue('5');
    expect(form.getByRole('combobox', { name: 'Kind' })).toHaveValue('notes');
    expect(form.getByLabelText(/^Key/)).toHaveAttribute('type', 'password');
    expect(form.getByRole('switch', { name: 'As a draft' })).not.toBeChecked();
  });

  test('says at each field what is wrong, goes to the first, and starts nothing', async () => {
    const { services, user, form } = await ask('publish');
    const pages = form.getByRole('textbox', { name: 'Pages' });
    await user.clear(pages);
    await user.type(pages, '12');
    await user.click(form.getByRole('button', { name: 'Run' }));
    const place = form.getByRole('textbox', { name: 'Place' });
    expect(place).toHaveFocus();
    expect(place).toHaveAccessibleDescription('A value is needed.');
    expect(pages).toHaveAccessibleDescription(/9/);
    await user.type(place, 'AB');
    expect(place).toBeInvalid();
    expect(services.calls('actions.run')).toEqual([]);
  });

  test('hands over typed values and remembers them, but never what is sensitive', async () => {
    const { services, user, form } = await ask('publish');
    await user.type(form.getByRole('textbox', { name: 'Place' }), 'home');
    await user.type(form.getByLabelText(/^Key/), 'top-secret');
    await user.click(form.getByRole('switch', { name: 'As a draft' }));
    await user.click(form.getByRole('button', { name: 'Run' }));
    expect(services.calls('actions.run')).toEqual([
      {
        skill_slug: 'words',
        action_id: 'publish',
        input: { to: 'home', key: 'top-secret', pages: 5, draft: true, kind: 'notes' },
        source: 'toolbar',
        confirmed: false,
      },
    ]);
    const kept = JSON.stringify({ ...localStorage });
    expect(kept).toContain('home');
    expect(kept).not.toContain('top-secret');
    act(() => noteJob(aJob('j-1', { action_id: 'publish', title: 'Publish' })));
    await user.click(await form.findByRole('button', { name: 'Again' }));
    expect(form.getByRole('textbox', { name: 'Place' })).toHaveValue('home');
    expect(form.getByLabelText(/^Key/)).toHaveValue('');
  });

  test('shows what the services refuse at its field, with everything that was typed', async () => {
    const { services, user, form } = await ask('publish');
    services.answer({
      actions: {
        run: () => {
          throw new AppError('ACTION_INPUT_INVALID', { field: 'to', detail: 'No such place.' }, { field: 'to' });
        },
      },
    });
    const place = form.getByRole('textbox', { name: 'Place' });
    await user.type(place, 'home');
    await user.type(form.getByLabelText(/^Key/), 'k');
    await user.click(form.getByRole('button', { name: 'Run' }));
    await waitFor(() => expect(place).toHaveAccessibleDescription('No such place.'));
    expect(form.getByLabelText(/^Key/)).toHaveValue('k');
  });
});

describe('an action that asks first', () => {
  test('shows its message and its exact command, and starts only when it is confirmed', async () => {
    const { services, user, dialog, form } = await ask('wipe');
    expect(dialog).toHaveTextContent('Everything goes away.');
    expect(await form.findByText('python3 main.py wipe --key ***')).toBeInTheDocument();
    await waitFor(() => expect(form.getByRole('button', { name: 'Cancel' })).toHaveFocus());
    expect(services.calls('actions.run')).toEqual([]);
    await user.click(form.getByRole('button', { name: 'Wipe' }));
    expect(services.calls('actions.run')).toEqual([
      { skill_slug: 'words', action_id: 'wipe', input: {}, source: 'toolbar', confirmed: true },
    ]);
  });

  test('is left without a trace', async () => {
    const { services, user, form } = await ask('wipe');
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(services.calls('actions.run')).toEqual([]);
  });
});

describe('the job of an action', () => {
  test('starts by itself when nothing has to be said, and ends on the screen with its result', async () => {
    const { services, form } = await ask('plain');
    expect(services.calls('actions.run')).toHaveLength(1);
    expect(await form.findByText('Running')).toBeInTheDocument();
    act(() => noteJob(aJob('j-1', { action_id: 'plain', result: { words: 7 } })));
    expect(await form.findByRole('region', { name: 'Result' })).toHaveTextContent('words7');
  });

  test('goes on when it is closed, and its end will be told', async () => {
    const { user, form } = await ask('plain');
    await form.findByText('Running');
    await user.click(form.getByRole('button', { name: 'Continue in the background' }));
    expect(useActionRunner.getState()).toEqual({ asked: null, unseen: ['j-1'] });
  });

  test('that could not be started says why and can be tried again', async () => {
    const { services, user, form } = await ask('wipe');
    services.answer({
      actions: {
        run: () => {
          throw new AppError('ACTION_NOT_FOUND', { skill: 'words', action: 'wipe' });
        },
      },
    });
    await user.click(form.getByRole('button', { name: 'Wipe' }));
    expect(await form.findByRole('alert')).toHaveTextContent('ACTION_NOT_FOUND');
  });
});
