import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChainStore, createChainStore } from '../../../electron/services/chains/chain-store.ts';
import { silentLog } from '../../../electron/services/log.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { startServices } from '../../test/services.ts';
import { chainText, type FileStep, idOf, namesOf, row } from '../test/fixture.tsx';
import { createEditorStore, type EditorStore, isDirty, stepOf } from './editor-store.ts';
import { autosaveDelayMs, createSaver, draftDelayMs, layoutDelayMs, type Saver } from './saver.ts';
import { patchStep } from './step-edits.ts';

let home: string;
let disk: ChainStore;
let savers: Saver[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'studio-saver-'));
  mkdirSync(join(home, 'chains'));
  disk = createChainStore({ home, now: () => Date.UTC(2026, 0, 5, 9), log: silentLog });
  savers = [];
});
afterEach(async () => {
  for (const saver of savers) saver.dispose();
  vi.useRealTimers();
  await disk.dispose();
  rmSync(home, { recursive: true, force: true });
});

const file = () => join(home, 'chains', 'release.json');
const onDisk = () => readFileSync(file(), 'utf8');
const changeOutside = (steps: readonly FileStep[], more: object = {}) => writeFileSync(file(), chainText(steps, more));

/** The window beside the real store of chain files in a folder of its own. */
async function openChain(steps: readonly FileStep[] = row(2)) {
  writeFileSync(file(), chainText(steps));
  const services = startServices({
    chains: {
      get: ({ name }) => disk.get(name),
      save: (input) => disk.save(input),
      create: ({ name, text }) => disk.create(name, text),
      saveDraft: async ({ name, text, based_on }) => {
        await disk.saveDraft(name, text, based_on);
        return {};
      },
      discardDraft: async ({ name }) => {
        await disk.discardDraft(name);
        return {};
      },
      saveLayout: async ({ name, layout }) => {
        await disk.saveLayout(name, { ...layout, positions: layout.positions ?? {} });
        return {};
      },
    },
  });
  const document = await disk.get('release');
  const store = createEditorStore(document);
  const saver = createSaver(store, document);
  savers.push(saver);
  const note = (step: string, notes: string) => store.getState().edit(patchStep(idOf(store, step), { notes }));
  return { services, store, saver, note };
}

function noteOf(store: EditorStore, step: string): unknown {
  return stepOf(store.getState(), idOf(store, step))?.notes;
}

function notesOnDisk(): Record<string, unknown> {
  const { steps } = JSON.parse(onDisk()) as { steps: { step_name: string; notes?: string }[] };
  return Object.fromEntries(steps.map((step) => [step.step_name, step.notes]));
}

function conflictOf(saver: Saver) {
  return saver.state.getState().conflict?.meetings.map(({ step, field, mine, theirs }) => ({
    step: step?.name ?? null,
    field,
    mine,
    theirs,
  }));
}

describe('saving', () => {
  test('writes what is on the screen; afterwards there is nothing to save', async () => {
    const { store, saver, note } = await openChain();
    note('Step 1', 'mine');
    const text = store.getState().text();
    expect(await saver.save()).toBe(true);
    expect(onDisk()).toBe(text);
    expect(isDirty(store.getState())).toBe(false);
  });

  test('without an edit writes nothing at all', async () => {
    const { services, saver } = await openChain();
    expect(await saver.save()).toBe(true);
    expect(services.calls('chains.save')).toEqual([]);
  });

  test('happens one at a time, and what was typed meanwhile is written too before it counts as saved', async () => {
    const { services, store, saver, note } = await openChain();
    let running = 0;
    let most = 0;
    let edited = false;
    services.answer({
      chains: {
        save: async (input) => {
          running += 1;
          most = Math.max(most, running);
          if (!edited) note('Step 2', 'typed while the first was on its way');
          edited = true;
          const saved = await disk.save(input);
          running -= 1;
          return saved;
        },
      },
    });
    note('Step 1', 'first');
    const results = await Promise.all([saver.save(), saver.save(), saver.save()]);
    expect(results).toEqual([true, true, true]);
    expect(most).toBe(1);
    expect(isDirty(store.getState())).toBe(false);
    expect(notesOnDisk()).toEqual({ 'Step 1': 'first', 'Step 2': 'typed while the first was on its way' });
  });

  test('that fails keeps everything, says why, and can be tried again', async () => {
    const { services, store, saver, note } = await openChain();
    const before = onDisk();
    services.answer({
      chains: {
        save: () => {
          throw new AppError('FILE_UNWRITABLE', { path: file() });
        },
      },
    });
    note('Step 1', 'mine');
    expect(await saver.save()).toBe(false);
    expect(saver.state.getState()).toMatchObject({ saving: false, error: { code: 'FILE_UNWRITABLE' } });
    expect(onDisk()).toBe(before);
    expect(noteOf(store, 'Step 1')).toBe('mine');
    services.answer({ chains: { save: (input) => disk.save(input) } });
    expect(await saver.save()).toBe(true);
    expect(saver.state.getState().error).toBeNull();
    expect(notesOnDisk()['Step 1']).toBe('mine');
  });

  test('gives up when the file says conflict again and again without another content', async () => {
    const { services, saver, note } = await openChain();
    services.answer({
      chains: {
        save: () => {
          throw new AppError('CONFLICT', { name: 'release' });
        },
      },
    });
    note('Step 1', 'mine');
    expect(await saver.save()).toBe(false);
    expect(saver.state.getState().error?.code).toBe('CONFLICT');
  });
});

