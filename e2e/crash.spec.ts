import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { RunEvent } from '../shared/run/event.ts';
import { createHome, type Host, startHost } from './host.ts';
import { addChain, addProgramsSkill, chainFile, processesOfRun, programStep } from './things.ts';

const rounds = 50;

test('killed 50 times at random moments, the host loses nothing that it had shown', async () => {
  test.setTimeout(600_000);
  const home = createHome();
  addProgramsSkill(home);
  const text = addChain(home, 'crash', [
    programStep('echo.mjs', ['one'], { depends_on: [] }),
    programStep('echo.mjs', ['two'], { depends_on: [1] }),
    programStep('flaky.mjs', [1, 'file_locked'], {
      depends_on: [1],
      retry_policy: { max_retries: 2, error_types: ['file_locked'] },
    }),
    programStep('echo.mjs', ['three'], { depends_on: [2, 3] }),
    programStep('forever.mjs', [], { depends_on: [4] }),
  ]);
  const endings: Record<string, number> = {};
  let host: Host | null = null;
  try {
    host = await startHost(home);
    await host.client.settings.set({ patch: { max_parallel: 3 } });
    for (let round = 0; round < rounds; round += 1) {
      const { run_id } = await host.client.runs.start({ chain_name: 'crash' });
      const seen: RunEvent[] = [];
      const watching = follow(host, run_id, seen);
      await new Promise((passed) => setTimeout(passed, Math.random() * 900));
      await host.kill();
      await watching;
      host = await startHost(home);

      const summary = (await host.client.runs.list()).find((run) => run.run_id === run_id);
      expect(summary?.state, `round ${round}`).toBe('interrupted');
      const { events } = await host.client.runs.get({ run_id });
      expect(events.slice(0, seen.length)).toEqual(seen);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at));
      expect(events.at(-1)?.kind).toBe('run_interrupted');
      expect(processesOfRun(run_id)).toEqual([]);
      endings[String(seen.at(-1)?.kind)] = (endings[String(seen.at(-1)?.kind)] ?? 0) + 1;

      expect(readFileSync(chainFile(home, 'crash'), 'utf8')).toBe(text);
      const settings = await host.client.settings.get();
      expect(settings.set_aside).toBeNull();
      expect(settings.values['max_parallel']).toBe(3);
      expect((await host.client.chains.list()).map((chain) => chain.broken)).toEqual([null]);
    }
    console.log('last event seen before each kill:', JSON.stringify(endings));
  } finally {
    await host?.stop();
    home.remove();
  }
});

async function follow(host: Host, runId: string, seen: RunEvent[]): Promise<void> {
  try {
    for await (const batch of await host.client.runs.watch({ run_id: runId })) seen.push(...batch.events);
  } catch {
    // The host was killed; that is the point.
  }
}
