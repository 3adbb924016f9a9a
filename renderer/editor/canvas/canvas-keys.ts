import { createContext, type KeyboardEvent, use, useCallback, useEffect } from 'react';
import { type Command, matchesKeys } from '../../stores/commands.ts';
import { currentSettings } from '../../stores/settings-store.ts';
import type { Point, Positions } from '../layout/layered-layout.ts';
import { gridSize } from '../layout/place-steps.ts';
import { useEditorStore } from '../state/editor-context.ts';
import type { EditorStore } from '../state/editor-store.ts';

/** The editor's commands at this moment; the canvas carries out those whose keys hold only while it has the focus. */
export const LocalCommandsContext = createContext<() => readonly Command[]>(() => []);

type Direction = 'left' | 'right' | 'up' | 'down';
const directions: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/**
 * The keys of the canvas. Keys pressed in a field or a button inside of it are left alone; keys pressed while nothing
 * has the focus (its owner went away) are the canvas's too.
 */
export function useCanvasKeys(surface: { readonly current: HTMLElement | null }) {
  const store = useEditorStore();
  const commands = use(LocalCommandsContext);
  const perform = useCallback(
    (event: Pressed) => {
      const command = commands().find(
        (candidate) =>
          candidate.local === true &&
          candidate.enabled &&
          candidate.keys?.some(
            (keys) => matchesKeys(event, keys) && (keys.length > 1 || currentSettings().single_key_shortcuts),
          ),
      );
      if (command !== undefined) {
        event.preventDefault();
        command.run();
        return;
      }
      onStepKey(event, store);
    },
    [store, commands],
  );
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.target !== document.body || event.isComposing || event.defaultPrevented) return;
      if (document.querySelector('[role="dialog"], [role="menu"]') === null) perform(event);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [perform]);
  return useCallback(
    (event: KeyboardEvent) => {
      if (event.nativeEvent.isComposing || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target === surface.current || target.dataset['stepId'] !== undefined) perform(event);
    },
    [perform, surface],
  );
}

type Pressed = Pick<
  globalThis.KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'preventDefault'
>;

function onStepKey(event: Pressed, store: EditorStore): void {
  const { current, placed, selection, select } = store.getState();
  const direction = directions[event.key];
  if (direction !== undefined) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      if (!event.altKey) moveSelected(store, direction, event.shiftKey ? gridSize * 8 : gridSize * 2);
      return;
    }
    const next = current === null ? null : neighbour(current, direction, placed, store);
    if (next === null) return;
    if (event.shiftKey) select([...selection, next], { focus: true });
    else select([next], { focus: true });
    return;
  }
  if (current === null) return;
  if (event.key === 'Home' || event.key === 'End') {
    event.preventDefault();
    const { ids } = store.getState().view;
    const id = event.key === 'Home' ? ids[0] : ids.at(-1);
    if (id !== undefined) select([id], { focus: true });
  } else if (event.key === ' ') {
    event.preventDefault();
    const next = new Set(selection);
    if (next.has(current)) next.delete(current);
    else next.add(current);
    select(next);
    store.getState().setCurrent(current);
  }
}

function moveSelected(store: EditorStore, direction: Direction, distance: number): void {
  const { selection, current, placed, moveSteps } = store.getState();
  const ids = selection.size > 0 ? [...selection] : current === null ? [] : [current];
  if (ids.length === 0) return;
  const by = vector(direction, distance);
  const moved: Record<string, Point> = {};
  for (const id of ids) {
    const place = placed[id];
    if (place !== undefined) moved[id] = { x: place.x + by.x, y: place.y + by.y };
  }
  moveSteps(moved);
}

function vector(direction: Direction, distance: number): Point {
  if (direction === 'left' || direction === 'right') return { x: direction === 'left' ? -distance : distance, y: 0 };
  return { x: 0, y: direction === 'up' ? -distance : distance };
}

/**
 * The step that an arrow key leads to: along a wire when one leads that way, else the nearest card in that direction;
 * what is off the axis counts three times.
 */
export function neighbour(
  from: string,
  direction: Direction,
  placed: Positions,
  store: Pick<EditorStore, 'getState'>,
): string | null {
  const origin = placed[from];
  if (origin === undefined) return null;
  const { links } = store.getState().view;
  const joined = new Set(
    direction === 'right'
      ? links.filter((link) => link.from === from).map((link) => link.to)
      : direction === 'left'
        ? links.filter((link) => link.to === from).map((link) => link.from)
        : [],
  );
  let best: { id: string; cost: number } | null = null;
  for (const [id, place] of Object.entries(placed)) {
    if (id === from) continue;
    const dx = place.x - origin.x;
    const dy = place.y - origin.y;
    const along = direction === 'right' ? dx : direction === 'left' ? -dx : direction === 'down' ? dy : -dy;
    const across = Math.abs(direction === 'left' || direction === 'right' ? dy : dx);
    if (along <= 4 && !joined.has(id)) continue;
    const cost = Math.abs(along) + across * 3 - (joined.has(id) ? 1_000_000 : 0);
    if (best === null || cost < best.cost) best = { id, cost };
  }
  return best?.id ?? null;
}