describe('a file that was changed elsewhere', () => {
  test('is shown as it is now when nothing was edited here, and that can be undone', async () => {
    const { store, saver } = await openChain();
    changeOutside([...row(2), { step_name: 'Theirs' }]);
    await saver.check();
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2', 'Theirs']);
    expect(isDirty(store.getState())).toBe(false);
    store.getState().undo();
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2']);
    expect(isDirty(store.getState())).toBe(true);
  });

  test('is merged into a save when both sides changed different places', async () => {
    const { store, saver, note } = await openChain();
    note('Step 1', 'mine');
    const [one, two] = row(2);
    changeOutside([one!, { ...two!, notes: 'theirs' }, { step_name: 'Theirs' }]);
    expect(await saver.save()).toBe(true);
    expect(notesOnDisk()).toEqual({ 'Step 1': 'mine', 'Step 2': 'theirs', Theirs: undefined });
    expect(namesOf(store)).toEqual(['Step 1', 'Step 2', 'Theirs']);
    expect(saver.state.getState().conflict).toBeNull();
  });

  async function openConflict() {
    const opened = await openChain();
    opened.note('Step 1', 'mine');
    const [one, two] = row(2);
    changeOutside([
      { ...one!, notes: 'theirs' },
      { ...two!, condition: 'only theirs' },
    ]);
    expect(await opened.saver.save()).toBe(false);
    expect(conflictOf(opened.saver)).toEqual([{ step: 'Step 1', field: 'notes', mine: 'mine', theirs: 'theirs' }]);
    return opened;
  }

  test('asks when both changed one place, and writes nothing until it is answered', async () => {
    const { store, saver } = await openConflict();
    expect(notesOnDisk()['Step 1']).toBe('theirs');
    expect(noteOf(store, 'Step 1')).toBe('mine');
    expect(await saver.save()).toBe(false);
    expect(notesOnDisk()['Step 1']).toBe('theirs');
  });

  test('keeps mine at that place and theirs everywhere else', async () => {
    const { store, saver } = await openConflict();
    expect(await saver.resolve('mine')).toBe(true);
    expect(notesOnDisk()['Step 1']).toBe('mine');
    expect(onDisk()).toContain('only theirs');
    expect(saver.state.getState().conflict).toBeNull();
    expect(isDirty(store.getState())).toBe(false);
  });

  test('takes theirs whole, and mine comes back by undo', async () => {
    const { store, saver } = await openConflict();
    expect(await saver.resolve('theirs')).toBe(true);
    expect(noteOf(store, 'Step 1')).toBe('theirs');
    expect(isDirty(store.getState())).toBe(false);
    store.getState().undo();
    expect(noteOf(store, 'Step 1')).toBe('mine');
  });

  test('into something broken leaves what is on the screen, says so, and is not written over', async () => {
    const { store, saver, note } = await openChain();
    note('Step 1', 'mine');
    writeFileSync(file(), '{"name": "release", "steps": [');
    expect(await saver.save()).toBe(false);
    expect(saver.state.getState().error?.code).toBe('CHAIN_FILE_BROKEN');
    expect(onDisk()).toBe('{"name": "release", "steps": [');
    expect(noteOf(store, 'Step 1')).toBe('mine');
  });

  test('away is said, and can be written anew with everything', async () => {
    const { store, saver, note } = await openChain();
    note('Step 1', 'mine');
    rmSync(file());
    expect(await saver.save()).toBe(false);
    expect(saver.state.getState().missing).toBe(true);
    expect(await saver.recreate()).toBe(true);
    expect(notesOnDisk()['Step 1']).toBe('mine');
    expect(isDirty(store.getState())).toBe(false);
    expect(saver.state.getState().missing).toBe(false);
  });
});

