/** What one part of a comparison took, in milliseconds: the middle round, and the one that nothing disturbed. */
export interface Taken {
  readonly median: number;
  readonly best: number;
}

/** Times of `rounds` calls of each part, after one call that warms up; the parts of a comparison are interleaved. */
export async function interleaved<Name extends string>(
  rounds: number,
  parts: Record<Name, () => unknown | Promise<unknown>>,
): Promise<Record<Name, Taken>> {
  const times = new Map<Name, number[]>();
  for (let round = -1; round < rounds; round += 1) {
    for (const name of Object.keys(parts) as Name[]) {
      // The young objects only: a full collection throws compiled code away, and the next part would pay for that.
      (globalThis as { gc?: (options: object) => void }).gc?.({ type: 'minor' });
      const start = performance.now();
      await parts[name]();
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  const taken = [...times].map(([name, all]) => [name, { median: median(all), best: Math.min(...all) }]);
  return Object.fromEntries(taken) as Record<Name, Taken>;
}

/** The middle of the sorted values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One row of the report: how many times the floor ours is, in the middle and at best; on a busy machine the latter tells. */
export function report(what: string, ours: Taken, floor: Taken, floorName: string): void {
  const row = [
    what.padEnd(44),
    `ours ${ours.median.toFixed(1).padStart(8)} ms`,
    `${floorName} ${floor.median.toFixed(1).padStart(8)} ms`,
    `ratio ${(ours.median / floor.median).toFixed(2)}`,
    `at best ${(ours.best / floor.best).toFixed(2)}`,
  ];
  console.log(row.join('   '));
}
