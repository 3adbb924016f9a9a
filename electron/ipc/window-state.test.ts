import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../services/files/test-folder.ts';
import { loadWindowState, placeWindow, saveWindowState } from './window-state.ts';

const folder = testFolder('window-state');
const left = { x: 0, y: 0, width: 1920, height: 1040 };
const right = { x: 1920, y: 0, width: 1280, height: 720 };
const at = (x: number, y: number, width = 800, height = 600) => ({ bounds: { x, y, width, height }, maximized: false });

describe('the window', () => {
  it('is where it was when that can be reached', () => {
    expect(placeWindow(at(100, 50), [left, right])).toEqual({ x: 100, y: 50, width: 800, height: 600 });
    expect(placeWindow(at(2000, 10), [left, right])).toEqual({ x: 2000, y: 10, width: 800, height: 600 });
  });

  it('is on a display that exists when its own is gone', () => {
    expect(placeWindow(at(2000, 10), [left])).toEqual({ width: 1440, height: 900 });
    expect(placeWindow(at(100, 5000), [left])).toEqual({ width: 1440, height: 900 });
    expect(placeWindow(at(-750, 10), [left])).toEqual({ width: 1440, height: 900 });
    expect(placeWindow(null, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({ width: 1024, height: 700 });
    expect(placeWindow(at(1, 1), [])).toEqual({ width: 1440, height: 900 });
  });

  it('is always whole on one display, and never larger than it', () => {
    const number = (min: number, max: number) => fc.integer({ min, max });
    const area = fc.record({
      x: number(-4000, 4000),
      y: number(-3000, 3000),
      width: number(640, 5000),
      height: number(480, 3000),
    });
    const bounds = fc.record({
      x: number(-9000, 9000),
      y: number(-9000, 9000),
      width: number(1, 9000),
      height: number(1, 9000),
    });
    fc.assert(
      fc.property(bounds, fc.array(area, { minLength: 1, maxLength: 3 }), (kept, areas) => {
        const placed = placeWindow({ bounds: kept, maximized: false }, areas);
        const fits = areas.some((one) => placed.width <= one.width && placed.height <= one.height);
        const { x, y } = placed;
        const inside =
          x === undefined || y === undefined
            ? x === y
            : areas.some(
                (one) =>
                  x >= one.x &&
                  y >= one.y &&
                  x + placed.width <= one.x + one.width &&
                  y + placed.height <= one.y + one.height,
              );
        return fits && inside;
      }),
    );
  });
});

describe('the state of the window', () => {
  it('is kept whole, without a half file beside it', async () => {
    const file = join(folder, 'state.json');
    const state = { bounds: { x: -5, y: 7, width: 900, height: 700 }, maximized: true };
    await saveWindowState(file, state);
    expect(loadWindowState(file)).toEqual(state);
    expect(readFileSync(file, 'utf8')).toMatch(/}\n$/);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"bounds": {}}',
    '{"bounds": {"x": 0.5, "y": 0, "width": 10, "height": 10}}',
    '{"bounds": {"x": 0, "y": 0, "width": -1, "height": 10}}',
    '{"bounds": {"x": "0", "y": 0, "width": 10, "height": 10}}',
  ])('is none when the file holds %j', (text) => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, text);
    expect(loadWindowState(file)).toBeNull();
    expect(loadWindowState(join(folder, 'no-such-file'))).toBeNull();
  });
});
