import { type Edge, type Node, Position } from '@xyflow/react';
import type { Positions } from '../layout/layered-layout.ts';
import { cardHeight, cardWidth } from '../layout/place-steps.ts';
import type { LinkRoute } from '../layout/route-links.ts';
import type { ChainLink } from '../state/chain-view.ts';

/** A card reads everything from the store by its id, so a node carries no data and keeps its identity. */
export type StepNode = Node<Record<string, never>, 'step'>;
export type LinkEdge = Edge<{ condition: string; route: LinkRoute | undefined }, 'link'>;

const noData: Record<string, never> = {};
/** The place to grab, as wide as in the stylesheet; the dot in its middle is smaller. */
export const handleSize = 22;
export const dotSize = 8;
/** Known sizes and handles: nothing has to be measured, and a card outside the window can still end a wire. */
const handles: NonNullable<StepNode['handles']> = [
  {
    type: 'target',
    position: Position.Left,
    x: -handleSize / 2,
    y: cardHeight / 2 - handleSize / 2,
    width: handleSize,
    height: handleSize,
  },
  {
    type: 'source',
    position: Position.Right,
    x: cardWidth - handleSize / 2,
    y: cardHeight / 2 - handleSize / 2,
    width: handleSize,
    height: handleSize,
  },
];
const measured = { width: cardWidth, height: cardHeight };
/** The card itself is the thing with a name and the focus; its wrapper says nothing. */
const silent = { 'aria-roledescription': undefined, 'aria-describedby': undefined };

/** Brings the drawn nodes in line with the store; nodes that are right already are the same objects. */
export function syncNodes(
  previous: readonly StepNode[],
  ids: readonly string[],
  placed: Positions,
  selection: ReadonlySet<string>,
): StepNode[] {
  const old = new Map(previous.map((node) => [node.id, node]));
  let same = previous.length === ids.length;
  const next = ids.map((id, index) => {
    const node = old.get(id);
    const place = placed[id] ?? { x: 0, y: 0 };
    const selected = selection.has(id);
    const right =
      node !== undefined &&
      node.position.x === place.x &&
      node.position.y === place.y &&
      (node.selected ?? false) === selected;
    if (!right || previous[index] !== node) same = false;
    if (right) return node;
    return node === undefined ? newNode(id, place, selected) : { ...node, position: place, selected };
  });
  return same ? (previous as StepNode[]) : next;
}

function newNode(id: string, position: { x: number; y: number }, selected: boolean): StepNode {
  return {
    id,
    type: 'step',
    position,
    selected,
    data: noData,
    width: cardWidth,
    height: cardHeight,
    measured,
    handles,
    domAttributes: silent,
  };
}

/** The drawn wires of a chain's links. */
export function syncEdges(
  previous: readonly LinkEdge[],
  links: readonly ChainLink[],
  selectedLink: string | null,
  routes: ReadonlyMap<string, LinkRoute>,
): LinkEdge[] {
  const old = new Map(previous.map((edge) => [edge.id, edge]));
  let same = previous.length === links.length;
  const next = links.map((link, index) => {
    const edge = old.get(link.id);
    const selected = link.id === selectedLink;
    const route = shareRoute(edge?.data?.route, routes.get(link.id));
    const right =
      edge !== undefined &&
      (edge.selected ?? false) === selected &&
      edge.data?.condition === link.condition &&
      edge.data.route === route;
    if (!right || previous[index] !== edge) same = false;
    if (right) return edge;
    return {
      id: link.id,
      type: 'link' as const,
      source: link.from,
      target: link.to,
      selected,
      data: { condition: link.condition, route },
      ariaRole: 'presentation' as const,
      ariaLabel: null as unknown as string,
      domAttributes: silent,
    };
  });
  return same ? (previous as LinkEdge[]) : next;
}

/** The old route when the new one is the same way. */
function shareRoute(before: LinkRoute | undefined, now: LinkRoute | undefined): LinkRoute | undefined {
  return before !== undefined && now !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
