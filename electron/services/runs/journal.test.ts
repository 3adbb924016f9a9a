import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatNewChain } from '../../../shared/chain/chain-file.ts';
import { decide } from '../../../shared/run/decide.ts';
import type { RunEvent, RunHeader } from '../../../shared/run/event.ts';
import { initialRunState, isSettled } from '../../../shared/run/run-state.ts';
import { defaultSettings } from '../../../shared/settings/settings.ts';
import { createLog } from '../log.ts';
import type { Executor } from './executors/executor.ts';
import { tryResultOf } from './executors/program-result.ts';
import { JournalWriter, moreMark } from './journal-writer.ts';
import { LiveRun } from './live-run.ts';
import { JournalTail, readJournal } from './read-journal.ts';
import { runFolder } from './run-folder.ts';
import { RunStore } from './run-store.ts';
import { chainOf, programsFolder } from './run-test-home.ts';

let home: string;
const log = createLog(() => undefined);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const chain = chainOf('c', { a: {}, b: { depends_on: ['a'] }, m: { kind: 'manual' }, d: { depends_on: ['b', 'm'] } });

function headerOf(runId: string): RunHeader {
  return {
    kind: 'run_header',
    version: 1,
    run_id: runId,
    chain_name: 'c',
    chain_text: formatNewChain(chain),
    chain_revision: 'x',
    settings: { default_max_retries: 1, max_parallel: 2 },
    started_at: '2026-01-05T09:00:00.000Z',
    source: 'cli',
    process: { pid: 1, started_at_ms: 0, host: 'h' },
  };
}

function emptyRun(runId: string) {
  const folder = runFolder(join(home, 'runs'), runId);
  mkdirSync(folder.logs, { recursive: true });
  return folder;
}

/** A journal of a whole run with a failure, a retry, a question and its answer; returns its events. */
function writeWholeRun(runId: string): RunEvent[] {
  const folder = emptyRun(runId);
  const journal = JournalWriter.create(folder.journal, headerOf(runId));
  let state = initialRunState(headerOf(runId), chain);
  const events: RunEvent[] = [];
  const give = (input: Parameters<typeof decide>[1]) => {
    const decision = decide(state, input, 1_700_000_000_000 + events.length);
    state = decision.state;
    events.push(...decision.events);
    journal.append(decision.events, false);
  };
  const succeeded = { kind: 'succeeded', output: { text: '成功', truncated: false } } as const;
  const error = { class: 'other', code: 'EXIT', message: 'é', hint: null, exit_code: 1 } as const;
  give({ kind: 'start' });
  give({ kind: 'try_ended', step_id: 'a', try: 1, result: { kind: 'failed', error } });
  give({ kind: 'retry_due', step_id: 'a', try: 2 });
  give({ kind: 'try_ended', step_id: 'a', try: 2, result: succeeded });
  give({ kind: 'answer', question_id: 'm.1', answer: 'done', note: '好' });
  give({ kind: 'try_ended', step_id: 'b', try: 1, result: succeeded });
  give({ kind: 'try_ended', step_id: 'd', try: 1, result: succeeded });
  give({ kind: 'stopped', started: 0, left: 0, duration_ms: 0 });
  journal.close();
  return events;
}

