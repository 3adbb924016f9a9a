import { act, createEvent, fireEvent } from '@testing-library/react';
import { memo, type ReactElement } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { show } from '../../test/render.tsx';
import { FieldText } from '../inspector/field-text.tsx';
import type { EditorStore } from '../state/editor-store.ts';
import { patchStep } from '../state/step-edits.ts';
import { idOf, inEditor, linksOf, openStore, row } from '../test/fixture.tsx';
import { ChainCanvas } from './chain-canvas.tsx';

/** How often each card and each wire was drawn since `drawn.clear()`. */
const drawn = vi.hoisted(() => new Map<string, number>());
const note = vi.hoisted(() => (what: string) => drawn.set(what, (drawn.get(what) ?? 0) + 1));

// A card asks for the state of its step once each time it is drawn.
vi.mock('../../stores/run-store.ts', async (original) => {
  const real = await original<typeof import('../../stores/run-store.ts')>();
  return {
    ...real,
    useStepState: (runId: string | null, id: string) => {
      note(id);
      return real.useStepState(runId, id);
    },
  };
});
// Memoised as the real one is, so it is drawn as often.
vi.mock('./link-edge.tsx', () => ({
  LinkEdge: memo(({ id }: { id: string }) => {
    note(id);
    return null;
  }),
}));

/** So large that every card is in sight, whatever the size from which on those outside are not drawn. */
const endless = 1_000_000;
const steps = 300;

beforeEach(() => {
  for (const side of ['offsetWidth', 'offsetHeight'] as const) {
    vi.spyOn(HTMLElement.prototype, side, 'get').mockReturnValue(endless);
  }
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, endless, endless));
});

function openCanvas(store: EditorStore = openStore(row(steps)), beside: ReactElement | null = null): EditorStore {
  show(
    inEditor(
      store,
      <>
        <ChainCanvas viewport={{ x: 0, y: 0, zoom: 1 }} onViewport={() => undefined} />
        {beside}
      </>,
    ),
  );
  return store;
}

function cardOf(id: string): HTMLElement {
  return document.querySelector<HTMLElement>(`[data-step-id="${id}"]`)!;
}

/** A mouse event of a real window; the simulated one lacks its `view`, on which a drag is heard further. */
function mouse(kind: 'mouseDown' | 'mouseMove' | 'mouseUp', on: Element | Document, x: number): void {
  const event = createEvent[kind](on, { button: 0, clientX: x, clientY: 40 });
  Object.defineProperty(event, 'view', { value: window });
  fireEvent(on, event);
}

describe(`in a chain of ${steps} steps`, () => {
  test('every card is drawn once at the start', () => {
    drawn.clear();
    const store = openCanvas();
    const cards = store.getState().view.ids.map((id) => drawn.get(id));
    expect(cards).toHaveLength(steps);
    expect(new Set(cards)).toEqual(new Set([1]));
  });

  test('each move of a dragged card draws its two wires and nothing else, not even the card', () => {
    const store = openCanvas();
    const id = idOf(store, 'Step 150');
    const wires = store.getState().view.links.filter((link) => link.from === id || link.to === id);
    const placed = store.getState().placed[id]!;
    mouse('mouseDown', cardOf(id), 40);
    mouse('mouseMove', document, 80);
    drawn.clear();
    const moves = 5;
    for (let move = 1; move <= moves; move++) mouse('mouseMove', document, 80 + move * 16);
    expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(wires.map((wire) => [wire.id, moves])));
    expect(wires).toHaveLength(2);
    mouse('mouseUp', document, 80 + moves * 16);
    expect(store.getState().doc.positions[id]).toEqual({ x: placed.x + moves * 16, y: placed.y });
    expect(store.getState().history.past).toHaveLength(1);
  });

  test('an edit of one step draws its card only, a new link only that wire and the cards at its ends', () => {
    const store = openCanvas();
    const [id, far] = [idOf(store, 'Step 7'), idOf(store, 'Step 200')];
    drawn.clear();
    act(() => void store.getState().edit(patchStep(id, { step_name: 'Other' })));
    expect(Object.fromEntries(drawn)).toEqual({ [id]: 1 });
    drawn.clear();
    act(() => void store.getState().edit(patchStep(id, { notes: 'nowhere on the card' })));
    expect([...drawn]).toEqual([]);
    // Where a person placed the cards, a link moves none.
    act(() => store.getState().moveSteps({ [id]: { x: 0, y: 400 } }));
    drawn.clear();
    act(() => void store.getState().edit({ kind: 'connect', from: id, to: far }));
    expect(Object.fromEntries(drawn)).toEqual({ [id]: 1, [far]: 1, [`${id}->${far}`]: 1 });
    expect(linksOf(store)).toContain('Other -> Step 200');
  });

  test('choosing another step draws the two cards that look different', () => {
    const store = openCanvas();
    const [one, two] = [idOf(store, 'Step 10'), idOf(store, 'Step 20')];
    act(() => store.getState().select([one]));
    drawn.clear();
    act(() => store.getState().select([two]));
    expect([...drawn.keys()].toSorted()).toEqual([one, two].toSorted());
  });

  test('typing in the inspector draws no card but the one that is typed at', () => {
    const store = openStore(row(steps));
    const id = idOf(store, 'Step 42');
    store.getState().select([id]);
    openCanvas(store, <FieldText id={id} field="step_name" />);
    drawn.clear();
    const name = document.querySelector('input[data-field="step_name"]')!;
    for (const text of ['Step 42!', 'Step 42!!', 'Step 42!!!']) {
      fireEvent.change(name, { target: { value: text } });
    }
    expect(store.getState().view.cards.get(id)?.name).toBe('Step 42!!!');
    expect([...drawn.keys()]).toEqual([id]);
    expect(drawn.get(id)).toBe(3);
  });
});
