import type { Chain } from '../../../shared/chain/chain.ts';
import { type LayoutMetrics, layeredLayout, type Point, type Positions } from './layered-layout.ts';

/** One card size for every state and zoom, so that a layout never moves by itself. */
export const cardWidth = 232;
export const cardHeight = 92;
export const gridSize = 8;

export const layoutMetrics: LayoutMetrics = { width: cardWidth, height: cardHeight, columnGap: 72, rowGap: 36 };

/**
 * Where every step stands. Without any position set by a person the whole chain is laid out by its waves; otherwise
 * what a person set stays, and a step without a position is put beside what it depends on, where nothing is.
 */
export function placeSteps(chain: Chain, set: Positions): Record<string, Point> {
  const known = chain.steps.filter((step) => set[step.id] !== undefined);
  if (known.length === 0) return tidyAll(chain);
  const placed: Record<string, Point> = {};
  for (const step of known) placed[step.id] = set[step.id]!;
  const taken = Object.values(placed);
  for (const step of chain.steps) {
    if (placed[step.id] !== undefined) continue;
    const place = freePlace(besides(step.depends_on, step.id, chain, placed), taken);
    placed[step.id] = place;
    taken.push(place);
  }
  return placed;
}

/** The layout by waves, whatever was set. */
export function tidyAll(chain: Chain): Record<string, Point> {
  const byId = new Map(chain.steps.map((step) => [step.id, step]));
  return layeredLayout(
    { ids: chain.steps.map((step) => step.id), dependsOn: (id) => byId.get(id)?.depends_on ?? [] },
    layoutMetrics,
  );
}

/** The layout by waves of some steps only, put where their upper left corner was. */
export function tidySome(chain: Chain, ids: ReadonlySet<string>, placed: Positions): Record<string, Point> {
  const some = { ...chain, steps: chain.steps.filter((step) => ids.has(step.id)) };
  const tidy = tidyAll(some);
  const corner = cornerOf(some.steps.map((step) => placed[step.id]).filter((point) => point !== undefined));
  const tidyCorner = cornerOf(Object.values(tidy));
  return Object.fromEntries(
    Object.entries(tidy).map(([id, point]) => [
      id,
      { x: point.x - tidyCorner.x + corner.x, y: point.y - tidyCorner.y + corner.y },
    ]),
  );
}

export function snapToGrid(point: Point): Point {
  // Without the sum a small negative number would become -0, which no file keeps.
  return { x: Math.round(point.x / gridSize) * gridSize + 0, y: Math.round(point.y / gridSize) * gridSize + 0 };
}

/** The nearest place at or below `wish` where a card covers none of the taken ones. */
export function freePlace(wish: Point, taken: readonly Point[]): Point {
  const rowStep = cardHeight + layoutMetrics.rowGap;
  let place = wish;
  while (taken.some((other) => overlaps(place, other))) place = { x: place.x, y: place.y + rowStep };
  return place;
}

function overlaps(a: Point, b: Point): boolean {
  return Math.abs(a.x - b.x) < cardWidth + 8 && Math.abs(a.y - b.y) < cardHeight + 8;
}

function besides(dependsOn: readonly string[], id: string, chain: Chain, placed: Positions): Point {
  const columnStep = cardWidth + layoutMetrics.columnGap;
  const before = dependsOn.map((dependency) => placed[dependency]).filter((point) => point !== undefined);
  if (before.length > 0) {
    return {
      x: Math.max(...before.map((point) => point.x)) + columnStep,
      y: Math.round(before.reduce((sum, point) => sum + point.y, 0) / before.length),
    };
  }
  const after = chain.steps
    .filter((step) => step.depends_on.includes(id))
    .map((step) => placed[step.id])
    .filter((point) => point !== undefined);
  if (after.length > 0) return { x: Math.min(...after.map((point) => point.x)) - columnStep, y: after[0]!.y };
  const all = Object.values(placed);
  return {
    x: Math.min(...all.map((point) => point.x)),
    y: Math.max(...all.map((point) => point.y)) + cardHeight + layoutMetrics.rowGap,
  };
}

/** Smaller than this, cards are a pattern; a chain that would be is opened at its beginning. */
const leastZoom = 0.4;
const beginningZoom = 0.6;

/**
 * The steps that a chain is opened on in a window of about this size (pixels): all of them, or of a chain that is too
 * large to be read as a whole those around its first one.
 */
export function openedOn(
  ids: readonly string[],
  placed: Positions,
  size: { readonly width: number; readonly height: number },
): readonly string[] {
  const points = ids.map((id) => placed[id]).filter((point) => point !== undefined);
  if (points.length === 0) return ids;
  const corner = cornerOf(points);
  const width = Math.max(...points.map((point) => point.x)) + cardWidth - corner.x;
  const height = Math.max(...points.map((point) => point.y)) + cardHeight - corner.y;
  if (width * leastZoom <= size.width && height * leastZoom <= size.height) return ids;
  const first = points.reduce((best, point) => (point.x < best.x ? point : best));
  return ids.filter((id) => {
    const point = placed[id];
    return (
      point !== undefined &&
      (point.x + cardWidth - first.x) * beginningZoom <= Math.max(size.width, cardWidth) &&
      (Math.abs(point.y - first.y) * 2 + cardHeight) * beginningZoom <= Math.max(size.height, cardHeight)
    );
  });
}

function cornerOf(points: readonly Point[]): Point {
  if (points.length === 0) return { x: 0, y: 0 };
  return { x: Math.min(...points.map((point) => point.x)), y: Math.min(...points.map((point) => point.y)) };
}
