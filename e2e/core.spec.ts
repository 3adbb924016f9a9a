import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createHome, type Home, type Host, startHost } from './host.ts';
import { addChain, addProgramsSkill, chainFile, processesOfRun, programStep } from './things.ts';

let home: Home;
let host: Host;

test.beforeEach(async () => {
  home = createHome();
  addProgramsSkill(home);
  host = await startHost(home);
});
test.afterEach(async () => {
  await host.stop();
  home.remove();
});

/** Waits until the run's state is one of these; the stream tells, nobody polls. */
async function untilEvent(runId: string, wanted: (kind: string) => boolean): Promise<void> {
  for await (const batch of await host.client.runs.watch({ run_id: runId })) {
    if (batch.events.some((event) => wanted(event.kind)) || batch.end) return;
  }
}

test('a stop ends deaf programs and grandchildren in sessions of their own, and proves it', async () => {
  addChain(home, 'stop', [
    programStep('ignores-sigterm.mjs', [], { depends_on: [] }),
    programStep('forks.mjs', [], { depends_on: [] }),
    programStep('orphan.mjs', [], { depends_on: [] }),
    programStep('echo.mjs', [], { depends_on: [1, 2, 3] }),
  ]);
  await host.client.settings.set({ patch: { stop_grace_seconds: 1 } });
  const { run_id } = await host.client.runs.start({ chain_name: 'stop' });
  const started = async () => {
    const texts = await Promise.all(
      ['ignores_sigterm', 'forks', 'orphan'].map(async (_, at) => {
        const { events } = await host.client.runs.get({ run_id });
        const event = events.filter((one) => one.kind === 'step_started')[at];
        if (event?.kind !== 'step_started') return '';
        return (await host.client.runs.log({ run_id, step_id: event.step_id, try: 1 })).text;
      }),
    );
    return texts.filter((text) => text.includes('"pid"')).length;
  };
  await expect.poll(started).toBe(3);
  // Three programs, two children of `forks` and the grandchild of `orphan`.
  expect(processesOfRun(run_id).length).toBeGreaterThanOrEqual(6);
  await host.client.runs.cancel({ run_id });
  await untilEvent(run_id, (kind) => kind === 'run_ended');
  const { events } = await host.client.runs.get({ run_id });
  const proof = events.find((event) => event.kind === 'processes_stopped');
  expect(proof).toMatchObject({ left: 0 });
  expect(events.at(-1)).toMatchObject({ kind: 'run_ended', state: 'cancelled' });
  expect(processesOfRun(run_id)).toEqual([]);
  const startedSteps = events.filter((event) => event.kind === 'step_started').map((event) => event.step_id);
  expect(startedSteps).toHaveLength(3);
});

test("the seed's chain in Chinese loads, validates, plans and saves byte-identical", async () => {
  mkdirSync(join(home.data, 'chains'), { recursive: true });
  const source = 'shared/chain/fixtures/release-pipeline.json';
  const text = readFileSync(source, 'utf8');
  const { name } = JSON.parse(text) as { name: string };
  copyFileSync(source, chainFile(home, name));
  const document = await host.client.chains.get({ name });
  expect(document.text).toBe(text);
  const { problems } = await host.client.chains.validate({ name });
  // Its skills are not on this machine; nothing else is wrong with it.
  expect([...new Set(problems.filter((one) => one.severity === 'error').map((one) => one.code))]).toEqual([
    'skill_missing',
  ]);
  const plan = await host.client.chains.plan({ name });
  expect(plan.total_steps).toBe((JSON.parse(text) as { steps: unknown[] }).steps.length);
  await host.client.chains.save({ name, text: document.text, base_revision: document.revision });
  expect(readFileSync(chainFile(home, name), 'utf8')).toBe(text);
});

test('names that are hostile as paths are kept as names and never leave the folder', async () => {
  for (const name of ['../../x', 'CON', 'a/b']) {
    const made = await host.client.chains.create({ name });
    expect(made.name).toBe(name);
    const document = await host.client.chains.get({ name });
    expect(document.file.startsWith(join(home.data, 'chains'))).toBe(true);
    expect(existsSync(document.file)).toBe(true);
  }
  await host.client.chains.create({ name: 'Case' });
  const clash = await host.client.chains.create({ name: 'case' }).catch((error: unknown) => error);
  expect(clash).toMatchObject({ data: { code: 'CHAIN_NAME_CLASH' } });
});

test('broken files are listed with their place and left as they are', async () => {
  mkdirSync(join(home.data, 'chains'), { recursive: true });
  const broken = { empty: '', half: '{"name": "half", "steps": [{"index": 1, "skill_na' };
  for (const [name, text] of Object.entries(broken)) writeFileSync(chainFile(home, name), text);
  const list = await host.client.chains.list();
  for (const [name, text] of Object.entries(broken)) {
    expect(list.find((chain) => chain.name === name)?.broken?.code).toBe('CHAIN_FILE_BROKEN');
    expect(readFileSync(chainFile(home, name), 'utf8')).toBe(text);
  }
});

test('a cycle and a missing dependency are refused with their place before anything runs', async () => {
  addChain(home, 'cycle', [
    programStep('echo.mjs', [], { depends_on: [2] }),
    programStep('ok.py', [], { depends_on: [1] }),
  ]);
  addChain(home, 'missing', [programStep('echo.mjs', [], { depends_on: [7] })]);
  for (const name of ['cycle', 'missing']) {
    const refused = await host.client.runs.start({ chain_name: name }).catch((error: unknown) => error);
    expect((refused as { data?: { code?: string } }).data?.code).toMatch(/^CHAIN_/);
  }
  expect(await host.client.runs.list()).toEqual([]);
});
