#!/usr/bin/env node
/**
 * `npm run pictures`: takes the pictures of the README from the running application: a home of its own, the samples,
 * real runs, both languages. Needs a Chromium (the one that `npm test` uses).
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { findOrInstallChromium } from './find-chromium.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = 'docs/pictures';
const browserFile = findOrInstallChromium();
if (browserFile === null) process.exit(1);
if (spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' }).status !== 0) process.exit(1);
mkdirSync(folder, { recursive: true });

/** Texts that the pictures need beside those of the samples. */
const words = {
  en: {
    chain: 'release-check',
    description: 'Collect what changed, count it, look at it, announce it',
    steps: ['Collect changes', 'Count the words', 'Render the pages', 'Write the notes', 'Look at it', 'Announce'],
    look: 'Look at the notes before they go out.',
    title: 'Release 1.4',
  },
  'zh-CN': {
    chain: '发布流水线',
    description: '收集改动、统计、过目、公布',
    steps: ['收集改动', '统计字数', '渲染页面', '撰写说明', '人工过目', '公布'],
    look: '公布之前请过目。',
    title: '1.4 版发布',
  },
};

const browser = await chromium.launch({
  ...(browserFile ? { executablePath: browserFile } : {}),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const language of Object.keys(words)) await takeAll(language);
} finally {
  await browser.close();
}

async function takeAll(language) {
  const text = words[language];
  const home = mkdtempSync(join(tmpdir(), 'skill-chain-studio-'));
  const server = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], {
    env: {
      PATH: process.env['PATH'],
      LANG: 'en_US.UTF-8',
      HOME: home,
      SKILL_SUB_HOME: join(home, '.workbuddy', 'data'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = await new Promise((found, failed) => {
      server.once('exit', () => failed(new Error('The server ended.')));
      createInterface({ input: server.stdout }).on('line', (line) => {
        if (line.startsWith('http://')) found(line);
      });
    });
    await takeRooms(language, text, home, address);
  } finally {
    server.kill('SIGTERM');
    await new Promise((ended) => server.once('exit', ended));
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function takeRooms(language, text, home, address) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    locale: language,
    colorScheme: 'light',
  });
  const page = await context.newPage();
  const origin = new URL(address).origin;
  const take = async (name) => {
    // The pointer would show a tooltip or a hover colour.
    await page.mouse.move(720, 899);
    await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
    const suffix = language === 'en' ? 'en' : 'zh';
    await page.screenshot({ path: `${folder}/${name}-${suffix}.png` });
    console.log(`${folder}/${name}-${suffix}.png`);
  };
  const goTo = async (hash) => {
    await page.goto(`${origin}/${hash}`);
    await page.locator('h1').waitFor();
  };
  const succeeded = (count) =>
    page.waitForFunction(
      (wanted) => document.querySelectorAll('[data-step-id][data-state="succeeded"]').length >= wanted,
      count,
      { timeout: 60_000 },
    );
  const run = () => page.keyboard.press('ControlOrMeta+Enter');
  const isDark = async (dark) => await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });

  await page.goto(address);
  await page
    .locator('main')
    .getByRole('button')
    .filter({ hasText: /sample|示例/i })
    .last()
    .click();
  await page.getByRole('link', { name: 'sample-linear' }).waitFor();
  writeChain(home, text);
  writeSkills(home);
  writeFileSync(
    join(home, '.workbuddy', 'data', 'chains', 'half-written.json'),
    '{\n  "name": "half-written",\n  "steps": [\n',
  );

  await goTo('#/chains/sample-linear');
  await page.locator('[data-step-id]').first().waitFor();
  await run();
  await succeeded(3);
  await goTo('#/runs');
  await page.locator('main').getByRole('link', { name: 'sample-linear' }).first().click();
  await page.getByRole('button', { name: /Fetch/ }).first().click();
  // What came out, not the log: its first line holds the folders of this machine.
  await page.getByRole('tab').nth(1).click();
  await take('run-light');

  await goTo(`#/chains/${encodeURIComponent(text.chain)}`);
  await page.locator('[data-step-id]').nth(5).waitFor();
  await isDark(true);
  await page.locator('[data-step-id]').nth(3).click();
  await take('editor-dark');
  await isDark(false);
  await page.keyboard.press('Escape');
  await run();
  await succeeded(3);
  await page.locator('[data-step-id][data-state="running"]').first().waitFor();
  await take('editor-run-light');
  await page.locator('[data-step-id][data-state="waiting"]').first().waitFor({ timeout: 60_000 });

  await goTo('#/chains');
  await page.getByText('half-written').first().waitFor();
  await take('chains-light');
  await goTo('#/skills');
  await page.getByText('sample-report').first().waitFor();
  await take('skills-light');
  await isDark(true);
  await goTo('#/settings');
  await page.locator('[data-setting]').first().waitFor();
  await take('settings-dark');
  await context.close();
}

/** A chain of six whose programs are those of the samples; the last step waits for a person's. */
function writeChain(home, text) {
  const script = (skill, entrypoint, args = []) => ({
    skill_name: skill,
    kind: 'skill_exec',
    with: { entrypoint, args },
  });
  const [collect, count, render, write, look, announce] = text.steps;
  const steps = [
    { ...script('sample-flaky-fetch', 'scripts/fetch.py'), step_name: collect, action: collect, depends_on: [] },
    {
      skill_name: 'sample-word-count',
      kind: 'action',
      with: { action: 'count', input: { text: text.description } },
      step_name: count,
      action: count,
      depends_on: [1],
      retry_policy: { max_retries: 1 },
      failure_mode: { on_exhaust: 'skip' },
    },
    {
      skill_name: 'sample-slow-render',
      kind: 'action',
      with: { action: 'render', input: {} },
      step_name: render,
      action: render,
      depends_on: [1],
    },
    {
      skill_name: 'sample-report',
      kind: 'action',
      with: { action: 'write', input: { title: text.title } },
      step_name: write,
      action: write,
      depends_on: [1],
    },
    { skill_name: '', kind: 'manual', step_name: look, action: text.look, depends_on: [2, 3, 4] },
    {
      skill_name: 'sample-report',
      kind: 'action',
      with: { action: 'write', input: { title: text.title } },
      step_name: announce,
      action: announce,
      depends_on: [5],
    },
  ].map((step, at) => ({ index: at + 1, ...step }));
  const chain = { name: text.chain, description: text.description, tags: ['release'], steps };
  writeFileSync(
    join(home, '.workbuddy', 'data', 'chains', `${text.chain}.json`),
    `${JSON.stringify(chain, null, 2)}\n`,
  );
}

/** Skills with something to say: one is ready, one lacks its program, one is no skill yet. */
function writeSkills(home) {
  const texts = {
    'site-search':
      '---\nname: site-search\ndescription: Searches a site. Use when somebody asks for a page.\nmetadata: {"openclaw": {"requires": {"bins": ["site-search-cli"]}}}\n---\n\n# Search\n',
    'code-review':
      '---\nname: code-review\ndescription: Reads a change and says what to mend. Use before a merge.\n---\n\n# Review\n',
    'half-written': '# An idea\n',
  };
  for (const [name, text] of Object.entries(texts)) {
    const folder = join(home, '.claude', 'skills', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), text);
  }
}
