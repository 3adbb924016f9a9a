/** A point on the canvas, in canvas pixels; the top left corner of a card. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Positions = Readonly<Record<string, Point>>;

export interface LayeredGraph {
  readonly ids: readonly string[];
  dependsOn(id: string): readonly string[];
}

export interface LayoutMetrics {
  readonly width: number;
  readonly height: number;
  /** Free space between two columns and between two cards of a column. */
  readonly columnGap: number;
  readonly rowGap: number;
}

/** Above this many bends a long wire is drawn straight: the picture is unreadable by then and time matters more. */
const maxBends = 20_000;
const sweeps = 6;

/**
 * Places every step of a graph in columns from left to right: a column is the longest way from a root, so that a wire
 * always points to the right, and within a column steps stand near what they are joined to. Wires that close a cycle
 * (a file may hold one) and dependencies that do not exist are left out of the reckoning. The same graph always gives
 * the same picture.
 */
export function layeredLayout(graph: LayeredGraph, metrics: LayoutMetrics): Record<string, Point> {
  const links = acyclicLinks(graph);
  const rank = longestPathRanks(graph.ids, links);
  const columns = buildColumns(graph.ids, links, rank);
  reduceCrossings(columns);
  assignRows(columns, metrics);
  const top = Math.min(0, ...columns.cells.filter((cell) => cell.id !== null).map((cell) => cell.row));
  const placed: Record<string, Point> = {};
  for (const cell of columns.cells) {
    if (cell.id === null) continue;
    placed[cell.id] = {
      x: cell.rank * (metrics.width + metrics.columnGap),
      y: Math.round(cell.row - top),
    };
  }
  return placed;
}

interface Links {
  readonly before: ReadonlyMap<string, readonly string[]>;
  readonly after: ReadonlyMap<string, readonly string[]>;
}

/** The graph's wires without unknown ends, doubles, and those that lead back to a step being visited. */
function acyclicLinks(graph: LayeredGraph): Links {
  const known = new Set(graph.ids);
  const before = new Map<string, string[]>(graph.ids.map((id) => [id, []]));
  const after = new Map<string, string[]>(graph.ids.map((id) => [id, []]));
  const done = new Set<string>();
  const open = new Set<string>();
  for (const root of graph.ids) {
    if (done.has(root)) continue;
    const stack: { id: string; rest: string[] }[] = [{ id: root, rest: wanted(graph, root, known) }];
    open.add(root);
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const next = top.rest.shift();
      if (next === undefined) {
        open.delete(top.id);
        done.add(top.id);
        stack.pop();
        continue;
      }
      if (open.has(next)) continue;
      before.get(top.id)!.push(next);
      after.get(next)!.push(top.id);
      if (done.has(next)) continue;
      open.add(next);
      stack.push({ id: next, rest: wanted(graph, next, known) });
    }
  }
  return { before, after };
}

function wanted(graph: LayeredGraph, id: string, known: ReadonlySet<string>): string[] {
  return [...new Set(graph.dependsOn(id))].filter((dependency) => dependency !== id && known.has(dependency));
}

function longestPathRanks(ids: readonly string[], links: Links): Map<string, number> {
  const rank = new Map<string, number>();
  const missing = new Map(ids.map((id) => [id, links.before.get(id)!.length]));
  const queue = ids.filter((id) => missing.get(id) === 0);
  for (const id of queue) rank.set(id, 0);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at]!;
    for (const next of links.after.get(id)!) {
      rank.set(next, Math.max(rank.get(next) ?? 0, rank.get(id)! + 1));
      const left = missing.get(next)! - 1;
      missing.set(next, left);
      if (left === 0) queue.push(next);
    }
  }
  return rank;
}

/** A step, or (`id` null) the place where a long wire passes a column. */
interface Cell {
  readonly id: string | null;
  readonly rank: number;
  readonly left: Cell[];
  readonly right: Cell[];
  order: number;
  row: number;
}

interface Columns {
  readonly cells: Cell[];
  readonly columns: Cell[][];
}

