import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Point } from './layered-layout.ts';
import { cardHeight, cardWidth } from './place-steps.ts';
import { type LinkRoute, routeLinks } from './route-links.ts';

const columns = cardWidth + 72;
const at = (column: number, y = 0): Point => ({ x: column * columns, y });
const link = { id: 'l', from: 'a', to: 'z' };

function passes(route: LinkRoute, card: Point): boolean {
  return route.lanes.some(
    ({ from, to, y }) =>
      Math.min(from, to) < card.x + cardWidth &&
      Math.max(from, to) > card.x &&
      y > card.y - 8 &&
      y < card.y + cardHeight + 8,
  );
}

describe('a wire', () => {
  test('to the next column goes straight', () => {
    expect(routeLinks([link], { a: at(0), z: at(1, 300), other: at(1) }).size).toBe(0);
  });

  test('over a free stretch goes straight', () => {
    expect(routeLinks([link], { a: at(0), z: at(3), other: at(1, 400) }).size).toBe(0);
  });

  test('that would run behind a card goes around it, on the nearer side', () => {
    const over = routeLinks([link], { a: at(0), z: at(2), other: at(1, 20) }).get('l')!;
    expect(over.lanes).toHaveLength(1);
    expect(over.lanes[0]!.y).toBeLessThan(20);
    const under = routeLinks([link], { a: at(0), z: at(2), other: at(1, -20) }).get('l')!;
    expect(under.lanes[0]!.y).toBeGreaterThan(-20 + cardHeight);
  });

  test('past two columns at one height is one straight piece', () => {
    const { lanes } = routeLinks([link], { a: at(0), z: at(3), one: at(1, 20), two: at(2, 20) }).get('l')!;
    expect(lanes).toHaveLength(1);
    expect(lanes[0]!.to - lanes[0]!.from).toBeGreaterThan(columns);
  });

  test('that leads back goes around everything between, its own ends too', () => {
    const placed = { a: at(2), z: at(0), other: at(1) };
    const route = routeLinks([link], placed).get('l')!;
    for (const card of Object.values(placed)) expect(passes(route, card)).toBe(false);
  });

  test('to a step that is not there is left out', () => {
    expect(routeLinks([link], { a: at(0) }).size).toBe(0);
  });
});

test('no lane crosses a card, however the cards stand', () => {
  const point = fc.record({ x: fc.integer({ min: 0, max: 2000 }), y: fc.integer({ min: -600, max: 600 }) });
  fc.assert(
    fc.property(point, point, fc.array(point, { maxLength: 12 }), (a, z, others) => {
      const placed = { a, z, ...Object.fromEntries(others.map((other, index) => [`o${index}`, other])) };
      const route = routeLinks([link], placed).get('l');
      if (route === undefined) return;
      for (const card of others) expect(passes(route, card)).toBe(false);
      expect(routeLinks([link], structuredClone(placed)).get('l')).toEqual(route);
    }),
  );
});
