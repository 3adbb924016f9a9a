import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lintManifest } from '../../../shared/action/lint-manifest.ts';
import { locales } from '../../../shared/text/texts.ts';
import { silentLog } from '../log.ts';
import { childEnvironment } from '../processes/env.ts';
import { runProcess } from '../processes/run-process.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import { type ActionCatalog, type ActionCatalogOptions, createActionCatalog } from './action-catalog.ts';
import { type TestSkill, testLibrary, writeSkill } from './test-skills.ts';

const repo = resolve(import.meta.dirname, '../../..');
const ownManifestFile = join(repo, 'assets/actions.json');
const say = {
  id: 'say',
  title: 'Say it',
  entrypoint: { type: 'cli', command: 'say', args: ['--text', '{{text}}', '--times', '{{times}}', '--key={{key}}'] },
  placements: ['toolbar', 'agent', 'row'],
  inputSchema: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string' },
      times: { type: 'integer', default: 2, minimum: 1 },
      key: { type: 'string', sensitive: true },
    },
  },
};
/** Prints as JSON what it was started with. */
const echoMjs = 'console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }));\n';
const echoPy = 'import json, sys\nprint(json.dumps({"args": sys.argv[1:], "program": "python"}))\n';
const echoSh = 'echo "{\\"program\\": \\"sh\\", \\"first\\": \\"$1\\"}"\n';

