/**
 * A run of 1,000 steps that do nothing, through the real engine and its journal, beside a bare loop that appends one
 * line per step to an open file. In a line (each waits for the one before), side by side, and in 50 layers of 20.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalWriter } from '../electron/services/runs/journal-writer.ts';
import { LiveRun } from '../electron/services/runs/live-run.ts';
import { runFolder } from '../electron/services/runs/run-folder.ts';
import type { Chain } from '../shared/chain/chain.ts';
import type { RunHeader } from '../shared/run/event.ts';
import { defaultSettings } from '../shared/settings/settings.ts';
import { interleaved, report } from './measure.ts';

const home = mkdtempSync(join(tmpdir(), 'bench-run-'));
const settings = defaultSettings();
const quiet = () => undefined;
let count = 0;

const shapes: Record<string, (at: number) => string[]> = {
  'in a line': (at) => (at === 0 ? [] : [`s${at - 1}`]),
  'side by side': () => [],
  '50 layers of 20': (at) =>
    at < 20 ? [] : Array.from({ length: 20 }, (_, other) => `s${Math.floor(at / 20) * 20 - 20 + other}`),
};
for (const [shape, dependsOn] of Object.entries(shapes)) {
  for (const size of shape === 'in a line' ? [1000, 10_000] : [1000]) {
    const chain: Chain = {
      name: 'bench',
      steps: Array.from({ length: size }, (_, at) => ({
        id: `s${at}`,
        skill_name: '',
        step_name: `Step ${at}`,
        action: 'nothing',
        kind: 'noop',
        depends_on: dependsOn(at),
      })),
    };
    const times = await interleaved(15, { floor: () => appendLoop(size), ours: () => run(chain) });
    report(`${size} no-op steps ${shape}`, times.ours, times.floor, 'appending loop');
    const perStep = (ms: number) => ((ms * 1000) / size).toFixed(1);
    console.log(
      `${' '.repeat(44)} ${perStep(times.ours.median)} microseconds a step, at best ${perStep(times.ours.best)}`,
    );
  }
}
rmSync(home, { recursive: true, force: true });

function appendLoop(size: number): void {
  const file = openSync(join(home, `loop-${count++}`), 'a');
  for (let at = 0; at < size; at += 1) {
    writeSync(file, `${JSON.stringify({ seq: at, at: Date.now(), kind: 'step_ended', step_id: `s${at}` })}\n`);
  }
  closeSync(file);
}

async function run(chain: Chain): Promise<void> {
  const folder = runFolder(home, `run-${count++}`);
  mkdirSync(folder.folder, { recursive: true });
  const header: RunHeader = {
    kind: 'run_header',
    version: 1,
    run_id: folder.folder.slice(home.length + 1),
    chain_name: chain.name,
    chain_text: '',
    chain_revision: '0'.repeat(64),
    settings: { default_max_retries: 3, max_parallel: settings.max_parallel },
    started_at: new Date().toISOString(),
    source: 'api',
    process: { pid: process.pid, started_at_ms: 0, host: '' },
  };
  const live = new LiveRun({
    header,
    chain,
    folder,
    journal: JournalWriter.create(folder.journal, header),
    executors: { noop: async () => ({ kind: 'succeeded', output: { text: '', truncated: false } }) },
    settings: () => settings,
    now: Date.now,
    startTimer: () => quiet,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet } as never,
    onChange: quiet,
  });
  live.start();
  await live.ended;
  if (live.state.state !== 'succeeded') throw new Error(`The run is ${live.state.state}.`);
}
