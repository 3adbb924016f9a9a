import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunBatch } from '../../shared/api/contract.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { useCommandKeys } from '../stores/commands.ts';
import { useSkillsStore } from '../stores/skills-store.ts';
import { giveSizes } from '../test/layout.ts';
import { show } from '../test/render.tsx';
import { startServices, testStream } from '../test/services.ts';
import { aJournal, aScan, aSkill, someSettings } from '../test/things.ts';
import { ChainEditor } from './chain-editor.tsx';
import { closeChain } from './state/open-chains.ts';
import { aDocument, chainText, row } from './test/fixture.tsx';

beforeEach(() => {
  localStorage.clear();
  giveSizes(1200, 800);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(1200);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(800);
  vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue([new DOMRect(0, 0, 10, 10)] as never);
  closeChain('release');
});

function Window() {
  useCommandKeys();
  return <ChainEditor name="release" toolbar={null} />;
}

async function open(text = chainText(row(3))) {
  const stream = testStream<RunBatch>();
  const saved: string[] = [];
  const services = startServices({
    chains: {
      get: () => aDocument(saved.at(-1) ?? text),
      save: ({ text: next }) => {
        saved.push(next);
        return { revision: 'b'.repeat(64) };
      },
      saveDraft: () => ({}),
      discardDraft: () => ({}),
      saveLayout: () => ({}),
    },
    runs: {
      start: () => ({ run_id: 'r-1' }),
      get: () => aJournal(row(3), [{ kind: 'run_started' }]),
      watch: () => stream,
      cancel: () => ({}),
    },
    settings: { get: () => someSettings() },
  });
  useSkillsStore.setState({ value: aScan([aSkill('audit'), aSkill('words')]) });
  const user = show(<Window />);
  await screen.findByRole('heading', { name: 'release', level: 1 });
  return { services, user, saved, stream };
}

const topRow = () => document.querySelector<HTMLElement>('[data-editor-region="top"]')!;
const cards = () => screen.getAllByRole('group').filter((element) => element.dataset['stepId'] !== undefined);
const names = () => cards().map((card) => /^Step \d+: ([^,]+)/.exec(card.getAttribute('aria-label')!)![1]);
const cardOf = (name: string) => cards().find((card) => card.getAttribute('aria-label')!.includes(`: ${name},`))!;

describe('by the keyboard alone', () => {
  test('a step is found in the palette and added by Enter behind the chosen one, on and on', async () => {
    const { user } = await open(chainText([]));
    await user.keyboard('{Control>}{Alt>}f{/Alt}{/Control}');
    const search = screen.getByRole('combobox', { name: 'Search skills' });
    await waitFor(() => expect(search).toHaveFocus());
    await user.keyboard('aud{Enter}');
    await waitFor(() => expect(names()).toEqual(['audit']));
    await user.clear(search);
    await user.keyboard('wor{Enter}');
    await waitFor(() => expect(names()).toEqual(['audit', 'words']));
    expect(cardOf('words')).toHaveAccessibleName(/after step 1/);
  });

  test('cards are walked along the wires, and one is in the tab order', async () => {
    const { user } = await open();
    expect(cards().filter((card) => card.tabIndex === 0)).toHaveLength(1);
    act(() => cardOf('Step 1').focus());
    await user.keyboard('{ArrowRight}');
    await waitFor(() => expect(cardOf('Step 2')).toHaveFocus());
    await user.keyboard('{End}');
    await waitFor(() => expect(cardOf('Step 3')).toHaveFocus());
    await user.keyboard('{Home}');
    await waitFor(() => expect(cardOf('Step 1')).toHaveFocus());
  });

  test('a deleted card hands the focus to its neighbour, and undo brings it back', async () => {
    const { user } = await open();
    act(() => cardOf('Step 1').focus());
    await user.keyboard('{ArrowRight}');
    await waitFor(() => expect(cardOf('Step 2')).toHaveFocus());
    await user.keyboard('{Delete}');
    expect(names()).toEqual(['Step 1', 'Step 3']);
    await waitFor(() => expect(cardOf('Step 3')).toHaveFocus());
    await user.keyboard('{Control>}z{/Control}');
    expect(names()).toEqual(['Step 1', 'Step 2', 'Step 3']);
    await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
    expect(names()).toEqual(['Step 1', 'Step 3']);
  });

  test('a card is renamed by F2, and its milestone goes auto, yes, no by M', async () => {
    const { user } = await open();
    act(() => cardOf('Step 1').focus());
    await user.keyboard('{F2}');
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus());
    await user.keyboard('Begin');
    expect(names()[0]).toBe('Begin');
    act(() => cardOf('Begin').focus());
    await user.keyboard('m');
    expect(cardOf('Begin')).toHaveAccessibleName(/Milestone/);
    await user.keyboard('m');
    expect(cardOf('Begin')).not.toHaveAccessibleName(/Milestone/);
  });

  test('keys reach the canvas when nothing has the focus, and never while somebody types', async () => {
    const { user } = await open();
    expect(document.body).toHaveFocus();
    await user.keyboard('{Control>}a{/Control}');
    expect(screen.getByText('3 steps')).toBeInTheDocument();
    await user.click(screen.getByRole('combobox', { name: 'Search skills' }));
    await user.keyboard('{Delete}m');
    expect(names()).toHaveLength(3);
  });

  test('F6 goes around the parts of the editor', async () => {
    const { user } = await open();
    const regions: (string | undefined)[] = [];
    for (let press = 0; press < 5; press++) {
      await user.keyboard('{F6}');
      regions.push(document.activeElement?.closest<HTMLElement>('[data-editor-region]')?.dataset['editorRegion']);
    }
    expect(regions).toEqual(['top', 'palette', 'canvas', 'panel', 'inspector']);
  });
});

