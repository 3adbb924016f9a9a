import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from '../services/files/write-file-atomic.ts';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WindowState = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() }),
  maximized: z.boolean().default(false),
});
export type WindowState = z.infer<typeof WindowState>;

const smallest = { width: 640, height: 480 };
const usual = { width: 1440, height: 900 };

/** The state of the last window; null when there is none or it can not be understood. */
export function loadWindowState(file: string): WindowState | null {
  try {
    return WindowState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Keeps the state for the next start. Errors: FILE_UNWRITABLE, FILE_LOCKED. */
export function saveWindowState(file: string, state: WindowState): Promise<void> {
  return writeFileAtomic(file, `${JSON.stringify(state)}\n`);
}

/**
 * Where the window is put: as it was, if a person can still reach it there (a display may be gone), else in the middle
 * of the first display. `workAreas` are the displays without the system's bars, the main one first.
 */
export function placeWindow(
  state: WindowState | null,
  workAreas: readonly Rectangle[],
): Partial<Rectangle> & typeof usual {
  const [first] = workAreas;
  if (first === undefined) return usual;
  const area = state === null ? undefined : workAreas.find((one) => isReachable(state.bounds, one));
  if (state === null || area === undefined) {
    return { width: Math.min(usual.width, first.width), height: Math.min(usual.height, first.height) };
  }
  const width = clamp(state.bounds.width, smallest.width, area.width);
  const height = clamp(state.bounds.height, smallest.height, area.height);
  return {
    width,
    height,
    x: clamp(state.bounds.x, area.x, area.x + area.width - width),
    y: clamp(state.bounds.y, area.y, area.y + area.height - height),
  };
}

/** Whether enough of the window's upper edge is inside to take hold of it. */
function isReachable(bounds: Rectangle, area: Rectangle): boolean {
  const visible = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x);
  return visible >= Math.min(200, bounds.width) && bounds.y >= area.y - 20 && bounds.y <= area.y + area.height - 60;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, Math.max(low, high)));
}