let home: string;
let root: string;
let library: SkillLibrary;
const settings = { python: '', step_timeout_seconds: 60 };

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'actions-')));
  root = join(home, '.workbuddy', 'skills');
  library = testLibrary(home);
  settings.python = '';
});
afterEach(async () => {
  await library.dispose();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function add(skill: TestSkill, to = root): string {
  return writeSkill(to, { actions: [say], files: { 'scripts/main.mjs': echoMjs }, ...skill });
}

function open(more: Partial<ActionCatalogOptions> = {}): ActionCatalog {
  return createActionCatalog({
    skills: library,
    settings: { values: () => settings },
    ownManifestFile,
    log: silentLog,
    ...more,
  });
}

/** Runs a command as the jobs do and returns the JSON that it printed. */
async function start(catalog: ActionCatalog, skill: string, action: string, input: Record<string, unknown> = {}) {
  const { command, args, cwd, env, timeoutMs } = await catalog.command(await catalog.resolve(skill, action), input);
  const result = await runProcess({ command, args, cwd, env, timeoutMs });
  expect(result).toMatchObject({ exitCode: 0, spawnError: null });
  return JSON.parse(result.stdout.text) as Record<string, unknown>;
}

describe('the actions of this machine', () => {
  it('are the application first, then every skill with a manifest', async () => {
    add({ name: 'beta', slug: 'b' });
    add({ name: 'alpha' });
    writeSkill(root, { name: 'plain' });
    const [own, ...others] = await open().list();
    expect(own).toMatchObject({ slug: 'studio', skill_id: null, problems: [] });
    expect(others.map(({ slug, skill_name: name, file }) => ({ slug, name, file }))).toEqual([
      { slug: 'alpha', name: 'alpha', file: join(root, 'alpha/assets/actions.json') },
      { slug: 'b', name: 'beta', file: join(root, 'beta/assets/actions.json') },
    ]);
    expect(others[0]!.actions).toEqual([
      {
        action: say,
        placements: ['agent'],
        refused: [
          { placement: 'toolbar', code: 'placement_sensitive' },
          { placement: 'row', code: 'placement_reserved' },
        ],
      },
    ]);
  });

  it('are found by slug, name, folder and in any letter case, and never by a guess between two', async () => {
    add({ name: 'Beta Skill', slug: 'b-slug', folder: 'beta-folder' });
    const catalog = open();
    for (const name of ['b-slug', 'B-SLUG', 'Beta Skill', 'beta skill', 'beta-folder']) {
      expect((await catalog.resolve(name, 'say')).slug).toBe('b-slug');
    }
    await expect(catalog.resolve('nobody', 'say')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
    await expect(catalog.resolve('b-slug', 'nope')).rejects.toMatchObject({
      code: 'ACTION_NOT_FOUND',
      params: { skill: 'Beta Skill', action: 'nope' },
    });
    writeSkill(root, { name: 'plain' });
    await library.scan();
    await expect(catalog.resolve('plain', 'say')).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
  });

  it('leave out a skill that another one hides, and use the first', async () => {
    const first = add({ name: 'twin' });
    const hidden = join(home, '.claude', 'skills');
    add({ name: 'twin', actions: [{ ...say, id: 'hidden' }] }, hidden);
    const catalog = open();
    const twins = (await catalog.list()).filter(({ skill_name: name }) => name === 'twin');
    expect(twins.map(({ file }) => file)).toEqual([join(first, 'assets/actions.json')]);
    await expect(catalog.resolve('twin', 'hidden')).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
  });

  it('give no skill the key of another one or of the application', async () => {
    const manifest = (skill: string) => JSON.stringify({ schemaVersion: 1, skill, actions: [say] });
    add({ name: 'a-thief', actions: manifest('victim') });
    add({ name: 'studio' });
    add({ name: 'victim' });
    const catalog = open();
    const keys = Object.fromEntries((await catalog.list()).map(({ slug, file }) => [slug, file]));
    expect(keys['studio']).toBe(ownManifestFile);
    expect(keys['victim']).toBe(join(root, 'victim/assets/actions.json'));
    expect(keys['a-thief']).toBe(join(root, 'a-thief/assets/actions.json'));
    expect((await catalog.resolve('victim', 'say')).skill?.name).toBe('victim');
  });

  it('show a broken manifest with its place, and its other actions stay usable', async () => {
    const bad = { ...say, id: 'bad', entrypoint: { type: 'cli', command: 'say', args: ['{{nobody}}'] } };
    add({ name: 'half', actions: [bad, say] });
    add({ name: 'torn', actions: '{"schemaVersion": 1,\n "skill": "torn",\n "actions": [}' });
    add({ name: 'folder', actions: [] });
    rmSync(join(root, 'folder/assets/actions.json'));
    mkdirSync(join(root, 'folder/assets/actions.json'));
    add({ name: 'huge', actions: `{"pad": "${'x'.repeat(1_000_001)}"}` });
    const catalog = open();
    const rows = Object.fromEntries((await catalog.list()).map((row) => [row.slug, row]));
    expect(rows['half']!.actions.map(({ action }) => action.id)).toEqual(['say']);
    expect(rows['half']!.problems.filter(({ severity }) => severity === 'error')).toEqual([
      {
        severity: 'error',
        code: 'template_not_declared',
        path: 'actions[0].entrypoint.args[0]',
        line: 12,
        column: 11,
        params: { field: 'nobody' },
      },
    ]);
    expect(rows['torn']).toMatchObject({ actions: [], problems: [{ code: 'json_broken', line: 3 }] });
    expect(rows['huge']).toMatchObject({ actions: [], problems: [{ code: 'too_large' }] });
    expect((await catalog.resolve('half', 'say')).action.id).toBe('say');
    await expect(catalog.resolve('half', 'bad')).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      place: { file: join(root, 'half/assets/actions.json'), field: 'actions[0].entrypoint.args[0]' },
    });
    await expect(catalog.resolve('torn', 'say')).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      place: { line: 3 },
    });
  });

  it('are read again when the file has changed', async () => {
    const folder = add({ name: 'one' });
    const catalog = open();
    await expect(catalog.resolve('one', 'other')).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    writeSkill(root, { name: 'one', actions: [{ ...say, id: 'other' }] });
    expect((await catalog.resolve('one', 'other')).skill?.folder).toBe(folder);
    await expect(catalog.resolve('one', 'say')).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
  });
});