describe('a journal', () => {
  it('gives back what was written', async () => {
    const events = writeWholeRun('r1');
    expect(await readJournal(runFolder(join(home, 'runs'), 'r1').journal, 'r1')).toMatchObject({
      header: headerOf('r1'),
      events,
      damaged: false,
    });
  });

  it('cut at any byte gives every whole event, is recovered once, and can be appended to', async () => {
    const events = writeWholeRun('whole');
    const bytes = readFileSync(runFolder(join(home, 'runs'), 'whole').journal);
    const headerEnd = bytes.indexOf(10) + 1;
    for (let cut = headerEnd; cut < bytes.length; cut += 1 + (cut % 89)) {
      const runId = `cut-${cut}`;
      const folder = emptyRun(runId);
      writeFileSync(folder.journal, bytes.subarray(0, cut));
      const text = bytes.subarray(headerEnd, cut).toString('latin1');
      // Whole lines, without the last ones that say that more of the same decision follows.
      const lines = text.split('\n').slice(0, -1);
      const known = lines.findLastIndex((line) => !line.endsWith(moreMark)) + 1;
      const isTorn = known < lines.length || (text !== '' && !text.endsWith('\n'));
      const store = new RunStore(home, () => 1_800_000_000_000, log);
      const before = await store.read(runId);
      expect(before.events).toEqual(events.slice(0, known));
      expect(before.damaged).toBe(isTorn);
      const summary = await store.recover(runId);
      if (known === events.length) {
        expect(summary).toBeNull();
        continue;
      }
      expect(summary).toMatchObject({ state: 'interrupted', damaged: before.damaged, open_questions: 0 });
      expect(await store.recover(runId)).toBeNull();
      const after = await store.read(runId);
      expect(after.events.slice(0, known)).toEqual(events.slice(0, known));
      expect(after.events.slice(known)).toMatchObject([{ kind: 'run_interrupted', seq: known }]);
      for (const step of after.state.steps.values()) expect(isSettled(step.state)).toBe(true);
    }
  });

  it('passes over a line that was destroyed and says so', async () => {
    const events = writeWholeRun('r1');
    const file = runFolder(join(home, 'runs'), 'r1').journal;
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[4] = '\0\0\0';
    writeFileSync(file, lines.join('\n'));
    const journal = await readJournal(file, 'r1');
    expect(journal.damaged).toBe(true);
    expect(journal.events).toEqual([...events.slice(0, 3), ...events.slice(4)]);
  });

  it('without a header is listed as damaged and can not be read', async () => {
    const store = new RunStore(home, Date.now, log);
    writeFileSync(emptyRun('torn').journal, '{"kind":"run_hea');
    writeFileSync(emptyRun('empty').journal, '');
    emptyRun('no-journal');
    for (const id of ['torn', 'empty']) {
      await expect(store.read(id)).rejects.toMatchObject({ code: 'RUN_JOURNAL_BROKEN' });
      expect(await store.summary(id)).toMatchObject({ state: 'interrupted', damaged: true });
      expect(await store.recover(id)).toBeNull();
    }
    expect(await store.summary('no-journal')).toBeNull();
    await expect(store.read('no-journal')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  it('can not be named so that a path leaves the folder', () => {
    const store = new RunStore(home, Date.now, log);
    for (const id of ['..', '../x', 'a/b', 'a\\b', '', '.hidden', 'x'.repeat(200)]) {
      expect(() => store.at(id)).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
    }
    expect(() => store.at('r').logFile('../x', 1)).toThrow(expect.objectContaining({ code: 'STEP_NOT_FOUND' }));
  });

  it('is followed as it grows, whatever pieces the lines come in', () => {
    const events = writeWholeRun('r1');
    const bytes = readFileSync(runFolder(join(home, 'runs'), 'r1').journal);
    const file = join(home, 'growing.jsonl');
    const headerEnd = bytes.indexOf(10) + 1;
    writeFileSync(file, bytes.subarray(0, headerEnd));
    const tail = new JournalTail(file, headerEnd, -1);
    const seen: RunEvent[] = [];
    for (let at = headerEnd; at < bytes.length; at += 37) {
      appendFileSync(file, bytes.subarray(at, at + 37));
      seen.push(...tail.read());
    }
    expect(seen).toEqual(events);
    expect(tail.read()).toEqual([]);
  });

  it('does not lose the summary of a run that grows after it was listed', async () => {
    writeWholeRun('r1');
    const { journal } = runFolder(join(home, 'runs'), 'r1');
    const whole = readFileSync(journal);
    truncateSync(journal, whole.lastIndexOf(10, whole.length - 2) + 1);
    const store = new RunStore(home, Date.now, log);
    expect(await store.summary('r1')).toMatchObject({ ended_at: null });
    writeFileSync(journal, whole);
    expect(await store.summary('r1')).toMatchObject({ state: 'succeeded', retries: 1 });
  });
});

describe('a run whose journal can not be written any more', () => {
  it('stops with its processes and says why; what was not written did not happen', async () => {
    const folder = emptyRun('r1');
    const journal = JournalWriter.create(folder.journal, headerOf('r1'));
    let pid = 0;
    let resolveUp = () => {};
    const up = new Promise<void>((resolve) => {
      resolveUp = resolve;
    });
    const forever: Executor = async (context) => {
      const program = { command: process.execPath, args: [join(programsFolder, 'ignores-sigterm.mjs')] };
      return tryResultOf(await context.run({ ...program, cwd: home, timeoutMs: 600_000, shown: [] }), 'node');
    };
    const run = new LiveRun({
      header: headerOf('r1'),
      chain,
      folder,
      journal,
      executors: { agent: forever },
      settings: () => ({ ...defaultSettings(), stop_grace_seconds: 60 }),
      now: Date.now,
      startTimer: () => () => undefined,
      log,
      onChange: () => undefined,
    });
    const reader = run.feed.subscribe();
    const watching = (async () => {
      for await (const batch of reader.batches([], undefined)) {
        const said = batch.logs.find((chunk) => chunk.text.includes('pid'));
        if (said === undefined) continue;
        pid = JSON.parse(said.text.split('\n').find((line) => line.includes('pid'))!).pid;
        resolveUp();
      }
    })();
    run.start();
    await up;
    const before = readFileSync(folder.journal, 'utf8');
    // A closed file refuses every write, as a full disk does.
    journal.close();
    run.answer('m.1', 'done', undefined);
    await run.ended;
    expect(run.problem).toMatchObject({ code: 'FILE_UNWRITABLE' });
    await expect(watching).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
    expect(run.state.questions.has('m.1')).toBe(true);
    expect(readFileSync(folder.journal, 'utf8')).toBe(before);
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('the engine', () => {
  it('writes a bounded number of bytes and lines for each step, however long the chain is', async () => {
    const size = 1000;
    const steps = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`s${index}`, index === 0 ? {} : { depends_on: [`s${index - 1}`] }]),
    );
    const long = chainOf('long', steps);
    const folder = emptyRun('long');
    const header = { ...headerOf('long'), chain_text: formatNewChain(long) };
    const run = new LiveRun({
      header,
      chain: long,
      folder,
      journal: JournalWriter.create(folder.journal, header),
      executors: { agent: async () => ({ kind: 'succeeded', output: { text: '', truncated: false } }) },
      settings: defaultSettings,
      now: Date.now,
      startTimer: () => () => undefined,
      log,
      onChange: () => undefined,
    });
    run.start();
    await run.ended;
    expect(run.state).toMatchObject({ state: 'succeeded', counts: { succeeded: size } });
    const { events } = await readJournal(folder.journal, 'long');
    // Started, tried, ended; only what waits for a place is ready first.
    expect(events).toHaveLength(3 * size + 3);
    const eventBytes = readFileSync(folder.journal).length - JSON.stringify(header).length;
    expect(eventBytes).toBeLessThan(size * 600);
  });
});
