import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../shared/run/event.ts';
import { createServices, type Services } from '../create-services.ts';
import { silentLog } from '../log.ts';
import { createRunService, type RunService } from '../runs/run-service.ts';

const appFolder = resolve(import.meta.dirname, '../../..');
const assets = join(appFolder, 'assets/samples');
const skillNames = readdirSync(join(assets, 'skills')).sort();
const chainNames = readdirSync(join(assets, 'chains'))
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

function servicesAt(home: string): Promise<Services> {
  let ids = 0;
  return createServices({
    dataHome: join(home, 'data'),
    skillsHome: join(home, 'skills'),
    homeDir: home,
    appFolder,
    version: '0.0.0',
    locale: 'en',
    log: silentLog,
    now: Date.now,
    newId() {
      ids += 1;
      return `id${ids}`;
    },
  });
}

describe('the samples', () => {
  let home: string;
  let services: Services;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'samples-'));
    services = await servicesAt(home);
  });
  afterEach(async () => {
    await services.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  it('come byte for byte, are at least three of each, and have nothing to complain of', async () => {
    const installed = await services.installSamples();
    expect({ skills: installed.skills.toSorted(), chains: installed.chains.toSorted() }).toEqual({
      skills: skillNames,
      chains: chainNames,
    });
    expect(Math.min(skillNames.length, chainNames.length)).toBeGreaterThanOrEqual(3);
    const scan = await services.skills.scan();
    expect(scan.rows.map(({ name, state, notices }) => ({ name, state, notices }))).toEqual(
      skillNames.map((name) => ({ name, state: 'ready', notices: [] })),
    );
    for (const manifest of await services.actions.list())
      expect([manifest.slug, manifest.problems]).toEqual([manifest.slug, []]);
    for (const name of chainNames) {
      expect([name, await services.validateChain(name)]).toEqual([name, []]);
      const { text } = await services.chains.read(name);
      expect(text).toBe(readFileSync(join(assets, 'chains', `${name}.json`), 'utf8'));
    }
  });

  it('never write over a skill or a chain that is there', async () => {
    const [skill, chain] = [skillNames[0]!, chainNames[0]!];
    mkdirSync(join(home, 'skills', skill), { recursive: true });
    writeFileSync(join(home, 'skills', skill, 'SKILL.md'), 'mine');
    mkdirSync(join(home, 'data/chains'), { recursive: true });
    const mine = `{"name": "${chain}", "steps": []}`;
    writeFileSync(join(home, 'data/chains', `${chain}.json`), mine);
    const installed = await services.installSamples();
    expect(installed.skills).not.toContain(skill);
    expect(installed.chains).not.toContain(chain);
    expect(readdirSync(join(home, 'skills', skill))).toEqual(['SKILL.md']);
    expect(readFileSync(join(home, 'skills', skill, 'SKILL.md'), 'utf8')).toBe('mine');
    expect(readFileSync(join(home, 'data/chains', `${chain}.json`), 'utf8')).toBe(mine);
    expect(await services.installSamples()).toEqual({ skills: [], chains: [] });
    expect(readdirSync(join(home, 'skills')).sort()).toEqual(skillNames);
  });
});

