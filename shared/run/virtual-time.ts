/**
 * A clock that stands still until somebody moves it. What is due at the same moment happens in the order in which it was
 * planned, so that the same plan always gives the same course.
 */
export class VirtualTime {
  #now: number;
  #planned = 0;
  /** A heap: the entry that is due first, and among those the one that was planned first, is at the top. */
  readonly #heap: Entry[] = [];

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  get nowMs(): number {
    return this.#now;
  }

  /** Plans a call; returns the way to call it off. */
  plan(callback: () => void, delayMs: number): () => void {
    const entry: Entry = { due: this.#now + Math.max(0, delayMs), number: this.#planned, callback };
    this.#planned += 1;
    this.#push(entry);
    return () => {
      entry.callback = null;
    };
  }

  /** Moves to the next call and makes it; false when nothing is planned. */
  next(): boolean {
    for (let entry = this.#pop(); entry !== null; entry = this.#pop()) {
      const { callback } = entry;
      if (callback === null) continue;
      this.#now = entry.due;
      callback();
      return true;
    }
    return false;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): Entry | null {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return null;
    if (heap.length === 0) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return top;
  }
}

interface Entry {
  readonly due: number;
  readonly number: number;
  callback: (() => void) | null;
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.due === other.due ? one.number < other.number : one.due < other.due;
}
