import type { Point, Positions } from './layered-layout.ts';
import { cardHeight, cardWidth } from './place-steps.ts';

/** A straight piece of a wire that passes other cards: at one height from left to right (or back). */
export interface Lane {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

/** How a wire goes around the cards between its ends. */
export interface LinkRoute {
  /** Where it leaves and arrives; a wire whose ends are elsewhere (a card is being dragged) goes straight meanwhile. */
  readonly start: Point;
  readonly end: Point;
  readonly lanes: readonly Lane[];
}

interface Box {
  readonly id: string;
  readonly left: number;
  readonly top: number;
}

/** Between a passing wire and a card. */
const clearance = 16;
/** A wire that touches no card may come as near as this. */
const nearest = 4;
const samples = 24;

/**
 * The wires that would run behind a card on their way, and those that lead back to the left, each with a way around:
 * over or under what is between, whichever is nearer. All others are left out; they go straight. Ids are of links.
 */
export function routeLinks(
  links: readonly { readonly id: string; readonly from: string; readonly to: string }[],
  placed: Positions,
): Map<string, LinkRoute> {
  const boxes = Object.entries(placed)
    .map(([id, { x, y }]): Box => ({ id, left: x, top: y }))
    .sort((a, b) => a.left - b.left);
  const routes = new Map<string, LinkRoute>();
  for (const { id, from, to } of links) {
    const [source, target] = [placed[from], placed[to]];
    if (source === undefined || target === undefined) continue;
    const start = { x: source.x + cardWidth, y: source.y + cardHeight / 2 };
    const end = { x: target.x, y: target.y + cardHeight / 2 };
    const lanes = end.x < start.x ? laneBack(start, end, boxes) : lanesForth(start, end, boxes, from, to);
    if (lanes.length > 0) routes.set(id, { start, end, lanes });
  }
  return routes;
}

function laneBack(start: Point, end: Point, boxes: readonly Box[]): Lane[] {
  const between = inRange(boxes, end.x - cardWidth / 2, start.x + cardWidth / 2);
  return [{ from: start.x, to: end.x, y: freeHeight((start.y + end.y) / 2, between) }];
}

function lanesForth(start: Point, end: Point, boxes: readonly Box[], from: string, to: string): Lane[] {
  const between = inRange(boxes, start.x, end.x).filter((box) => box.id !== from && box.id !== to);
  const natural = between.length === 0 ? [] : straightWay(start, end);
  if (!between.some((box) => touches(natural, box))) return [];
  const lanes: Lane[] = [];
  for (const column of columnsOf(between)) {
    const [left, right] = [
      Math.max(start.x, Math.min(...column.map((box) => box.left))),
      Math.min(end.x, Math.max(...column.map((box) => box.left)) + cardWidth),
    ];
    const y = freeHeight(heightAt(natural, (left + right) / 2), column);
    const last = lanes.at(-1);
    // Two columns passed at one height are one straight piece.
    if (last !== undefined && last.y === y) lanes[lanes.length - 1] = { from: last.from, to: right, y };
    else lanes.push({ from: left, to: right, y });
  }
  return lanes;
}

/** Boxes that reach into a stretch from left to right. */
function inRange(boxes: readonly Box[], left: number, right: number): Box[] {
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle]!.left <= left - cardWidth) low = middle + 1;
    else high = middle;
  }
  const found: Box[] = [];
  for (let at = low; at < boxes.length && boxes[at]!.left < right; at++) found.push(boxes[at]!);
  return found;
}

/** The curve that a wire without obstacles is drawn as. */
function straightWay(start: Point, end: Point): Point[] {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  return Array.from({ length: samples + 1 }, (_, index) => {
    const t = index / samples;
    return {
      x: start.x + dx * (1.5 * t - 1.5 * t * t + t * t * t),
      y: start.y + dy * (3 * t * t - 2 * t * t * t),
    };
  });
}

function touches(way: readonly Point[], box: Box): boolean {
  const [top, bottom] = [box.top - nearest, box.top + cardHeight + nearest];
  for (let at = 1; at < way.length; at++) {
    const [a, b] = [way[at - 1]!, way[at]!];
    if (b.x <= box.left || a.x >= box.left + cardWidth) continue;
    if (Math.max(a.y, b.y) > top && Math.min(a.y, b.y) < bottom) return true;
  }
  return false;
}

function heightAt(way: readonly Point[], x: number): number {
  const at = way.findIndex((point) => point.x >= x);
  if (at <= 0) return way[Math.max(0, at)]!.y;
  const [a, b] = [way[at - 1]!, way[at]!];
  return a.y + ((b.y - a.y) * (x - a.x)) / Math.max(1, b.x - a.x);
}

/** Boxes that overlap from left to right, together: a wire passes them at one height. */
function columnsOf(boxes: readonly Box[]): Box[][] {
  const columns: Box[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const box of boxes) {
    if (box.left < right) columns.at(-1)!.push(box);
    else columns.push([box]);
    right = Math.max(right, box.left + cardWidth);
  }
  return columns;
}

/** The height nearest to the wish at which a wire passes all boxes with the clearance. */
function freeHeight(wish: number, boxes: readonly Box[]): number {
  const taken = boxes
    .map((box) => [box.top - clearance, box.top + cardHeight + clearance] as const)
    .sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [top, bottom] of taken) {
    const last = merged.at(-1);
    if (last !== undefined && top < last[1]) last[1] = Math.max(last[1], bottom);
    else merged.push([top, bottom]);
  }
  const inside = merged.find(([top, bottom]) => top < wish && wish < bottom);
  if (inside === undefined) return wish;
  return wish - inside[0] <= inside[1] - wish ? inside[0] : inside[1];
}
