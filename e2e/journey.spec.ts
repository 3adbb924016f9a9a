import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Home } from './host.ts';
import { addChain, addProgramsSkill, chainFile, processesOfRun, programStep } from './things.ts';
import { card, cards, dragFromPalette, drawWire, expect, test } from './window.ts';

interface StepInFile {
  readonly id: string;
  readonly step_name: string;
  readonly index: number;
  readonly depends_on: readonly number[];
}

function stepsInFile(home: Home, name: string): StepInFile[] {
  return JSON.parse(readFileSync(chainFile(home, name), 'utf8')).steps;
}

/** `name <- names of what it waits for`, one line a step. */
function linksInFile(home: Home, name: string): string[] {
  const steps = stepsInFile(home, name);
  const nameOf = (index: number) => steps.find((step) => step.index === index)?.step_name;
  return steps.map((step) => `${step.step_name} <- ${step.depends_on.map(nameOf).join(', ')}`.trim());
}

async function installSamples(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Install the samples' }).click();
  await expect(page.getByRole('row', { name: /sample-linear/ })).toBeVisible();
}

async function newChain(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'New chain' }).last().click();
  await page.getByRole('dialog').getByRole('textbox').first().fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

async function saveAndWait(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.locator('[data-save-state="saved"]')).toBeVisible();
}

const four = ['sample-flaky-fetch <-', 'sample-word-count <- sample-flaky-fetch'];

test('a chain of four is built with the mouse, saved, loaded again and run; one step is tried twice, one is answered', async ({
  window: page,
  dataHome,
}) => {
  await installSamples(page);
  await newChain(page, 'By mouse');

  await dragFromPalette(page, 'sample-flaky-fetch', 0.15, 0.4);
  await dragFromPalette(page, 'sample-word-count', 0.5, 0.2);
  await dragFromPalette(page, 'A person does it', 0.5, 0.6);
  await dragFromPalette(page, 'sample-report', 0.85, 0.4);
  await expect(cards(page)).toHaveCount(4);
  await drawWire(page, 'sample-flaky-fetch', 'sample-word-count');
  await drawWire(page, 'sample-flaky-fetch', 'A person does it');
  await drawWire(page, 'sample-word-count', 'sample-report');
  await drawWire(page, 'A person does it', 'sample-report');
  await expect(page.locator('.react-flow__edge')).toHaveCount(4);

  // What the two actions need is asked for in the inspector.
  await card(page, 'sample-word-count').click();
  await page.getByRole('textbox', { name: 'Text' }).fill('one two 三');
  await card(page, 'sample-report').click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Four steps');
  await card(page, 'A person does it').click();
  await page.getByRole('textbox', { name: 'What the person shall do' }).fill('Look at the count.');
  await saveAndWait(page);
  const links = [
    ...four,
    'A person does it <- sample-flaky-fetch',
    'sample-report <- sample-word-count, A person does it',
  ];
  expect(linksInFile(dataHome, 'By mouse')).toEqual(links);

  const places = await placesOf(page);
  await page.reload();
  await expect(cards(page)).toHaveCount(4);
  await expect(page.locator('.react-flow__edge')).toHaveCount(4);
  await expect.poll(() => placesOf(page)).toEqual(places);

  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await expect(card(page, 'sample-word-count')).toHaveAttribute('data-state', 'succeeded');
  await expect(card(page, 'sample-flaky-fetch')).toContainText('×2');
  const question = page.getByRole('article', { name: /A person does it/ }).first();
  await question.getByRole('button', { name: 'Done' }).click();
  await expect(card(page, 'sample-report')).toHaveAttribute('data-state', 'succeeded');

  // The history tells the same.
  await page.getByRole('link', { name: 'Runs' }).click();
  const run = page.getByRole('row', { name: /By mouse/ });
  await expect(run).toContainText('Succeeded');
  await expect(run).toContainText('1 retry');
  await run.getByRole('link').first().click();
  await page.getByRole('button', { name: /sample-flaky-fetch/ }).click();
  await page.getByText('Try 1', { exact: true }).click();
  await expect(page.getByText('ERROR:network_error', { exact: false }).first()).toBeVisible();
});

