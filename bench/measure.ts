/** Milliseconds of each of `rounds` calls, after one call that warms up; the two halves of a comparison are interleaved. */
export async function interleaved(
  rounds: number,
  parts: Record<string, () => unknown | Promise<unknown>>,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, part] of Object.entries(parts)) {
      // The young objects only: a full collection throws compiled code away, and the next part would pay for that.
      (globalThis as { gc?: (options: object) => void }).gc?.({ type: 'minor' });
      const start = performance.now();
      await part();
      if (round >= 0) {
        times[name] ??= [];
        times[name].push(performance.now() - start);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** The middle of the sorted values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One row of the report: both medians in ms and how many times the floor ours is. */
export function report(what: string, ours: number, floor: number, floorName: string): void {
  console.log(
    `${what.padEnd(44)} ours ${ours.toFixed(1).padStart(8)} ms   ${floorName} ${floor.toFixed(1).padStart(8)} ms   ratio ${(ours / floor).toFixed(2)}`,
  );
}
