import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './host.ts';
import { addChain, addProgramsSkill, chainFile, processesOfRun, programStep } from './things.ts';
import { card, cards, expect, test } from './window.ts';

const half = '{\n  "name": "half",\n  "steps": [\n    { "index": 1, "skill_na';
const config = '{\n  "max_parallel": "four",\n  "of_another_program": true\n}\n';
const seed = readFileSync('shared/chain/fixtures/release-pipeline.json', 'utf8');
const seedName = (JSON.parse(seed) as { name: string }).name;

test.use({
  start: {
    prepare: (home: Home) => {
      addProgramsSkill(home);
      addChain(home, 'loud', [
        programStep('chatty.mjs', [50]),
        programStep('ignores-sigterm.mjs', [], { depends_on: [1] }),
      ]);
      writeFileSync(chainFile(home, 'empty'), '');
      writeFileSync(chainFile(home, 'half'), half);
      writeFileSync(chainFile(home, seedName), seed);
      addChain(home, 'circle', [
        programStep('echo.mjs', [], { depends_on: [2] }),
        programStep('ok.py', [], { depends_on: [1] }),
      ]);
      writeFileSync(join(home.data, 'config.json'), config);
      addSkill(home, 'no-front-matter', '# Only a title\n');
      addSkill(home, 'bad-manifest', '---\nname: bad-manifest\ndescription: Its manifest is wrong.\n---\n', {
        schemaVersion: 1,
        skill: 'bad-manifest',
        actions: [
          {
            id: 'say',
            title: 'Say',
            entrypoint: { type: 'cli', command: 'say', args: ['--to', '{{person}}'] },
            placements: ['toolbar'],
            inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          },
        ],
      });
    },
  },
});

function addSkill(home: Home, name: string, text: string, manifest?: object): void {
  const folder = join(home.home, '.claude', 'skills', name);
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), text);
  if (manifest !== undefined) writeFileSync(join(folder, 'assets', 'actions.json'), JSON.stringify(manifest, null, 2));
}

test('files that are broken are rows with a reason; the files stay as they are', async ({ window: page, dataHome }) => {
  await expect(page.getByRole('row', { name: /empty/ })).toContainText('Unreadable');
  await expect(page.getByRole('row', { name: /half/ })).toContainText('half.json:4');
  await expect(page.getByRole('row', { name: /circle/ })).toContainText('error');
  expect(readFileSync(chainFile(dataHome, 'half'), 'utf8')).toBe(half);
  expect(readFileSync(chainFile(dataHome, 'empty'), 'utf8')).toBe('');

  await page.getByRole('link', { name: 'circle' }).click();
  await page.getByRole('tab', { name: /Problems/ }).click();
  await expect(page.getByText(/echo.*ok.*echo|ok.*echo.*ok/).first()).toBeVisible();

  await page.getByRole('link', { name: 'Skills' }).click();
  await expect(page.getByRole('main')).toContainText('no-front-matter');
  await page.getByRole('link', { name: /bad-manifest/ }).click();
  await expect(page.getByRole('main')).toContainText('person');

  await page.getByRole('link', { name: 'Settings' }).click();
  const row = page.locator('[data-setting="max_parallel"]');
  await expect(row).toContainText('"four"');
  // Another setting is saved; what the file holds beside it stays.
  await page.locator('[data-control="theme"]').first().click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await expect.poll(() => readFileSync(join(dataHome.data, 'config.json'), 'utf8')).toContain('"theme": "dark"');
  expect(JSON.parse(readFileSync(join(dataHome.data, 'config.json'), 'utf8'))).toEqual({
    max_parallel: 'four',
    of_another_program: true,
    theme: 'dark',
  });
});

test('names that no file system likes are refused or kept safely, and clash by case', async ({
  window: page,
  host,
  dataHome,
}) => {
  for (const name of ['../../x', 'CON', 'a/b']) {
    await page.goto(`${new URL(host.url).origin}/#/chains`);
    await page.getByRole('button', { name: 'New chain' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
    const { file } = await host.client.chains.get({ name });
    expect(file.startsWith(join(dataHome.data, 'chains'))).toBe(true);
  }
  await page.goto(`${new URL(host.url).origin}/#/chains`);
  await page.getByRole('button', { name: 'New chain' }).click();
  const field = page.getByRole('dialog').getByRole('textbox');
  await field.fill('LOUD');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('loud');
});

test('a program that prints 50 MB and one that ignores the polite signal: the log is capped, the stop works', async ({
  window: page,
  host,
}) => {
  await page.getByRole('link', { name: 'loud' }).click();
  await expect(cards(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await expect(card(page, 'ignores-sigterm')).toHaveAttribute('data-state', 'running', { timeout: 60_000 });
  const [run] = await host.client.runs.list({});
  const log = await host.client.runs.log({ run_id: run?.run_id ?? '', step_id: 'chatty', try: 1 });
  expect(log.text.length).toBeLessThan(20_000_000);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText(/stopped in .*, 0 of \d+ processes left/i).first()).toBeVisible({ timeout: 30_000 });
  expect(processesOfRun(run?.run_id ?? '')).toEqual([]);
});

test("the seed's chain in Chinese is shown, planned and saved without a byte changed", async ({
  window: page,
  dataHome,
}) => {
  await page.getByRole('link', { name: seedName }).click();
  await expect(cards(page)).toHaveCount((JSON.parse(seed) as { steps: unknown[] }).steps.length);
  await page.getByRole('tab', { name: 'Plan' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('Wave 1');
  // An edit and its undo, then a save: nothing is left to write.
  await card(page, (JSON.parse(seed) as { steps: { step_name: string }[] }).steps[0]?.step_name ?? '').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('other');
  await page.getByRole('heading', { level: 1 }).click();
  await page.getByRole('button', { name: /^Undo/ }).click();
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.locator('[data-save-state="saved"]')).toBeVisible();
  expect(readFileSync(chainFile(dataHome, seedName), 'utf8')).toBe(seed);
});
