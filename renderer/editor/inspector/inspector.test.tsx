import { act, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { undoLabel } from '../../../shared/history/history.ts';
import { show } from '../../test/render.tsx';
import { startServices } from '../../test/services.ts';
import { aManifest, aScan, aSkill } from '../../test/things.ts';
import { type EditorStore, stepOf } from '../state/editor-store.ts';
import { createSaver } from '../state/saver.ts';
import type { EditorFacts } from '../state/skill-facts.ts';
import { aDocument, chainText, type FileStep, idOf, inEditor, linksOf, openStore, row } from '../test/fixture.tsx';
import { Inspector } from './inspector.tsx';

beforeEach(() => localStorage.clear());

function open(steps: readonly FileStep[], chosen: readonly string[], facts: Partial<EditorFacts> = {}) {
  startServices({ chains: { saveDraft: () => ({}), discardDraft: () => ({}), saveLayout: () => ({}) } });
  const store = openStore(steps, facts);
  const saver = createSaver(store, aDocument(chainText(steps)));
  store.getState().select(chosen.map((name) => idOf(store, name)));
  const user = show(inEditor(store, <Inspector saver={saver} onFold={() => undefined} />));
  return { store, user };
}

function entries(store: EditorStore): number {
  return store.getState().history.past.length;
}

function step(store: EditorStore, name: string) {
  return stepOf(store.getState(), idOf(store, name))!;
}

const field = (name: string | RegExp) => screen.getByRole('textbox', { name });

describe('typing in a field of a step', () => {
  test('changes that field only, letter by letter, and is one entry of the history', async () => {
    const { store, user } = open(row(2), ['Step 2']);
    const before = step(store, 'Step 2');
    await user.type(field('Condition'), 'x > 1');
    expect(step(store, 'Step 2')).toEqual({ ...before, condition: 'x > 1' });
    expect(entries(store)).toBe(1);
    store.getState().undo();
    expect(step(store, 'Step 2')).toBe(before);
  });

  test('twice, with another field between, is three entries', async () => {
    const { store, user } = open(row(1), ['Step 1']);
    await user.type(field('Condition'), 'a');
    await user.type(field('Instruction'), '!');
    await user.type(field('Condition'), 'b');
    expect(step(store, 'Step 1')).toMatchObject({ condition: 'ab', action: 'Do Step 1.!' });
    expect(entries(store)).toBe(3);
  });

  test('shows at once what an undo brought back', async () => {
    const { store, user } = open(row(1), ['Step 1']);
    await user.clear(field('Name'));
    await user.type(field('Name'), 'Other');
    expect(screen.getByRole('heading', { name: 'Other' })).toBeInTheDocument();
    act(() => store.getState().undo());
    expect(field('Name')).toHaveValue('Step 1');
  });

  test('until it is empty takes an optional field out of the file', async () => {
    const { store, user } = open([{ step_name: 'A', condition: 'x' }], ['A']);
    await user.clear(field('Condition'));
    expect(step(store, 'A')).not.toHaveProperty('condition');
  });

  test('keeps fields that nobody knows, on the step and inside its objects', async () => {
    const { store, user } = open([{ step_name: 'A', own: 1, failure_mode: { own: 2, on_exhaust: 'skip' } }], ['A']);
    await user.click(screen.getByRole('radio', { name: 'Abort' }));
    expect(step(store, 'A')).toMatchObject({ own: 1, failure_mode: { own: 2, on_exhaust: 'abort' } });
  });
});

describe('the milestone', () => {
  test('has three answers, and says the rule that answered', async () => {
    const { store, user } = open(row(1), ['Step 1']);
    const choice = (name: string) => screen.getByRole('radio', { name });
    await user.click(choice('Yes'));
    expect(step(store, 'Step 1').failure_mode).toEqual({ is_milestone: true });
    expect(screen.getByText(/Milestone by rule 1/)).toBeInTheDocument();
    await user.click(choice('No'));
    expect(step(store, 'Step 1').failure_mode).toEqual({ is_milestone: false });
    await user.click(choice('By rule'));
    expect(step(store, 'Step 1')).not.toHaveProperty('failure_mode');
  });
});

describe('what a step waits for', () => {
  test('is shown by number and name, and can be taken away', async () => {
    const { store, user } = open(row(2), ['Step 2']);
    const list = screen.getByRole('list', { name: 'Waits for' });
    expect(within(list).getByRole('button', { name: '1Step 1' })).toBeEnabled();
    await user.click(within(list).getByRole('button', { name: 'Remove the link from "Step 1"' }));
    expect(linksOf(store)).toEqual([]);
    expect(screen.getByText('Nothing: it starts at once.')).toBeInTheDocument();
  });

  test('can be added to; a step that would close a loop is off and says so', async () => {
    const { store, user } = open([...row(2), { step_name: 'Alone' }], ['Step 1']);
    await user.click(screen.getByRole('combobox', { name: 'Wait for a step too…' }));
    const closing = await screen.findByRole('option', { name: /2 Step 2 · This would close a loop/ });
    expect(closing).toHaveAttribute('data-combobox-disabled', 'true');
    await user.click(screen.getByRole('option', { name: '3 Alone' }));
    expect(linksOf(store)).toContain('Alone -> Step 1');
  });

  test('that does not exist is named by its number and can be taken away', async () => {
    const { store, user } = open([{ step_name: 'A', depends_on: [9] }], ['A']);
    expect(screen.getByRole('button', { name: 'Step 9, which does not exist' })).toBeDisabled();
    await user.click(screen.getByRole('button', { name: /Remove the link from "Step 9/ }));
    expect(step(store, 'A').depends_on).toEqual([]);
  });
});

describe('a skill', () => {
  const scan = aScan([aSkill('words', { scripts: ['scripts/main.py'] })]);

  test('that is not there is said at the field, with a name that is near to take', async () => {
    const { store, user } = open([{ step_name: 'A', skill_name: 'wrods' }], ['A'], { scan, actions: [] });
    expect(screen.getByText('This skill was not found on this machine.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'words' }));
    expect(step(store, 'A').skill_name).toBe('words');
    expect(screen.queryByText('This skill was not found on this machine.')).toBeNull();
  });

  test('with actions gives the form of the chosen one; a value that is missing is said at its field', async () => {
    const count = {
      id: 'count',
      title: 'Count words',
      entrypoint: { type: 'cli', command: ['python3', 'main.py'] },
      inputSchema: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', title: 'Text' },
          least: { type: 'integer', title: 'Least', default: 1 },
        },
      },
    } as const;
    const { store, user } = open([{ step_name: 'A', skill_name: 'words', kind: 'action' }], ['A'], {
      scan,
      actions: [aManifest('words', [count as never])],
    });
    await user.click(screen.getByRole('combobox', { name: 'Action' }));
    await user.click(await screen.findByRole('option', { name: 'Count words' }));
    expect(step(store, 'A').with).toEqual({ action: 'count', input: { least: 1 } });
    expect(screen.getByRole('textbox', { name: /Text/ })).toBeInvalid();
    await user.type(screen.getByRole('textbox', { name: /Text/ }), 'hi');
    expect(step(store, 'A').with).toEqual({ action: 'count', input: { least: 1, text: 'hi' } });
    expect(screen.getByRole('textbox', { name: /Text/ })).toBeValid();
  });

  test('with programs takes its arguments one a line, spaces and all', async () => {
    const { store, user } = open([{ step_name: 'A', skill_name: 'words', kind: 'skill_exec' }], ['A'], {
      scan,
      actions: [],
    });
    await user.type(field('Arguments'), '--name{Enter}two words');
    expect(step(store, 'A').with).toEqual({ args: ['--name', 'two words'] });
    expect(entries(store)).toBe(1);
  });
});

describe('several steps', () => {
  test('get one answer for all as one entry', async () => {
    const { store, user } = open(row(3), ['Step 1', 'Step 3']);
    await user.click(screen.getByRole('button', { name: 'Skip' }));
    expect(store.getState().doc.chain.steps.map((one) => one.failure_mode?.on_exhaust)).toEqual([
      'skip',
      undefined,
      'skip',
    ]);
    expect(entries(store)).toBe(1);
    expect(undoLabel(store.getState().history)).toContain('exhaust_many');
  });

  test('are put in one column, and the picture can be undone', async () => {
    const { store, user } = open(row(3), ['Step 1', 'Step 2']);
    await user.click(screen.getByRole('button', { name: 'In one column' }));
    const { placed } = store.getState();
    expect(placed[idOf(store, 'Step 1')]!.x).toBe(placed[idOf(store, 'Step 2')]!.x);
    store.getState().undo();
    expect(store.getState().doc.positions).toEqual({});
  });
});

test('without a step the fields of the chain are shown and edited the same way', async () => {
  const { store, user } = open(row(1), []);
  await user.type(field('Purpose'), 'why');
  expect(store.getState().doc.chain.purpose).toBe('why');
  expect(entries(store)).toBe(1);
  await user.type(screen.getByRole('combobox', { name: 'Tags' }), 'a{Enter}');
  expect(store.getState().doc.chain.tags).toEqual(['a']);
});

test.each([
  ['a step', ['Step 1']],
  ['several steps', ['Step 1', 'Step 2']],
  ['the chain', []],
])('everything that can be used for %s has a name', (_, chosen) => {
  open(row(2), chosen);
  for (const role of ['button', 'textbox', 'combobox', 'radio', 'switch', 'spinbutton'] as const) {
    for (const element of screen.queryAllByRole(role)) expect(element).toHaveAccessibleName();
  }
});
