import type { Point } from '../layout/layered-layout.ts';
import type { Lane, LinkRoute } from '../layout/route-links.ts';

export interface LinkPath {
  /** For the `d` of an SVG path. */
  readonly path: string;
  /** Where words and buttons of the wire stand. */
  readonly middle: Point;
}

/** How far a wire that leads back swings out at its ends. */
const swing = 56;

/** The path of a wire along its route; null when its ends are not where the route was made for. */
export function routedPath(start: Point, end: Point, route: LinkRoute | undefined): LinkPath | null {
  if (route === undefined || !same(start, route.start) || !same(end, route.end)) return null;
  const { lanes } = route;
  const back = end.x < start.x;
  const parts = [`M${start.x},${start.y}`];
  let at = start;
  for (const lane of lanes) {
    parts.push(curve(at, { x: lane.from, y: lane.y }, back ? 'out' : 'forth'), `L${lane.to},${lane.y}`);
    at = { x: lane.to, y: lane.y };
  }
  parts.push(curve(at, end, back ? 'in' : 'forth'));
  return { path: parts.join(' '), middle: middleOf(lanes) };
}

function curve(from: Point, to: Point, how: 'forth' | 'out' | 'in'): string {
  const middle = (from.x + to.x) / 2;
  const x = how === 'forth' ? middle : how === 'out' ? Math.max(from.x, to.x) + swing : Math.min(from.x, to.x) - swing;
  return `C${x},${from.y} ${x},${to.y} ${to.x},${to.y}`;
}

function middleOf(lanes: readonly Lane[]): Point {
  const lane = lanes[Math.floor((lanes.length - 1) / 2)]!;
  return { x: (lane.from + lane.to) / 2, y: lane.y };
}

function same(a: Point, b: Point): boolean {
  return Math.abs(a.x - b.x) < handleReach && Math.abs(a.y - b.y) < 1;
}

/** The drawn end is at the rim of the dot, half of it outside of the card. */
const handleReach = 8;
