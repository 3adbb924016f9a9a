/**
 * Work per pointer move in the editor beside a bare React Flow page of the same graph, in the same browser: a card is
 * dragged, then the pointer only moves over the canvas. "Work" is the main thread's task time (DevTools
 * `TaskDuration`) per move; the two pages take turns.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from '@playwright/test';
import react from '@vitejs/plugin-react';
import { build, preview } from 'vite';
import { findChromium } from '../scripts/find-chromium.mjs';
import { median } from './measure.ts';

const sizes = [100, 300, 1000];
const rounds = 5;
const movesPerRound = 120;
const columns = 10;

const home = mkdtempSync(join(tmpdir(), 'bench-canvas-'));
mkdirSync(join(home, 'chains', '.layout'), { recursive: true });
for (const size of sizes) writeChain(size);

await build({
  root: 'bench/bare-flow',
  plugins: [react()],
  build: { outDir: resolve('dist/bench/bare-flow'), emptyOutDir: true },
  logLevel: 'warn',
});
const floorServer = await preview({
  root: 'bench/bare-flow',
  build: { outDir: resolve('dist/bench/bare-flow') },
  preview: { host: '127.0.0.1', port: 0 },
});
const floorUrl = floorServer.resolvedUrls?.local[0];
if (!floorUrl) throw new Error('The page to compare with has no address.');

const server = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], {
  env: { ...process.env, SKILL_SUB_HOME: home, HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ourUrl = await new Promise<string>((found, failed) => {
  server.once('exit', (status) => failed(new Error(`The server ended with ${status}.`)));
  createInterface({ input: server.stdout }).on('line', (line) => {
    const match = /https?:\/\/\S+/.exec(line);
    if (match) found(match[0]);
  });
});

const executablePath = findChromium();
const browser: Browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  for (const size of sizes) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const ours = await context.newPage();
    await ours.goto(ourUrl);
    await ours.evaluate((name) => {
      location.hash = `#/chains/${name}`;
    }, `bench-${size}`);
    const floor = await context.newPage();
    await floor.goto(`${floorUrl}?n=${size}`);
    const pages = { ours, floor };
    for (const page of Object.values(pages)) {
      await page.bringToFront();
      await page.waitForSelector('.react-flow__node[data-id="s11"]', { state: 'visible' });
    }
    const work: Record<string, Record<string, number[]>> = {};
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, page] of Object.entries(pages)) {
        await page.bringToFront();
        const measured = await measure(page);
        for (const [what, ms] of Object.entries(measured)) {
          work[what] ??= {};
          work[what][name] ??= [];
          if (round >= 0) work[what][name].push(ms);
        }
      }
    }
    for (const [what, byPage] of Object.entries(work)) {
      const our = median(byPage['ours']!);
      const bare = median(byPage['floor']!);
      console.log(
        `${`${size} steps, ${what}`.padEnd(28)} ours ${our.toFixed(2)} ms/move   bare React Flow ${bare.toFixed(2)} ms/move   ratio ${(our / bare).toFixed(2)}`,
      );
    }
    await context.close();
  }
} finally {
  await browser.close();
  await floorServer.close();
  server.kill('SIGTERM');
  await new Promise((ended) => server.once('exit', ended));
  rmSync(home, { recursive: true, force: true });
}

async function measure(page: Page): Promise<Record<string, number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const taskMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find((one) => one.name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const box = await page.locator('.react-flow__node[data-id="s11"]').boundingBox();
  if (!box) throw new Error('The card to drag is not on the screen.');
  const moves = async (x: number, y: number) => {
    const before = await taskMs();
    for (let at = 1; at <= movesPerRound; at += 1) {
      // Ends where it began, so that every round sees the same picture.
      const angle = (at / movesPerRound) * 2 * Math.PI;
      await page.mouse.move(x + 60 * Math.sin(angle), y + 30 * Math.sin(2 * angle));
    }
    return ((await taskMs()) - before) / movesPerRound;
  };
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 5, y + 5);
  const drag = await moves(x, y);
  await page.mouse.move(x, y);
  await page.mouse.up();
  const hover = await moves(x, y);
  await session.detach();
  return { drag, hover };
}

function writeChain(size: number): void {
  const steps = Array.from({ length: size }, (_, at) => ({
    index: at + 1,
    id: `s${at}`,
    skill_name: 'bench-skill',
    step_name: `Step ${at}`,
    action: 'action text',
    depends_on: at === 0 ? [] : [at],
  }));
  const name = `bench-${size}`;
  writeFileSync(join(home, 'chains', `${name}.json`), `${JSON.stringify({ name, steps }, null, 2)}\n`);
  const positions = Object.fromEntries(
    steps.map((step, at) => [step.id, { x: (at % columns) * 320, y: Math.floor(at / columns) * 160 }]),
  );
  writeFileSync(
    join(home, 'chains', '.layout', `${name}.json`),
    JSON.stringify({ positions, viewport: { x: 20, y: 20, zoom: 1 } }),
  );
}