describe('what is not saved yet', () => {
  test('is kept in a draft a moment after the edit, and the draft goes away with the save', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { services, store, saver, note } = await openChain();
    note('Step 1', 'mine');
    const text = store.getState().text();
    expect((await disk.get('release')).draft).toBeNull();
    vi.advanceTimersByTime(draftDelayMs);
    vi.useRealTimers();
    await vi.waitFor(async () => expect((await disk.get('release')).draft?.text).toBe(text));
    expect(await saver.save()).toBe(true);
    await vi.waitFor(async () => expect((await disk.get('release')).draft).toBeNull());
    expect(services.calls('chains.saveDraft')).toHaveLength(1);
  });

  test('is written at once when the window closes', async () => {
    const { store, saver, note } = await openChain();
    note('Step 1', 'mine');
    saver.flush();
    await vi.waitFor(async () => expect((await disk.get('release')).draft?.text).toBe(store.getState().text()));
  });

  test('stays in the window while there is no connection, and is saved when there is one again', async () => {
    const { services, store, saver, note } = await openChain();
    const lost = () => {
      throw new AppError('NOT_CONNECTED');
    };
    services.answer({ chains: { get: lost, save: lost, saveDraft: lost, saveLayout: lost } });
    note('Step 1', 'mine');
    saver.flush();
    await saver.check();
    expect(await saver.save()).toBe(false);
    expect(saver.state.getState()).toMatchObject({ error: { code: 'NOT_CONNECTED' }, missing: false });
    expect(noteOf(store, 'Step 1')).toBe('mine');
    expect(isDirty(store.getState())).toBe(true);
    services.answer({ chains: { get: ({ name }) => disk.get(name), save: (input) => disk.save(input) } });
    expect(await saver.save()).toBe(true);
    expect(notesOnDisk()['Step 1']).toBe('mine');
  });

  test('of the last time is offered, and brought back as one edit', async () => {
    const first = await openChain();
    first.note('Step 1', 'mine');
    first.saver.flush();
    await vi.waitFor(async () => expect((await disk.get('release')).draft).not.toBeNull());
    first.saver.dispose();
    const document = await disk.get('release');
    const store = createEditorStore(document);
    const saver = createSaver(store, document);
    savers.push(saver);
    expect(noteOf(store, 'Step 1')).toBeUndefined();
    saver.restoreDraft();
    expect(noteOf(store, 'Step 1')).toBe('mine');
    expect(saver.state.getState().draft).toBeNull();
    store.getState().undo();
    expect(noteOf(store, 'Step 1')).toBeUndefined();
  });

  test('is saved by itself when that is switched on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { services, saver, note } = await openChain();
    saver.setAutosave(true);
    note('Step 1', 'mine');
    vi.advanceTimersByTime(autosaveDelayMs);
    vi.useRealTimers();
    await vi.waitFor(() => expect(notesOnDisk()['Step 1']).toBe('mine'));
    expect(services.calls('chains.save')).toHaveLength(1);
  });

  test('is not saved by itself while a conflict waits for its answer', async () => {
    const { services, saver, note } = await openChain();
    note('Step 1', 'mine');
    changeOutside([{ ...row(1)[0]!, notes: 'theirs' }, row(2)[1]!]);
    await saver.save();
    expect(conflictOf(saver)).toHaveLength(1);
    const before = services.calls('chains.save').length;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    saver.setAutosave(true);
    note('Step 2', 'mine too');
    vi.advanceTimersByTime(autosaveDelayMs * 2);
    vi.useRealTimers();
    expect(services.calls('chains.save')).toHaveLength(before);
  });
});

test('moved cards and the view are kept beside the chain, never in it', async () => {
  const { store, saver } = await openChain();
  const before = onDisk();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  store.getState().moveSteps({ [idOf(store, 'Step 1')]: { x: 40, y: 80 } });
  saver.saveViewport({ x: 1, y: 2, zoom: 0.5 });
  vi.advanceTimersByTime(layoutDelayMs);
  vi.useRealTimers();
  await vi.waitFor(async () => {
    const { layout } = await disk.get('release');
    expect(layout.positions[idOf(store, 'Step 1')]).toEqual({ x: 40, y: 80 });
    expect(layout.viewport).toEqual({ x: 1, y: 2, zoom: 0.5 });
  });
  expect(onDisk()).toBe(before);
  expect(isDirty(store.getState())).toBe(false);
});
