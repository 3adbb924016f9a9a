import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { SettingsView } from '../../shared/api/contract.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { settingKeys } from '../../shared/settings/settings.ts';
import { useSettingsStore } from '../stores/settings-store.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { someSettings } from '../test/things.ts';
import { SettingsPage } from './settings-page.tsx';

/** Keeps what is saved as the real store does: null takes a key out of the file. */
async function openSettings(view: Partial<SettingsView> = {}, focusKey?: string) {
  let kept = someSettings(view);
  const services = startServices({
    settings: {
      get: () => kept,
      set: ({ patch }) => {
        const set = Object.fromEntries(kept.changed.map((key) => [key, kept.values[key]]));
        for (const [key, value] of Object.entries(patch)) {
          if (value === null) delete set[key];
          else set[key] = value;
        }
        kept = someSettings({ values: set });
        return kept;
      },
    },
    skills: { list: () => ({ roots: [], rows: [], counts: { found: 0, by_state: {} as never }, duration_ms: 0 }) },
  });
  const user = show(<SettingsPage toolbar={null} focusKey={focusKey} />);
  await act(() => useSettingsStore.getState().refresh());
  return { services, user };
}

function row(title: string) {
  return within(screen.getByRole('heading', { name: title, level: 3 }).closest<HTMLElement>('[data-setting]')!);
}

describe('a setting', () => {
  test('that is a switch is saved with one click, told once, and can go back to its default', async () => {
    const { services, user } = await openSettings();
    await user.click(row('Memory reference').getByRole('switch'));
    expect(services.calls('settings.set')).toEqual([{ patch: { use_memory_reference: true } }]);
    expect(await row('Memory reference').findByText('Saved')).toBeInTheDocument();
    expect(row('Memory reference').getByText('changed')).toBeInTheDocument();
    await user.click(row('Memory reference').getByRole('button', { name: 'Back to the default: Memory reference' }));
    expect(services.calls('settings.set').at(-1)).toEqual({ patch: { use_memory_reference: null } });
    await waitFor(() => expect(row('Memory reference').queryByText('changed')).toBeNull());
    expect(row('Memory reference').getByRole('switch')).not.toBeChecked();
  });

  test('that is a choice is saved with the choice', async () => {
    const { services, user } = await openSettings();
    await user.click(row('Naming').getByRole('radio', { name: 'By itself' }));
    expect(services.calls('settings.set')).toEqual([{ patch: { naming_mode: 'auto' } }]);
  });

  test('that is a number is saved once, when the field is left, and not while it is typed', async () => {
    const { services, user } = await openSettings();
    const field = row('Runs that are kept').getByRole('textbox');
    await user.clear(field);
    await user.type(field, '500');
    expect(services.calls('settings.set')).toEqual([]);
    await user.tab();
    expect(services.calls('settings.set')).toEqual([{ patch: { keep_runs: 500 } }]);
    field.focus();
    await user.tab();
    expect(services.calls('settings.set')).toHaveLength(1);
  });

  test.each([
    ['11', 'The largest value is 10.'],
    ['0', 'The smallest value is 1.'],
    ['', 'Enter a number.'],
  ])('that can not be "%s" says why, keeps what was typed and saves nothing', async (typed, sentence) => {
    const { services, user } = await openSettings();
    const field = row('Retries of a step').getByRole('textbox');
    await user.clear(field);
    if (typed !== '') await user.type(field, typed);
    await user.tab();
    expect(row('Retries of a step').getByRole('alert')).toHaveTextContent(sentence);
    expect(field).toHaveAccessibleDescription(new RegExp(sentence));
    expect(field).toHaveValue(typed);
    expect(services.calls('settings.set')).toEqual([]);
  });

  test('that was not saved says so at its place and shows what holds', async () => {
    const { services, user } = await openSettings();
    services.answer({
      settings: {
        set: () => {
          throw new AppError('FILE_UNWRITABLE', { file: '/home/me/data/config.json', detail: 'EROFS' });
        },
      },
    });
    await user.click(row('Memory reference').getByRole('switch'));
    expect(await row('Memory reference').findByRole('alert')).toHaveTextContent('FILE_UNWRITABLE');
    expect(row('Memory reference').getByRole('switch')).not.toBeChecked();
  });

  test('whose value in the file can not be used says what stands there and that the default holds', async () => {
    await openSettings({ problems: [{ key: 'max_parallel', detail: 'expected number', found: '"four"' }] });
    expect(row('Steps at the same time').getByText('"four"')).toBeInTheDocument();
    expect(row('Steps at the same time').getByRole('textbox')).toHaveValue('4');
    expect(screen.getByText(/A value in the file can not be used/)).toHaveTextContent('Steps at the same time');
  });

  test('that somebody looked for by the palette has the focus', async () => {
    await openSettings({}, 'keep_runs');
    await waitFor(() => expect(row('Runs that are kept').getByRole('textbox')).toHaveFocus());
  });
});

