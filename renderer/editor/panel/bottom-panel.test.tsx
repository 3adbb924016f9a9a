import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { RunBatch } from '../../../shared/api/contract.ts';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import type { RunEvent } from '../../../shared/run/event.ts';
import { makePlan } from '../../../shared/run/plan.ts';
import { defaultSettings } from '../../../shared/settings/settings.ts';
import { giveSizes } from '../../test/layout.ts';
import { show } from '../../test/render.tsx';
import { startServices, testStream } from '../../test/services.ts';
import { aJournal, aScan, type JournalEvent } from '../../test/things.ts';
import { patchStep } from '../state/step-edits.ts';
import { idOf, inEditor, openStore, row } from '../test/fixture.tsx';
import { BottomPanel } from './bottom-panel.tsx';

const tab = (name: RegExp) => screen.getByRole('tab', { name });

function open(store = openStore(row(2))) {
  return { store, user: show(inEditor(store, <BottomPanel />)) };
}

describe('the tabs', () => {
  test('open and fold their panel, and are gone through with the arrows', async () => {
    const { user } = open();
    expect(screen.queryByRole('tabpanel')).toBeNull();
    await user.click(tab(/Problems/));
    expect(screen.getByRole('tabpanel', { name: /Problems/ })).toBeInTheDocument();
    await user.keyboard('{ArrowRight}');
    expect(tab(/Plan/)).toHaveFocus();
    await user.keyboard('{ArrowLeft}{ArrowLeft}');
    expect(tab(/Questions/)).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'Fold the panel' }));
    expect(screen.queryByRole('tabpanel')).toBeNull();
  });

  test('say what is empty, instead of showing nothing', async () => {
    startServices({});
    const { user } = open();
    for (const [name, text] of [
      [/Problems/, 'Nothing found. The chain can run.'],
      [/Run/, 'This chain is not being run.'],
      [/Log/, 'There is no run yet.'],
      [/Questions/, 'Nothing is asked.'],
    ] as const) {
      await user.click(tab(name));
      expect(screen.getByRole('tabpanel')).toHaveTextContent(text);
    }
  });
});

describe('problems', () => {
  test('are counted on the tab, the errors first, and lead to their step', async () => {
    const store = openStore([{ step_name: '' }, { step_name: 'B', skill_name: 'nowhere' }], {
      scan: aScan([]),
      actions: [],
    });
    const { user } = open(store);
    await user.click(tab(/Problems ?1/));
    const rows = within(screen.getByRole('tabpanel')).getAllByRole('button');
    expect(rows[0]).toHaveAccessibleName(/^Error:\s*The skill "nowhere"/);
    expect(rows.at(-1)).toHaveAccessibleName(/^Warning:/);
    await user.click(rows[0]!);
    expect([...store.getState().selection]).toEqual([idOf(store, 'B')]);
  });

  test('go away as soon as they are solved', async () => {
    const store = openStore([{ step_name: 'A', skill_name: 'nowhere' }], { scan: aScan([]), actions: [] });
    open(store);
    act(() => void store.getState().edit(patchStep(idOf(store, 'A'), { skill_name: '' })));
    expect(tab(/Problems/)).toHaveAccessibleName('Problems');
  });
});

test('the plan is of the chain on the screen, in waves, and is made anew after an edit', async () => {
  const services = startServices({
    chains: {
      plan: ({ text, locale }) => {
        const { chain } = parseChainFile(text!);
        const facts = { hasSkill: () => true };
        return makePlan(chain, {
          settings: defaultSettings(),
          skillPath: () => '/skills',
          facts,
          locale: locale ?? 'en',
        });
      },
    },
  });
  const { store, user } = open();
  await user.click(tab(/Plan/));
  await screen.findByText('2 steps in 2 waves; 3 further tries where a step says nothing else.');
  const [first] = screen.getAllByRole('button', { name: /1 Step 1/ });
  await user.click(first!);
  expect([...store.getState().selection]).toEqual([idOf(store, 'Step 1')]);
  act(() => void store.getState().edit({ kind: 'disconnect', from: idOf(store, 'Step 1'), to: idOf(store, 'Step 2') }));
  await screen.findByText('2 steps in 1 wave; 3 further tries where a step says nothing else.');
  expect(services.calls('chains.plan')).toHaveLength(2);
});

