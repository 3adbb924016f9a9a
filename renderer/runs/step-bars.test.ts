import { describe, expect, test } from 'vitest';
import { parseChainFile } from '../../shared/chain/chain-file.ts';
import { foldRun } from '../../shared/run/run-state.ts';
import { aJournal, type JournalEvent } from '../test/things.ts';
import { barsOf, busySpans } from './step-bars.ts';

const failure = { class: 'other', code: 'EXIT', message: 'No.', hint: null, exit_code: 1 } as const;
const begun: readonly JournalEvent[] = [
  { kind: 'run_started' },
  { kind: 'step_ready', step_id: 'fetch' },
  { kind: 'step_started', step_id: 'fetch', try: 1 },
];

/** Seconds since the start of the run, for every bar of its first step. */
function barsAfter(events: readonly JournalEvent[], nowSeconds: number, step: object = {}) {
  const { header, events: journal } = aJournal([{ step_name: 'Fetch', ...step }], events);
  const state = foldRun(header, parseChainFile(header.chain_text).chain, journal);
  const start = Date.parse(header.started_at);
  const now = start + nowSeconds * 1000;
  const seconds = ({ from, to }: { from: number; to: number }) => [(from - start) / 1000, (to - start) / 1000];
  return {
    bars: barsOf(state.steps.get('fetch')!, now).map((bar) => [bar.kind, bar.tone, ...seconds(bar)]),
    busy: busySpans(state, now).map(seconds),
  };
}

describe('the bars of a step', () => {
  test('are its wait for a place and its try, which grows while it is at work', () => {
    expect(barsAfter(begun, 9).bars).toEqual([
      ['queued', 'idle', 1, 2],
      ['try', 'run', 2, 9],
    ]);
  });

  test('keep a failed try, the wait and the next try apart', () => {
    const events: readonly JournalEvent[] = [
      ...begun,
      { kind: 'try_failed', step_id: 'fetch', try: 1, error: failure },
      { kind: 'retry_scheduled', step_id: 'fetch', try: 2, delay_ms: 1000, class: 'other' },
      { kind: 'step_started', step_id: 'fetch', try: 2 },
    ];
    expect(barsAfter(events, 8).bars.slice(1)).toEqual([
      ['try', 'bad', 2, 3],
      ['wait', 'idle', 3, 5],
      ['try', 'run', 5, 8],
    ]);
  });

  test('show the wait for an answer as what it is, and as idle time', () => {
    const events: readonly JournalEvent[] = [
      ...begun,
      { kind: 'try_failed', step_id: 'fetch', try: 1, error: failure },
      {
        kind: 'question_asked',
        question: { id: 'q', step_id: 'fetch', kind: 'failure', choices: ['retry', 'abort'], error: failure },
      },
    ];
    const { bars, busy } = barsAfter(events, 60);
    expect(bars.slice(1)).toEqual([
      ['try', 'bad', 2, 3],
      ['question', 'wait', 3, 60],
    ]);
    expect(busy).toEqual([[2, 3]]);
  });

  test('of a person count as nobody’s work', () => {
    expect(barsAfter(begun, 60, { kind: 'manual', skill_name: 'manual' }).busy).toEqual([]);
  });
});
