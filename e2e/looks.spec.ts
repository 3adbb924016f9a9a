import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { addChain, addPlainSkills, addProgramsSkill, programStep } from './things.ts';
import { cards, expect, test } from './window.ts';

/** Every room with enough in it to have something to get wrong. */
const rooms: readonly {
  readonly name: string;
  readonly hash: string;
  readonly ready: (page: Page) => Promise<void>;
}[] = [
  {
    name: 'chains',
    hash: '#/chains',
    ready: async (page) => await page.getByRole('row', { name: /sample-linear/ }).waitFor(),
  },
  {
    name: 'editor',
    hash: '#/chains/broken-skill',
    ready: async (page) => {
      await cards(page).nth(1).click();
      await page.getByRole('tab').first().click();
    },
  },
  {
    name: 'outline',
    hash: '#/chains/sample-diamond',
    ready: async (page) => {
      await cards(page).first().waitFor();
      await page.keyboard.press('ControlOrMeta+Alt+2');
      await page.getByRole('table').waitFor();
    },
  },
  { name: 'runs', hash: '#/runs', ready: async (page) => await page.getByRole('row').nth(1).waitFor() },
  { name: 'skills', hash: '#/skills', ready: async (page) => await page.getByText('sample-report').first().waitFor() },
  { name: 'jobs', hash: '#/jobs', ready: async (page) => await page.getByRole('heading', { level: 1 }).waitFor() },
  {
    name: 'settings',
    hash: '#/settings',
    ready: async (page) => await page.locator('[data-setting]').first().waitFor(),
  },
];

test.use({
  start: {
    prepare: (home) => {
      addProgramsSkill(home);
      addPlainSkills(home, ['plain-one', 'plain-two']);
      addChain(home, 'broken-skill', [
        programStep('ok.py'),
        { skill_name: 'is-not-there', step_name: 'Publish 发布', action: 'publish' },
      ]);
    },
  },
});

// Axe reads the whole page eight times.
test.describe.configure({ timeout: 240_000 });

for (const theme of ['light', 'dark'] as const) {
  for (const language of ['en', 'zh-CN'] as const) {
    test(`every room in ${theme} and ${language} passes axe, fits the window and shows no key for a text`, async ({
      window: page,
      host,
    }) => {
      await host.client.app.installSamples();
      await host.client.settings.set({ patch: { theme, language } });
      const run = await host.client.runs.start({ chain_name: 'sample-linear', source: 'window' });
      await expect
        .poll(async () => (await host.client.runs.list({})).map(({ state }) => state), { timeout: 40_000 })
        .toEqual(['succeeded']);
      const all = [
        ...rooms,
        {
          name: 'run',
          hash: `#/runs/${run.run_id}`,
          ready: async (of: Page) => await of.getByRole('log').or(of.getByRole('region')).first().waitFor(),
        },
      ];
      for (const { name, hash, ready } of all) {
        await page.goto(`${new URL(host.url).origin}/${hash}`);
        await ready(page);
        await expect(page.locator('html')).toHaveAttribute('lang', language);
        const found = await new AxeBuilder({ page }).analyze();
        expect(
          found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`),
          name,
        ).toEqual([]);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(wide, `${name} is as wide as the window`).toBeLessThanOrEqual(0);
        // A text that is missing shows as its key: words joined by dots.
        // biome-ignore lint/performance/useDomNodeTextContent: what a person reads, line by line.
        expect(await page.evaluate(() => document.body.innerText), name).not.toMatch(/^[a-z]+(\.[a-zA-Z]+){1,3}$/m);
      }
    });
  }
}