describe('the command of an action', () => {
  it('is the main script with one argument per value, masked where it is shown', async () => {
    const folder = add({ name: 'one' });
    const catalog = open();
    const input = { text: 'a "b" $(c) 中', key: 'secret1' };
    const made = await catalog.command(await catalog.resolve('one', 'say'), input);
    const script = join(folder, 'scripts/main.mjs');
    expect(made.command).toBe(process.execPath);
    expect(made.args).toEqual([script, 'say', '--text', 'a "b" $(c) 中', '--times', '2', '--key=secret1']);
    expect(made.maskedArgv).toEqual([
      process.execPath,
      ...[script, 'say', '--text', 'a "b" $(c) 中', '--times', '2', '--key=***'],
    ]);
    expect(made.maskedInput).toEqual({ text: 'a "b" $(c) 中', times: 2, key: '***' });
    expect(made.secrets).toEqual(['secret1']);
    expect(made.timeoutMs).toBe(60_000);
    expect(await start(catalog, 'one', 'say', input)).toMatchObject({
      args: ['say', '--text', 'a "b" $(c) 中', '--times', '2', '--key=secret1'],
      cwd: folder,
    });
  });

  it('gives the program what its skill declares and none of the host’s other variables', async () => {
    add({ name: 'one', metadata: { requires: { env: ['TOKEN_IT_NEEDS'] }, primaryEnv: 'MAIN_KEY' } });
    const env = {
      ...childEnvironment(),
      TOKEN_IT_NEEDS: 'given',
      MAIN_KEY: 'given too',
      OTHER_SECRET: 'not given',
    };
    const { env: seen } = (await start(open({ env }), 'one', 'say', { text: 'x' })) as {
      env: Record<string, string>;
    };
    expect(seen['TOKEN_IT_NEEDS']).toBe('given');
    expect(seen['MAIN_KEY']).toBe('given too');
    expect(seen['SKILL_ROOT']).toBe(join(root, 'one'));
    expect(seen['PYTHONUTF8']).toBe('1');
    expect(seen).not.toHaveProperty('OTHER_SECRET');
  });

  it('uses main.py before main.mjs, then main.js and main.sh', async () => {
    add({ name: 'one', files: { 'scripts/main.py': echoPy, 'scripts/main.mjs': echoMjs, 'scripts/main.sh': echoSh } });
    const catalog = open();
    expect(await start(catalog, 'one', 'say', { text: 'x' })).toMatchObject({ program: 'python' });
    rmSync(join(root, 'one/scripts/main.py'));
    expect(await start(catalog, 'one', 'say', { text: 'x' })).toHaveProperty('cwd');
    rmSync(join(root, 'one/scripts/main.mjs'));
    expect(await start(catalog, 'one', 'say', { text: 'x' })).toEqual({ program: 'sh', first: 'say' });
    rmSync(join(root, 'one/scripts/main.sh'));
    await expect(start(catalog, 'one', 'say', { text: 'x' })).rejects.toMatchObject({ code: 'SCRIPT_NOT_FOUND' });
  });

  it('takes Python from the setting, then from the skill, then from PATH', async () => {
    const folder = add({ name: 'one', files: { 'scripts/main.py': echoPy } });
    const command = async () => {
      const catalog = open();
      return (await catalog.command(await catalog.resolve('one', 'say'), { text: 'x' })).command;
    };
    expect(await command()).toMatch(/python3?$/);
    const own = join(folder, '.venv/bin/python');
    mkdirSync(join(folder, '.venv/bin'), { recursive: true });
    symlinkSync(execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim(), own);
    expect(await command()).toBe(own);
    const chosen = join(home, 'my-python');
    writeFileSync(chosen, '');
    chmodSync(chosen, 0o755);
    settings.python = chosen;
    expect(await command()).toBe(chosen);
    for (const missing of [join(home, 'no-such-python'), 'no-such-python']) {
      settings.python = missing;
      await expect(command()).rejects.toMatchObject({ code: 'PROGRAM_NOT_FOUND', params: { program: missing } });
    }
  });

  it('refuses a main script that leads out of the skill', async () => {
    const folder = add({ name: 'one', files: {} });
    writeFileSync(join(home, 'outside.py'), echoPy);
    mkdirSync(join(folder, 'scripts'));
    symlinkSync(join(home, 'outside.py'), join(folder, 'scripts/main.py'));
    await expect(start(open(), 'one', 'say', { text: 'x' })).rejects.toMatchObject({ code: 'ACTION_REFUSED' });
  });

  it('refuses input that the schema does not allow, and names the field', async () => {
    add({ name: 'one' });
    const catalog = open();
    const resolved = await catalog.resolve('one', 'say');
    for (const [input, field] of [
      [{}, 'text'],
      [{ text: 5 }, 'text'],
      [{ text: 'a', times: 0 }, 'times'],
      [{ text: 'a', times: 1.5 }, 'times'],
      [{ text: 'a', unknown: 1 }, 'unknown'],
    ] as const) {
      await expect(catalog.command(resolved, input)).rejects.toMatchObject({
        code: 'ACTION_INPUT_INVALID',
        place: { field },
      });
    }
  });
});

