import { describe, expect, test } from 'vitest';
import type { Chain } from '../../../shared/chain/chain.ts';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { chainText, row } from '../test/fixture.tsx';
import {
  cardHeight,
  cardWidth,
  freePlace,
  openedOn,
  placeSteps,
  snapToGrid,
  tidyAll,
  tidySome,
} from './place-steps.ts';

const chainOf = (steps: Parameters<typeof chainText>[0]): Chain => parseChainFile(chainText(steps)).chain;
const chain = chainOf(row(4));
const ids = chain.steps.map((step) => step.id);

function touching(placed: Record<string, { x: number; y: number }>): number {
  const points = Object.values(placed);
  return points.filter((one, at) =>
    points.some(
      (two, other) => other > at && Math.abs(one.x - two.x) < cardWidth && Math.abs(one.y - two.y) < cardHeight,
    ),
  ).length;
}

describe('where steps stand', () => {
  test('is by waves as long as nobody placed one', () => {
    expect(placeSteps(chain, {})).toEqual(tidyAll(chain));
  });

  test('is where a person put them; the others stand behind what they wait for, on no card', () => {
    const placed = placeSteps(chain, { [ids[0]!]: { x: 100, y: 40 }, [ids[2]!]: { x: 404, y: 40 } });
    expect(placed[ids[0]!]).toEqual({ x: 100, y: 40 });
    expect(placed[ids[2]!]).toEqual({ x: 404, y: 40 });
    expect(placed[ids[1]!]!.x).toBeGreaterThan(placed[ids[0]!]!.x);
    expect(touching(placed)).toBe(0);
  });

  test('is before what waits for it for a step that waits for none', () => {
    const [a, b] = chainOf(row(2)).steps;
    const placed = placeSteps({ ...chain, steps: [a!, b!] }, { [b!.id]: { x: 500, y: 60 } });
    expect(placed[a!.id]!.x).toBeLessThan(500);
  });

  test('is below all others for a step that is linked to none', () => {
    const alone = chainOf([...row(2), { step_name: 'Alone' }]);
    const [a, , c] = alone.steps;
    const placed = placeSteps(alone, { [a!.id]: { x: 0, y: 0 } });
    expect(placed[c!.id]!.y).toBeGreaterThan(Math.max(placed[a!.id]!.y, placed[alone.steps[1]!.id]!.y));
  });
});

test('tidying some steps puts them where their corner was and leaves the others', () => {
  const placed = { [ids[0]!]: { x: 900, y: 900 }, [ids[1]!]: { x: 1000, y: 950 }, [ids[2]!]: { x: 5, y: 5 } };
  const tidy = tidySome(chain, new Set([ids[0]!, ids[1]!]), placed);
  expect(Object.keys(tidy).toSorted()).toEqual([ids[0], ids[1]].toSorted());
  expect(tidy[ids[0]!]).toEqual({ x: 900, y: 900 });
  expect(tidy[ids[1]!]!.x).toBeGreaterThanOrEqual(900 + cardWidth);
});

test('a place that is taken leads to the nearest free one below', () => {
  const taken = [{ x: 0, y: 0 }];
  expect(freePlace({ x: 10, y: 10 }, taken).y).toBeGreaterThanOrEqual(cardHeight);
  expect(freePlace({ x: 600, y: 10 }, taken)).toEqual({ x: 600, y: 10 });
});

test('a place is brought to the grid', () => {
  expect(snapToGrid({ x: 13, y: -3 })).toEqual({ x: 16, y: 0 });
});

describe('a chain is opened on', () => {
  const size = { width: 840, height: 700 };

  test('all of it when that can be read', () => {
    expect(openedOn(ids, placeSteps(chain, {}), size)).toEqual(ids);
    expect(openedOn([], {}, size)).toEqual([]);
  });

  test('its beginning when it is too long, and that fits', () => {
    const long = chainOf(row(60));
    const all = long.steps.map((step) => step.id);
    const shown = openedOn(all, placeSteps(long, {}), size);
    expect(shown).toEqual(all.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.length).toBeLessThan(8);
  });

  test('at least one step, however small the window', () => {
    const long = chainOf(row(60));
    expect(
      openedOn(
        long.steps.map((step) => step.id),
        placeSteps(long, {}),
        { width: 1, height: 1 },
      ),
    ).toHaveLength(1);
  });
});
