import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apart, timeScale } from './time-scale.ts';

const spans = fc.array(
  fc.tuple(fc.nat(100_000), fc.nat(20_000)).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 8 },
);

describe('the time scale of a run', () => {
  it('keeps the order of moments and stays between its ends', () => {
    fc.assert(
      fc.property(spans, fc.nat(200_000), fc.nat(200_000), (busy, one, other) => {
        const { place } = timeScale(0, 150_000, busy);
        const [early, late] = one < other ? [one, other] : [other, one];
        expect(place(early)).toBeGreaterThanOrEqual(0);
        expect(place(late)).toBeLessThanOrEqual(1 + 1e-9);
        expect(place(early)).toBeLessThanOrEqual(place(late) + 1e-9);
      }),
    );
  });

  it('is to scale where something always runs', () => {
    const { place, squeezed } = timeScale(1000, 11_000, [{ from: 1000, to: 11_000 }]);
    expect(place(1000)).toBe(0);
    expect(place(6000)).toBeCloseTo(0.5);
    expect(place(11_000)).toBe(1);
    expect(squeezed).toEqual([]);
  });

  it('squeezes a night in which nothing ran and says how long it was', () => {
    const night = 10 * 3600 * 1000;
    const { place, squeezed } = timeScale(0, night + 2000, [
      { from: 0, to: 1000 },
      { from: night + 1000, to: night + 2000 },
    ]);
    expect(squeezed).toHaveLength(1);
    expect(squeezed[0]?.ms).toBe(night);
    expect(place(1000)).toBeGreaterThan(0.4);
    expect(place(night + 1000)).toBeLessThan(0.6);
  });

  it('has between one and eight ticks, none in squeezed time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 * 86_400_000 }), (length) => {
        const { ticks } = timeScale(0, length, [{ from: 0, to: length }]);
        expect(ticks.length).toBeGreaterThanOrEqual(1);
        expect(ticks.length).toBeLessThanOrEqual(8);
      }),
    );
  });

  it('does not fail on a run without any length', () => {
    const { place } = timeScale(5, 5, []);
    expect(place(5)).toBe(0);
  });

  it('shows only ticks whose labels do not meet', () => {
    const ticks = [0, 0.1, 0.25, 0.3, 0.6].map((at) => ({ at, ms: at * 1000 }));
    expect(apart(ticks, 0.2).map(({ at }) => at)).toEqual([0, 0.25, 0.6]);
    expect(apart(ticks, 0)).toEqual(ticks);
  });
});