describe('copying', () => {
  test('goes through the clipboard of the system as text, and never out of a field', async () => {
    const { user } = await open();
    await user.keyboard('{Control>}a{/Control}');
    const written: Record<string, string> = {};
    const clipboardData = {
      setData: (type: string, text: string) => {
        written[type] = text;
      },
      getData: (type: string) => written[type] ?? '',
    };
    fireEvent(document, Object.assign(new Event('copy', { bubbles: true, cancelable: true }), { clipboardData }));
    expect(JSON.parse(written['text/plain']!).steps).toHaveLength(3);
    fireEvent(document, Object.assign(new Event('paste', { bubbles: true, cancelable: true }), { clipboardData }));
    expect(names()).toHaveLength(6);
    await user.click(screen.getByRole('combobox', { name: 'Search skills' }));
    const paste = new Event('paste', { bubbles: true, cancelable: true });
    fireEvent(document, Object.assign(paste, { clipboardData }));
    expect(names()).toHaveLength(6);
    expect(paste.defaultPrevented).toBe(false);
  });
});

describe('saving', () => {
  test('is offered while there is something to save, and says when it is done', async () => {
    const { user, saved } = await open();
    const top = topRow();
    expect(within(top).getByText('Saved')).toBeInTheDocument();
    expect(within(top).queryByRole('button', { name: 'Save' })).toBeNull();
    await user.keyboard('{Control>}a{/Control}{Delete}');
    expect(within(top).getByText('Not saved')).toBeInTheDocument();
    expect(within(top).getByRole('button', { name: 'Undo: delete 3 steps' })).toBeEnabled();
    await user.keyboard('{Control>}s{/Control}');
    await waitFor(() => expect(within(top).getByText('Saved')).toBeInTheDocument());
    expect(saved).toHaveLength(1);
    expect(JSON.parse(saved[0]!).steps).toEqual([]);
  });

  test('that fails says so at the top and keeps the edit', async () => {
    const { user, services } = await open();
    services.answer({
      chains: {
        save: () => {
          throw new AppError('FILE_UNWRITABLE', { path: 'release.json' });
        },
      },
    });
    await user.keyboard('{Control>}a{/Control}{Delete}{Control>}s{/Control}');
    await screen.findByText('Could not be saved');
    expect(screen.getByRole('alert')).toHaveTextContent('FILE_UNWRITABLE');
    await user.keyboard('{Control>}z{/Control}');
    expect(names()).toHaveLength(3);
  });
});

describe('a run', () => {
  test('saves first, is drawn on the cards, and is stopped by the same place that started it', async () => {
    const { user, services, saved, stream } = await open();
    act(() => cardOf('Step 1').focus());
    await user.keyboard('m');
    await user.click(within(topRow()).getByRole('button', { name: 'Run' }));
    await screen.findByRole('button', { name: 'Stop' });
    expect(saved).toHaveLength(1);
    expect(services.calls('runs.start')).toEqual([{ chain_name: 'release', source: 'window' }]);
    const at = Date.parse('2026-01-05T09:30:01.000Z');
    stream.send({
      events: [
        { seq: 1, at, kind: 'step_ready', step_id: 'step_1' },
        { seq: 2, at, kind: 'step_started', step_id: 'step_1', try: 1 },
      ],
      logs: [],
      dropped_bytes: 0,
      end: false,
    });
    await waitFor(() => expect(cardOf('Step 1')).toHaveAccessibleName(/Running/));
    expect(cardOf('Step 2')).toHaveAccessibleName(/Pending/);
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    expect(services.calls('runs.cancel')).toEqual([{ run_id: 'r-1' }]);
    expect(screen.getByRole('button', { name: 'Stopping…' })).toBeInTheDocument();
  });

  test('that is refused says why and leads to the problems', async () => {
    const { user, services } = await open();
    services.answer({
      runs: {
        start: () => {
          throw new AppError('CHAIN_INVALID', { name: 'release', count: 1 });
        },
      },
    });
    await user.keyboard('{Control>}{Enter}{/Control}');
    await user.click(await screen.findByRole('button', { name: 'Show the problems' }));
    expect(screen.getByRole('tab', { name: /Problems/, selected: true })).toBeInTheDocument();
  });
});

test('leaving and coming back finds what was not saved, with its undo', async () => {
  const { user } = await open();
  await user.keyboard('{Control>}a{/Control}{Delete}');
  cleanup();
  show(<Window />);
  await screen.findByRole('button', { name: 'Undo: delete 3 steps' });
});

test('a file that can not be read whole is not shown half', async () => {
  startServices({ chains: { get: () => aDocument('{"name": "release", "steps": [') } });
  show(<Window />);
  await screen.findByText('This chain can not be opened');
  expect(screen.getByRole('alert')).toHaveTextContent('CHAIN_FILE_BROKEN');
  expect(screen.getByRole('button', { name: 'All chains' })).toBeInTheDocument();
});

test('everything that can be used has a name, in every view', async () => {
  const { user } = await open();
  for (const view of ['1', '2', '3']) {
    await user.keyboard(`{Control>}{Alt>}${view}{/Alt}{/Control}`);
    for (const role of ['button', 'textbox', 'combobox', 'separator', 'tab', 'link', 'radio'] as const) {
      for (const element of screen.queryAllByRole(role)) expect(element).toHaveAccessibleName();
    }
  }
  expect(screen.getByText(/^Chain of 3 steps and 2 links, 1 milestone, 0 problems\.$/)).toBeInTheDocument();
});
