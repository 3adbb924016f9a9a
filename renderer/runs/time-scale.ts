/** A stretch of time, milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stretch in which nothing ran, drawn shorter than it was. `at`, `width`: parts of the whole, 0 to 1. */
export interface Squeezed {
  readonly at: number;
  readonly width: number;
  readonly ms: number;
}

export interface Tick {
  /** Part of the whole, 0 to 1. */
  readonly at: number;
  /** Milliseconds since the start. */
  readonly ms: number;
}

export interface TimeScale {
  /** Where a moment is drawn, 0 to 1. */
  readonly place: (time: number) => number;
  readonly squeezed: readonly Squeezed[];
  readonly ticks: readonly Tick[];
}

/** Idle time is squeezed when it is longer than this and than the share of what ran. */
const shortestIdleMs = 15_000;
const idleShare = 0.5;
const squeezedShare = 0.15;
const wantedTicks = 6;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/**
 * How a run's time is laid out on a line: to scale where something ran, and squeezed where for long nothing did, so
 * that a question answered the next morning leaves the tries before and after it visible.
 */
export function timeScale(start: number, end: number, busy: readonly Span[]): TimeScale {
  const last = Math.max(end, start + 1);
  const runs = merged(busy, start, last);
  const busyMs = runs.reduce((sum, span) => sum + span.to - span.from, 0);
  const limit = Math.max(shortestIdleMs, busyMs * idleShare);
  const shown = Math.max(busyMs * squeezedShare, 1);
  const parts = partsOf(runs, start, last).map((part) => {
    const ms = part.to - part.from;
    const squeeze = part.idle && ms > limit && busyMs > 0;
    return { ...part, ms, squeeze, length: squeeze ? shown : ms };
  });
  const whole = parts.reduce((sum, part) => sum + part.length, 0);
  let at = 0;
  const laid = parts.map((part) => {
    const placed = { ...part, at: at / whole, width: part.length / whole };
    at += part.length;
    return placed;
  });

  const place = (time: number) => {
    const clamped = Math.min(Math.max(time, start), last);
    const part = laid.find((one) => clamped <= one.to) ?? laid.at(-1);
    return part === undefined ? 0 : part.at + ((clamped - part.from) / part.ms) * part.width;
  };
  const squeezed = laid.filter((part) => part.squeeze).map(({ at, width, ms }) => ({ at, width, ms }));
  return { place, squeezed, ticks: ticksOf(start, laid, whole, place) };
}

/** Those of the ticks that are at least `share` of the whole apart, from the first on. */
export function apart(ticks: readonly Tick[], share: number): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) {
    const last = kept.at(-1);
    if (last === undefined || tick.at - last.at >= share) kept.push(tick);
  }
  return kept;
}

interface Part extends Span {
  readonly idle: boolean;
}

function merged(spans: readonly Span[], start: number, end: number): Span[] {
  const sorted = spans
    .map(({ from, to }) => ({ from: Math.max(from, start), to: Math.min(to, end) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const result: { from: number; to: number }[] = [];
  for (const span of sorted) {
    const before = result.at(-1);
    if (before !== undefined && span.from <= before.to) before.to = Math.max(before.to, span.to);
    else result.push({ ...span });
  }
  return result;
}

function partsOf(busy: readonly Span[], start: number, end: number): Part[] {
  const parts: Part[] = [];
  let at = start;
  for (const span of busy) {
    if (span.from > at) parts.push({ from: at, to: span.from, idle: true });
    parts.push({ ...span, idle: false });
    at = span.to;
  }
  if (end > at) parts.push({ from: at, to: end, idle: true });
  return parts;
}

function ticksOf(
  start: number,
  parts: readonly (Part & { squeeze: boolean })[],
  whole: number,
  place: (time: number) => number,
): Tick[] {
  const step = (steps.find((seconds) => whole / (seconds * 1000) <= wantedTicks) ?? 86_400) * 1000;
  const ticks: Tick[] = [];
  for (const part of parts) {
    if (part.squeeze) continue;
    for (let ms = Math.ceil((part.from - start) / step) * step; start + ms < part.to; ms += step) {
      ticks.push({ at: place(start + ms), ms });
    }
  }
  return ticks;
}