test('the same chain is built by keyboard alone', async ({ window: page, dataHome }) => {
  await page.getByRole('button', { name: 'Install the samples' }).press('Enter');
  await expect(page.getByRole('row', { name: /sample-linear/ })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('textbox', { name: /command/i })).toBeFocused();
  await page.keyboard.type('new chain');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('New chain');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'New chain' }).getByRole('textbox')).toBeFocused();
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'By keyboard' })).toBeVisible();

  // From the palette: Enter adds behind the chosen step, so three Enters make a line.
  await page.keyboard.press('ControlOrMeta+Alt+f');
  for (const skill of ['sample-flaky-fetch', 'sample-word-count', 'sample-report']) {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(skill);
    await expect(page.getByRole('listbox', { name: 'Skills' }).getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(card(page, skill)).toBeVisible();
  }
  await expect(cards(page)).toHaveCount(3);
  await page.keyboard.press('Escape');

  // To the canvas; a fourth step is added by its key and linked by words.
  await focusCanvas(page);
  await page.keyboard.press('Home');
  await expect(card(page, 'sample-flaky-fetch')).toBeFocused();
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('person');
  await page.keyboard.press('Enter');
  await expect(card(page, 'A person does it')).toBeFocused();
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('report');
  await page.keyboard.press('Enter');
  await expect(card(page, 'A person does it')).toBeFocused();
  await saveAndWait(page);
  expect(linksInFile(dataHome, 'By keyboard').toSorted()).toEqual([
    'A person does it <- sample-flaky-fetch',
    'sample-flaky-fetch <-',
    'sample-report <- sample-word-count, A person does it',
    'sample-word-count <- sample-flaky-fetch',
  ]);

  // F2 renames; Delete bridges the gap; both are taken back.
  await page.keyboard.press('F2');
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Have a look');
  await page.keyboard.press('Escape');
  await expect(card(page, 'Have a look')).toBeVisible();
  await focusCanvas(page);
  await page.keyboard.press('Delete');
  await expect(cards(page)).toHaveCount(3);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(cards(page)).toHaveCount(4);
});

test.describe('twenty edits', () => {
  test.use({
    start: {
      prepare: (home: Home) => {
        addProgramsSkill(home);
        addChain(home, 'edits', [
          programStep('echo.mjs', ['a'], { depends_on: [] }),
          programStep('ok.py', [], { depends_on: [1] }),
        ]);
      },
    },
  });

  test('are undone to the bytes of the file and redone to the bytes that they made', async ({
    window: page,
    dataHome,
  }) => {
    const before = readFileSync(chainFile(dataHome, 'edits'), 'utf8');
    await page.getByRole('link', { name: 'edits' }).click();
    await expect(cards(page)).toHaveCount(2);
    const undo = page.getByRole('button', { name: /^Undo/ });
    for (let edit = 0; edit < 20; edit += 1) {
      await focusCanvas(page);
      await page.keyboard.press(edit % 4 === 3 ? 'Home' : 'End');
      // Adding, milestone, order and deletion in turn.
      if (edit % 4 === 0) await page.keyboard.press('ControlOrMeta+d');
      else if (edit % 4 === 1) await page.keyboard.press('m');
      else if (edit % 4 === 2) await page.keyboard.press('Alt+ArrowUp');
      else await page.keyboard.press('m');
      await expect(undo).toBeEnabled();
    }
    await saveAndWait(page);
    const after = readFileSync(chainFile(dataHome, 'edits'), 'utf8');
    expect(after).not.toBe(before);
    for (let edit = 0; edit < 20; edit += 1) await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveAttribute('aria-disabled', 'true');
    await saveAndWait(page);
    expect(withoutClock(readFileSync(chainFile(dataHome, 'edits'), 'utf8'))).toBe(withoutClock(before));
    for (let edit = 0; edit < 20; edit += 1) await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(page.getByRole('button', { name: 'Redo', exact: true })).toHaveAttribute('aria-disabled', 'true');
    await saveAndWait(page);
    expect(withoutClock(readFileSync(chainFile(dataHome, 'edits'), 'utf8'))).toBe(withoutClock(after));
  });
});

test.describe('a run that would never end', () => {
  test.use({
    start: {
      prepare: (home: Home) => {
        addProgramsSkill(home);
        addChain(home, 'endless', [programStep('forks.mjs'), programStep('forever.mjs', [], { depends_on: [] })]);
      },
    },
  });

  test('is stopped from the window, and no process of it is left', async ({ window: page, host }) => {
    await page.getByRole('link', { name: 'endless' }).click();
    await expect(cards(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Run', exact: true }).last().click();
    await expect(card(page, 'forks')).toHaveAttribute('data-state', 'running');
    const [run] = await host.client.runs.list({});
    const runId = run?.run_id ?? '';
    await expect.poll(() => processesOfRun(runId).length).toBeGreaterThanOrEqual(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByText(/stopped in .*, 0 of \d+ processes left/i).first()).toBeVisible();
    expect(processesOfRun(runId)).toEqual([]);
    await expect(card(page, 'forks')).toHaveAttribute('data-state', 'cancelled');
  });
});

/** Where the cards lie on the canvas, in its own units. */
function placesOf(page: Page): Promise<string[]> {
  return page
    .locator('.react-flow__node')
    .evaluateAll((nodes) =>
      nodes.map((node) => `${node.getAttribute('data-id')} ${(node as HTMLElement).style.transform}`).sort(),
    );
}

/** By F6, which walks through the parts of the editor. */
async function focusCanvas(page: Page): Promise<void> {
  for (let press = 0; press < 8; press += 1) {
    await page.keyboard.press('F6');
    if (await page.evaluate(() => document.activeElement?.closest('.react-flow, [aria-label="Canvas"]') !== null))
      return;
  }
  throw new Error('F6 never came to the canvas.');
}

/** A save writes when it happened; everything else must be the same. */
function withoutClock(text: string): string {
  return text.replace(/^ *"(updated_at|created_at)".*\n/gm, '');
}
