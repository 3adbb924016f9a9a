import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { createHome, type Home, type Host, startHost } from './host.ts';

/** What a window test gets: a home of its own, the built server on it, and a page that is signed in. */
export interface WindowFixtures {
  readonly dataHome: Home;
  readonly host: Host;
  /** The page after its first load; every error that it logs fails the test. */
  readonly window: Page;
  /** What is in the home before the server starts: `test.use({ start: { prepare: (home) => ... } })`. */
  readonly start: { readonly prepare: (home: Home) => void };
}

/** Test with a running Studio. Everything that it starts is ended after the test. */
export const test = base.extend<WindowFixtures>({
  start: [{ prepare: () => undefined }, { option: true }],
  dataHome: async ({ start }, use) => {
    const home = createHome();
    start.prepare(home);
    await use(home);
    home.remove();
  },
  host: async ({ dataHome }, use) => {
    const host = await startHost(dataHome);
    await use(host);
    await host.stop();
  },
  window: async ({ page, host }, use) => {
    const errors: string[] = [];
    page.on('console', (message) => {
      // The browser itself logs every refusal of the server; what the page makes of it is seen on the page.
      const refusal = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !refusal) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(host.url);
    await page.getByRole('navigation').first().waitFor();
    await use(page);
    expect(errors, 'the page logs no error').toEqual([]);
  },
});

export { expect };

/** The cards of the canvas in the order in which they were made. */
export function cards(page: Page): Locator {
  return page.locator('[data-step-id]');
}

export function card(page: Page, name: string): Locator {
  return cards(page).filter({ hasText: name });
}

/** Drags an entry of the palette to a place of the canvas, given in parts of its width and height. */
export async function dragFromPalette(page: Page, entry: string, x: number, y: number): Promise<void> {
  const canvas = page.getByRole('region', { name: 'Canvas', exact: true });
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('There is no canvas.');
  await page
    .getByRole('option', { name: entry })
    .dragTo(canvas, { targetPosition: { x: box.width * x, y: box.height * y } });
}

/** Draws a wire from the right side of one card to the left side of another. */
export async function drawWire(page: Page, from: string, to: string): Promise<void> {
  const start = await middle(card(page, from).locator('.react-flow__handle.source'));
  const end = await middle(card(page, to).locator('.react-flow__handle.target'));
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 6 });
  await page.mouse.move(end.x, end.y, { steps: 6 });
  await page.mouse.up();
}

async function middle(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('Not on the screen.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