describe('a sample chain really runs', () => {
  let home: string;
  let services: Services;
  let runs: RunService;
  const waits: number[] = [];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'samples-run-'));
    services = await servicesAt(home);
    await services.installSamples();
    let ids = 0;
    const { chains, skills, actions, settings, tools } = services;
    runs = createRunService({
      home: join(home, 'data'),
      ...{ chains, skills, actions, settings, tools },
      log: silentLog,
      now: Date.now,
      newId() {
        ids += 1;
        return `run${ids}`;
      },
      // The delay before a try again is written down and is over at once.
      startTimer(callback, ms) {
        waits.push(ms);
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    });
  });
  afterAll(async () => {
    await runs.dispose();
    await services.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  async function ended(runId: string): Promise<{ events: RunEvent[]; at(kind: string, step: string): number }> {
    await runs.waitForEnd(runId);
    const { events } = await runs.get(runId);
    const at = (kind: string, step: string) =>
      events.findIndex((event) => event.kind === kind && 'step_id' in event && event.step_id === step);
    return { events, at };
  }

  async function idsOf(chain: string): Promise<string[]> {
    return (await services.chains.read(chain)).chain.steps.map(({ id }) => id);
  }

  it('one after the other: the first try fails with network_error, the second one works', async () => {
    for (const round of [1, 2]) {
      waits.length = 0;
      const { run_id: runId } = await runs.start({ chain_name: 'sample-linear' });
      const { events } = await ended(runId);
      const [fetch, count, report] = await idsOf('sample-linear');
      expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'succeeded' });
      expect(events.filter((event) => event.kind === 'try_failed')).toMatchObject([
        { step_id: fetch, try: 1, error: { class: 'network_error', code: 'network_error', hint: expect.any(String) } },
      ]);
      expect(waits).toEqual([5000]);
      const outputs = events.filter((event) => event.kind === 'try_succeeded');
      expect(outputs).toMatchObject([
        { step_id: fetch, try: 2, output: { json: { ok: true, tries: 2, sources: { length: 3 } } } },
        { step_id: count, try: 1, output: { json: { words: expect.any(Number) } } },
        { step_id: report, try: 1, output: { json: { points: 1 } } },
      ]);
      // The step forgets its tries with the run, so the next run shows the same.
      expect((await services.chains.read('sample-linear')).chain.exec_count).toBe(round);
    }
  });

  it('a diamond: two steps at the same time, and the milestone waits for both', async () => {
    const { run_id: runId } = await runs.start({ chain_name: 'sample-diamond' });
    const { events, at } = await ended(runId);
    const [fetch, render, count, join] = (await idsOf('sample-diamond')) as [string, string, string, string];
    expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'succeeded' });
    const order = [
      at('step_ended', fetch),
      at('step_started', render),
      at('step_started', count),
      at('step_ended', count),
      at('step_ended', render),
      at('step_started', join),
    ];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const last = events.findLast((event) => event.kind === 'try_succeeded');
    expect(last).toMatchObject({ step_id: join, output: { json: { points: 2, title: 'Diamond · 菱形' } } });
  });

  it('asks a person, waits, and goes on as answered', async () => {
    const { run_id: runId } = await runs.start({ chain_name: 'sample-ask-a-person' });
    const [, look, report] = (await idsOf('sample-ask-a-person')) as [string, string, string];
    for await (const batch of runs.watch(runId)) {
      const asked = batch.events.find((event) => event.kind === 'question_asked');
      if (asked?.kind !== 'question_asked') continue;
      expect(asked.question).toMatchObject({ step_id: look, choices: ['done', 'failed', 'skip'] });
      expect(await runs.list()).toContainEqual(
        expect.objectContaining({ run_id: runId, state: 'waiting', open_questions: 1 }),
      );
      await runs.answer({ run_id: runId, question_id: asked.question.id, answer: 'done', note: 'good · 可用' });
    }
    const { events, at } = await ended(runId);
    expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'succeeded' });
    expect(at('question_answered', look)).toBeLessThan(at('step_started', report));
    expect(events[at('question_answered', look)]).toMatchObject({ answer: 'done', note: 'good · 可用' });
  });

  it('ends as failed when the person says that it is not good', async () => {
    const { run_id: runId } = await runs.start({ chain_name: 'sample-ask-a-person' });
    for await (const batch of runs.watch(runId)) {
      const asked = batch.events.find((event) => event.kind === 'question_asked');
      if (asked?.kind !== 'question_asked') continue;
      await runs.answer({ run_id: runId, question_id: asked.question.id, answer: 'failed' });
    }
    const { events, at } = await ended(runId);
    const [, look, report] = (await idsOf('sample-ask-a-person')) as [string, string, string];
    expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'failed', step_id: look });
    expect(at('step_started', report)).toBe(-1);
  });
});