describe('the page', () => {
  test('has a row with a name and a meaning for every setting', async () => {
    await openSettings();
    const rows = [...document.querySelectorAll<HTMLElement>('[data-setting]')];
    expect(new Set(rows.map((one) => one.dataset['setting']))).toEqual(new Set(settingKeys));
  });

  test('finds settings by their words, their group and their key', async () => {
    const { user } = await openSettings();
    const search = screen.getByRole('textbox', { name: 'Search the settings' });
    await user.type(search, 'python');
    expect(screen.getAllByRole('heading', { level: 3 }).map((one) => one.textContent)).toEqual(['Python program']);
    await user.clear(search);
    await user.type(search, 'scroll_mode');
    expect(screen.getAllByRole('heading', { level: 3 })).toHaveLength(1);
    await user.type(search, ' nothing');
    expect(screen.getByText('No setting holds these words.')).toBeInTheDocument();
  });

  test('says where a file that could not be read was put aside', async () => {
    await openSettings({ set_aside: '/home/me/data/config.json.broken-1' });
    expect(screen.getByText('/home/me/data/config.json.broken-1')).toBeInTheDocument();
  });
});

describe('lists in settings', () => {
  test('a folder is added once, moved and taken away, each with one save', async () => {
    const { services, user } = await openSettings({ values: { skill_folders: ['/a'] } });
    const folders = row('More skill folders');
    const field = folders.getByRole('textbox');
    await user.type(field, ' /a ');
    expect(folders.getByRole('alert')).toHaveTextContent('This folder is in the list already.');
    expect(folders.getByRole('button', { name: 'Add' })).toBeDisabled();
    await user.clear(field);
    await user.type(field, '/b{Enter}');
    await user.click(await folders.findByRole('button', { name: 'Search earlier: /b' }));
    await user.click(folders.getByRole('button', { name: 'Do not search: /a' }));
    expect(services.calls('settings.set')).toEqual([
      { patch: { skill_folders: ['/a', '/b'] } },
      { patch: { skill_folders: ['/b', '/a'] } },
      { patch: { skill_folders: ['/b'] } },
    ]);
  });

  test('an agent that would never be told what to do is refused with words, then saved', async () => {
    const { services, user } = await openSettings();
    const agents = row('Agents of your own');
    await user.click(agents.getByRole('button', { name: 'Add an agent' }));
    await user.type(agents.getByRole('textbox', { name: /^Name/ }), 'mine');
    await user.type(agents.getByRole('textbox', { name: /^Program/ }), 'my-agent');
    await user.click(agents.getByRole('radio', { name: 'An argument' }));
    await user.click(agents.getByRole('button', { name: 'Save' }));
    const args = agents.getByRole('textbox', { name: 'Arguments' });
    expect(args).toHaveFocus();
    expect(args).toHaveAccessibleDescription(/One argument must hold \{prompt\}/);
    expect(services.calls('settings.set')).toEqual([]);
    await user.type(args, '--ask{Enter}{{prompt}');
    await user.click(agents.getByRole('button', { name: 'Save' }));
    expect(services.calls('settings.set')).toEqual([
      {
        patch: {
          agents: [
            {
              name: 'mine',
              command: 'my-agent',
              args: ['--ask', '{prompt}'],
              prompt: 'argument',
              timeout_seconds: 600,
            },
          ],
        },
      },
    ]);
    expect(await agents.findByText('my-agent --ask {prompt}')).toBeInTheDocument();
  });

  test('a tool server takes names of variables and no values, can be turned off, and is kept then', async () => {
    const { services, user } = await openSettings();
    const servers = row('Tool servers (MCP)');
    await user.click(servers.getByRole('button', { name: 'Add a tool server' }));
    await user.type(servers.getByRole('textbox', { name: /^Name/ }), 'notes/x');
    await user.type(servers.getByRole('textbox', { name: /^Program/ }), 'npx');
    await user.type(servers.getByRole('textbox', { name: 'Arguments' }), '-y{Enter}notes-server');
    const env = servers.getByRole('textbox', { name: /^Environment variables/ });
    await user.type(env, 'NOTES_KEY=sk-123');
    await user.click(servers.getByRole('button', { name: 'Save' }));
    const name = servers.getByRole('textbox', { name: /^Name/ });
    expect(name).toHaveFocus();
    expect(name).toHaveAccessibleDescription(/no slash/);
    expect(env).toHaveAccessibleDescription(/A value can not stand here/);
    expect(services.calls('settings.set')).toEqual([]);
    await user.clear(name);
    await user.type(name, 'notes');
    await user.clear(env);
    await user.type(env, 'NOTES_KEY=MY_KEY{Enter}LANG');
    await user.click(servers.getByRole('button', { name: 'Save' }));
    const saved = {
      name: 'notes',
      transport: 'stdio',
      command: 'npx',
      args: ['-y', 'notes-server'],
      env: { NOTES_KEY: 'MY_KEY', LANG: 'LANG' },
      url: '',
      headers: {},
      enabled: true,
      timeout_seconds: 60,
    };
    expect(services.calls('settings.set')).toEqual([{ patch: { mcp_servers: [saved] } }]);
    await user.click(await servers.findByRole('switch', { name: 'In use: notes' }));
    expect(services.calls('settings.set').at(-1)).toEqual({ patch: { mcp_servers: [{ ...saved, enabled: false }] } });
    await user.click(servers.getByRole('button', { name: 'Edit: notes' }));
    await user.click(servers.getByRole('radio', { name: 'An address' }));
    await user.type(servers.getByRole('textbox', { name: 'Address' }), 'example.com/mcp');
    await user.click(servers.getByRole('button', { name: 'Save' }));
    expect(servers.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(/begins with http/);
    await user.click(servers.getByRole('button', { name: 'Cancel' }));
    expect(servers.getByText('npx -y notes-server')).toBeInTheDocument();
  });

  test('a model takes the name of a variable and no key, and can then be the one that answers', async () => {
    const { services, user } = await openSettings();
    const models = row('Models');
    await user.click(models.getByRole('button', { name: 'Add a model' }));
    await user.type(models.getByRole('textbox', { name: /^Name/ }), 'local/x');
    await user.type(models.getByRole('textbox', { name: /^Model/ }), 'llama3');
    const key = models.getByRole('textbox', { name: /^Variable that holds the key/ });
    await user.type(key, 'sk-123');
    await user.click(models.getByRole('button', { name: 'Save' }));
    const name = models.getByRole('textbox', { name: /^Name/ });
    const address = models.getByRole('textbox', { name: /^Address/ });
    expect(name).toHaveFocus();
    expect(name).toHaveAccessibleDescription(/no slash/);
    expect(address).toHaveAccessibleDescription(/begins with http/);
    expect(key).toHaveAccessibleDescription(/The key itself can not stand here/);
    expect(services.calls('settings.set')).toEqual([]);
    await user.clear(name);
    await user.type(name, 'local');
    await user.type(address, 'http://localhost:11434/v1');
    await user.clear(key);
    await user.type(key, 'MY_KEY');
    await user.type(models.getByRole('textbox', { name: 'Temperature' }), '0.5');
    await user.click(models.getByRole('button', { name: 'Save' }));
    const saved = {
      name: 'local',
      provider: 'openai-compatible',
      base_url: 'http://localhost:11434/v1',
      model: 'llama3',
      api_key_env: 'MY_KEY',
      timeout_seconds: 300,
      temperature: 0.5,
    };
    expect(services.calls('settings.set')).toEqual([{ patch: { models: [saved] } }]);
    await user.click(await models.findByRole('button', { name: 'Edit: local' }));
    await user.clear(models.getByRole('textbox', { name: 'Temperature' }));
    await user.click(models.getByRole('radio', { name: 'Anthropic' }));
    await user.clear(models.getByRole('textbox', { name: /^Address/ }));
    await user.click(models.getByRole('button', { name: 'Save' }));
    const { temperature: _, ...rest } = saved;
    const changed = { ...rest, provider: 'anthropic', base_url: '' };
    expect(services.calls('settings.set').at(-1)).toEqual({ patch: { models: [changed] } });
    await user.click(row('Model').getByRole('combobox'));
    await user.click(await screen.findByRole('option', { name: 'local' }));
    expect(services.calls('settings.set').at(-1)).toEqual({ patch: { default_model: 'local' } });
    await user.click(await models.findByRole('button', { name: 'Remove: local' }));
    expect(await row('Model').findByRole('alert')).toHaveTextContent('There is no model named local any more.');
  });

  test('only an agent that is known can be the one that does agent steps', async () => {
    const { services, user } = await openSettings();
    const field = row('Agent').getByRole('combobox');
    await user.clear(field);
    await user.type(field, 'nobody');
    await user.tab();
    expect(row('Agent').getByRole('alert')).toHaveTextContent(/No agent has this name\. Known: .*claude/);
    expect(services.calls('settings.set')).toEqual([]);
    await user.clear(field);
    await user.type(field, 'codex{Enter}');
    expect(services.calls('settings.set')).toEqual([{ patch: { default_agent: 'codex' } }]);
  });
});
