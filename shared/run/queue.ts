interface Cell {
  readonly id: string;
  readonly next: Cell | null;
}

/** An immutable first-in-first-out queue of step ids; `withLast` and taking the first cost the same whatever its length. */
export interface Queue {
  readonly front: Cell | null;
  readonly back: Cell | null;
}

export const emptyQueue: Queue = { front: null, back: null };

export function withLast(queue: Queue, id: string): Queue {
  return queue.front === null
    ? { front: { id, next: null }, back: null }
    : { front: queue.front, back: { id, next: queue.back } };
}

/** The id that is first in line; null when the queue is empty. */
export function first(queue: Queue): string | null {
  return queue.front?.id ?? null;
}

/** The queue without `id`, when that is the first; any other id leaves it as it is. */
export function taken(queue: Queue, id: string): Queue {
  if (queue.front?.id !== id) return queue;
  if (queue.front.next !== null) return { front: queue.front.next, back: queue.back };
  return { front: reversed(queue.back), back: null };
}

function reversed(cell: Cell | null): Cell | null {
  let result: Cell | null = null;
  for (let at = cell; at !== null; at = at.next) result = { id: at.id, next: result };
  return result;
}