function buildColumns(ids: readonly string[], links: Links, rank: ReadonlyMap<string, number>): Columns {
  const cellOf = new Map<string, Cell>();
  const cells: Cell[] = [];
  const columns: Cell[][] = [];
  const add = (id: string | null, column: number): Cell => {
    const cell: Cell = { id, rank: column, left: [], right: [], order: 0, row: 0 };
    cells.push(cell);
    while (columns.length <= column) columns.push([]);
    columns[column]!.push(cell);
    return cell;
  };
  for (const id of ids) cellOf.set(id, add(id, rank.get(id) ?? 0));
  let bends = 0;
  for (const id of ids) {
    const to = cellOf.get(id)!;
    for (const dependency of links.before.get(id)!) {
      let from = cellOf.get(dependency)!;
      const span = to.rank - from.rank - 1;
      if (bends + span <= maxBends) {
        bends += span;
        for (let column = from.rank + 1; column < to.rank; column++) {
          const bend = add(null, column);
          from.right.push(bend);
          bend.left.push(from);
          from = bend;
        }
      }
      from.right.push(to);
      to.left.push(from);
    }
  }
  return { cells, columns };
}

/** Sorts each column by the mean place of its neighbours, to and fro. */
function reduceCrossings({ columns }: Columns): void {
  for (const column of columns) column.forEach(setOrder);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const forward = sweep % 2 === 0;
    const sequence = forward ? columns : columns.toReversed();
    for (const column of sequence) {
      const wish = new Map(column.map((cell) => [cell, meanOrder(forward ? cell.left : cell.right) ?? cell.order]));
      column.sort((a, b) => wish.get(a)! - wish.get(b)! || a.order - b.order);
      column.forEach(setOrder);
    }
  }
}

function setOrder(cell: Cell, order: number): void {
  cell.order = order;
}

function meanOrder(cells: readonly Cell[]): number | null {
  if (cells.length === 0) return null;
  return cells.reduce((sum, cell) => sum + cell.order, 0) / cells.length;
}

/** Gives each cell its height: as near to its neighbours as the order and the gaps of its column allow. */
function assignRows({ columns }: Columns, metrics: LayoutMetrics): void {
  for (const column of columns) placeColumn(column, () => 0, metrics);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const forward = sweep % 2 === 0;
    for (const column of forward ? columns : columns.toReversed()) {
      placeColumn(
        column,
        (cell) => {
          const near = forward ? cell.left : cell.right;
          const all = near.length > 0 ? near : [...cell.left, ...cell.right];
          if (all.length === 0) return cell.row;
          return all.reduce((sum, other) => sum + other.row, 0) / all.length;
        },
        metrics,
      );
    }
  }
}

/**
 * Least squares under a fixed order and minimum distances (pool adjacent violators): cells that would overlap move as
 * one block to the mean of their wishes.
 */
function placeColumn(column: readonly Cell[], wish: (cell: Cell) => number, metrics: LayoutMetrics): void {
  const offsets: number[] = [];
  let offset = 0;
  column.forEach((cell, index) => {
    if (index > 0) offset += distance(column[index - 1]!, cell, metrics);
    offsets.push(offset);
  });
  const blocks: { sum: number; count: number; start: number }[] = [];
  column.forEach((cell, index) => {
    blocks.push({ sum: wish(cell) - offsets[index]!, count: 1, start: index });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1]!;
      const previous = blocks[blocks.length - 2]!;
      if (previous.sum / previous.count <= last.sum / last.count) break;
      blocks.pop();
      previous.sum += last.sum;
      previous.count += last.count;
    }
  });
  for (const block of blocks) {
    for (let index = block.start; index < block.start + block.count; index++) {
      column[index]!.row = block.sum / block.count + offsets[index]!;
    }
  }
}

function distance(above: Cell, below: Cell, metrics: LayoutMetrics): number {
  const bends = (above.id === null ? 1 : 0) + (below.id === null ? 1 : 0);
  // A wire that passes needs less room than a card.
  return bends === 0
    ? metrics.height + metrics.rowGap
    : bends === 1
      ? metrics.height / 2 + metrics.rowGap
      : metrics.rowGap;
}