describe('a run', () => {
  const steps = row(2);
  const [one, two] = ['step_1', 'step_2'];
  const started: readonly JournalEvent[] = [
    { kind: 'run_started' },
    { kind: 'step_ready', step_id: one! },
    { kind: 'step_started', step_id: one!, try: 1 },
  ];

  function openRun(events: readonly JournalEvent[]) {
    const journal = aJournal(
      steps.map((step) => ({ ...step, skill_name: '', action: `Do ${step.step_name}.` })),
      events,
    );
    const stream = testStream<RunBatch>();
    const services = startServices({
      runs: {
        get: () => journal,
        watch: () => stream,
        answer: () => ({}),
        log: ({ offset = 0 }) => ({ text: offset > 0 ? '' : 'one\ntwo\n', offset: Math.max(0, offset), size: 8 }),
      },
    });
    const store = openStore(steps);
    store.getState().showRun('r-1');
    const user = show(inEditor(store, <BottomPanel />));
    let seq = events.length;
    const happens = (...next: readonly JournalEvent[]) => {
      const numbered = next.map((event) => {
        seq += 1;
        return { seq: seq - 1, at: Date.parse(journal.header.started_at) + seq * 1000, ...event } as RunEvent;
      });
      stream.send({ events: numbered, logs: [], dropped_bytes: 0, end: next.some((e) => e.kind === 'run_ended') });
    };
    return { store, user, services, happens };
  }

  const stateOf = (name: string) =>
    within(screen.getByRole('row', { name: new RegExp(name) })).getAllByRole('cell')[2]!.textContent;

  test('is followed step by step; its rows lead to the output', async () => {
    const { user, happens, store } = openRun(started);
    await user.click(tab(/Run/));
    await waitFor(() => expect(stateOf('Step 1')).toBe('Running'));
    expect(stateOf('Step 2')).toBe('Pending');
    happens(
      { kind: 'try_succeeded', step_id: one!, try: 1, output: { text: 'x', truncated: false } },
      { kind: 'step_ended', step_id: one!, state: 'succeeded', reason: 'ok', duration_ms: 900 },
    );
    await waitFor(() => expect(stateOf('Step 1')).toBe('Succeeded'));
    expect(screen.getByText('1 of 2 steps done')).toBeInTheDocument();
    giveSizes();
    await user.click(screen.getByRole('button', { name: 'Step 1' }));
    expect(store.getState().panel).toBe('log');
    await screen.findByText('two');
  });

  test('that was stopped says how fast and that nothing is left', async () => {
    const { user, happens } = openRun(started);
    await user.click(tab(/Run/));
    happens(
      { kind: 'step_ended', step_id: one!, state: 'cancelled', reason: 'cancelled_by_person', duration_ms: 900 },
      { kind: 'step_ended', step_id: two!, state: 'cancelled', reason: 'cancelled_by_person', duration_ms: 0 },
      { kind: 'processes_stopped', started: 1, left: 0, duration_ms: 1200 },
      { kind: 'run_ended', state: 'cancelled', reason: 'cancelled_by_person', step_id: null },
    );
    await screen.findByText('stopped in 1.2 s, 0 of 1 process left');
    expect(screen.getByText('0 of 2 steps done')).toBeInTheDocument();
  });

  test('that succeeded does not speak of stopping', async () => {
    const { user, happens } = openRun(started);
    await user.click(tab(/Run/));
    happens(
      { kind: 'try_succeeded', step_id: one!, try: 1, output: { text: 'x', truncated: false } },
      { kind: 'step_ended', step_id: one!, state: 'succeeded', reason: 'ok', duration_ms: 900 },
      { kind: 'step_ended', step_id: two!, state: 'succeeded', reason: 'ok', duration_ms: 900 },
      { kind: 'processes_stopped', started: 2, left: 0, duration_ms: 4 },
      { kind: 'run_ended', state: 'succeeded', reason: 'ok', step_id: null },
    );
    await screen.findByText('2 of 2 steps done');
    expect(screen.queryByText(/stopped in/)).toBeNull();
  });

  test('says that the chain was changed since only when a step is another one now, not for a count', async () => {
    const { user, store } = openRun(started);
    await user.click(tab(/Run/));
    await screen.findByText('0 of 2 steps done');
    act(() => void store.getState().edit({ kind: 'update_chain', patch: { exec_count: 5 } }));
    expect(screen.queryByText('The chain was changed since.')).toBeNull();
    act(() => void store.getState().edit(patchStep(idOf(store, 'Step 2'), { notes: 'x' })));
    expect(screen.getByText('The chain was changed since.')).toBeInTheDocument();
  });

  test('that asks is counted on the tab, and is answered in the panel', async () => {
    const { user, services, happens } = openRun(started);
    await waitFor(() => expect(tab(/Questions/)).toHaveAccessibleName('Questions'));
    happens({
      kind: 'question_asked',
      question: { id: 'q-1', step_id: one!, kind: 'manual', choices: ['done', 'failed', 'skip'], error: null },
    });
    await waitFor(() => expect(tab(/Questions/)).toHaveAccessibleName(/Questions ?1/));
    await user.click(tab(/Questions/));
    await user.click(await screen.findByRole('button', { name: 'Done' }));
    await waitFor(() => expect(services.calls('runs.answer')).toHaveLength(1));
    expect(services.calls('runs.answer')[0]).toMatchObject({ run_id: 'r-1', question_id: 'q-1', answer: 'done' });
  });
});