describe('the application’s own manifest', () => {
  it('has no finding of our own linter, and every text in each language', async () => {
    const [own] = await open().list();
    expect(own!.problems).toEqual([]);
    expect(own!.actions.length).toBeGreaterThan(8);
    for (const { action, placements, refused } of own!.actions) {
      expect(placements.length).toBeGreaterThan(0);
      expect(refused).toEqual([]);
      const others = (action as { locales?: Record<string, { title?: string; description?: string }> }).locales ?? {};
      for (const locale of locales.filter((one) => one !== 'en')) {
        expect([action.id, others[locale]?.title, others[locale]?.description]).toEqual([
          action.id,
          expect.stringMatching(/\p{Script=Han}/u),
          expect.stringMatching(/\p{Script=Han}/u),
        ]);
      }
    }
  });

  it('keeps commands of the window for the window', async () => {
    const catalog = open();
    const resolved = await catalog.resolve('studio', 'chain-new');
    await expect(catalog.command(resolved, {})).rejects.toMatchObject({ code: 'ACTION_REFUSED' });
    expect(lintManifest(JSON.stringify({ schemaVersion: 1, skill: 'x', actions: [resolved.action] })).problems).toEqual(
      [expect.objectContaining({ severity: 'error', code: 'app_not_allowed' })],
    );
  });

  it('calls this program’s own command line for the rest', async () => {
    const catalog = open();
    const commands = (await catalog.list())[0]!.actions.filter(({ action }) => action.entrypoint.type === 'cli');
    expect(commands.length).toBeGreaterThan(0);
    const first = commands[0]!.action;
    const made = await catalog.command(await catalog.resolve('studio', first.id), inputOf(first));
    expect(made.command).toBe(process.execPath);
    expect(made.args.slice(0, 2)).toEqual([join(repo, 'dist/cli/main.js'), first.entrypoint.command]);
    const ownCli = { command: 'other-node', args: ['/place/main.js'], env: { MARK: '1' } };
    const elsewhere = open({ ownCli });
    const other = await elsewhere.command(await elsewhere.resolve('studio', first.id), inputOf(first));
    expect([other.command, ...other.args.slice(0, 2), other.env]).toEqual([
      'other-node',
      '/place/main.js',
      first.entrypoint.command,
      { MARK: '1' },
    ]);
  });
});

/** A value for every required field. */
function inputOf(action: { inputSchema?: { required?: string[] | undefined } | undefined }): Record<string, unknown> {
  return Object.fromEntries((action.inputSchema?.required ?? []).map((field) => [field, 'x']));
}
