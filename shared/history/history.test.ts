import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistory, type History, historyLimit, push, redo, redoLabel, undo, undoLabel } from './history.ts';

describe('history', () => {
  it('brings back what was there, labelled both ways', () => {
    const edited = push(push(createHistory('a'), 'b', 'to b'), 'c', 'to c');
    expect(undoLabel(edited)).toBe('to c');
    const back = undo(edited);
    expect([back.present, undoLabel(back), redoLabel(back)]).toEqual(['b', 'to b', 'to c']);
    expect(redo(back).present).toBe('c');
  });

  it('forgets what could be redone as soon as something new is done', () => {
    const branched = push(undo(push(createHistory(1), 2, 'two')), 3, 'three');
    expect(redoLabel(branched)).toBeNull();
    expect(redo(branched)).toBe(branched);
  });

  it('makes one entry of one gesture', () => {
    let history = push(createHistory(0), 1, 'move', 'drag-1');
    history = push(history, 2, 'move', 'drag-1');
    history = push(history, 3, 'move', 'drag-2');
    expect(history.past.map((entry) => entry.value)).toEqual([0, 2]);
    expect(undo(undo(history)).present).toBe(0);
  });

  it('does not let a gesture grow after it was undone', () => {
    const undone = undo(push(push(createHistory(0), 1, 'x'), 2, 'move', 'drag'));
    expect(undo(push(undone, 5, 'move', 'drag')).present).toBe(1);
  });

  it('adds nothing when nothing changed', () => {
    const history = push(createHistory('a'), 'b', 'to b');
    expect(push(history, 'b', 'again')).toBe(history);
    expect(undo(createHistory('a')).present).toBe('a');
  });

  it('keeps the newest thousand entries', () => {
    let history = createHistory(0);
    for (let value = 1; value <= historyLimit + 5; value += 1) history = push(history, value, `${value}`);
    expect(history.past).toHaveLength(historyLimit);
    while (undoLabel(history) !== null) history = undo(history);
    expect(history.present).toBe(5);
  });

  it('behaves as a list of values with a finger on one of them', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('push' as const),
        group: fc.option(fc.constantFrom('g', 'h'), { nil: undefined }),
      }),
      fc.record({ kind: fc.constant('undo' as const) }),
      fc.record({ kind: fc.constant('redo' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let history: History<number> = createHistory(0);
        let values = [0];
        let finger = 0;
        let group: string | undefined;
        steps.forEach((action, at) => {
          if (action.kind === 'push') {
            if (action.group === undefined || action.group !== group) finger += 1;
            values = [...values.slice(0, finger), at + 1];
            group = action.group;
            history = push(history, at + 1, 'l', action.group);
          } else {
            const moved = Math.min(values.length - 1, Math.max(0, finger + (action.kind === 'undo' ? -1 : 1)));
            if (moved !== finger) group = undefined;
            finger = moved;
            history = action.kind === 'undo' ? undo(history) : redo(history);
          }
          expect(history.present).toBe(values[finger]);
          expect(history.past.length).toBe(finger);
          expect(history.future.length).toBe(values.length - 1 - finger);
        });
      }),
      { numRuns: 300 },
    );
  });
});
