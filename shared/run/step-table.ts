const bits = 5;
const width = 1 << bits;
const mask = width - 1;

type Node<Value> = readonly Value[] | readonly Node<Value>[];

/**
 * An immutable map with a fixed set of keys, iterated in the order they were given. `with` costs a few small copies
 * whatever the size, so that a run of a thousand steps can keep every one of its states without copying it.
 */
export class StepTable<Value> implements ReadonlyMap<string, Value> {
  readonly size: number;
  readonly #keys: readonly string[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #depth: number;
  readonly #root: Node<Value>;

  /** Of parts that belong together; see `from`. */
  constructor(keys: readonly string[], indexes: ReadonlyMap<string, number>, depth: number, root: Node<Value>) {
    this.size = keys.length;
    this.#keys = keys;
    this.#indexes = indexes;
    this.#depth = depth;
    this.#root = root;
  }

  /** A key that comes twice keeps its last value, as in a Map. */
  static from<Value>(entries: Iterable<readonly [string, Value]>): StepTable<Value> {
    const { keys, indexes, depth, root } = partsOf(entries);
    return new StepTable(keys, indexes, depth, root);
  }

  /** A table with one value replaced; a key that is not in the table changes nothing. */
  with(key: string, value: Value): StepTable<Value> {
    if (!this.#indexes.has(key)) return this;
    const draft = this.draft();
    draft.set(key, value);
    return draft.snapshot();
  }

  /** A copy to be changed many times at little cost; this table stays as it is. */
  draft(): StepTableDraft<Value> {
    const make = (...parts: ConstructorParameters<typeof StepTable<Value>>) => new StepTable(...parts);
    return new StepTableDraft(this.#keys, this.#indexes, this.#depth, this.#root, make);
  }

  get(key: string): Value | undefined {
    const index = this.#indexes.get(key);
    return index === undefined ? undefined : valueAt(this.#root, this.#depth, index);
  }

  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  keys(): MapIterator<string> {
    return this.#keys.values() as MapIterator<string>;
  }

  *values(): MapIterator<Value> {
    for (let index = 0; index < this.size; index += 1) yield valueAt(this.#root, this.#depth, index);
  }

  *entries(): MapIterator<[string, Value]> {
    for (let index = 0; index < this.size; index += 1)
      yield [this.#keys[index]!, valueAt(this.#root, this.#depth, index)];
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }
}

type MakeTable<Value> = (
  keys: readonly string[],
  indexes: ReadonlyMap<string, number>,
  depth: number,
  root: Node<Value>,
) => StepTable<Value>;

/** A table that is being changed: a part of it is copied when it is first changed, and then changed in place. */
export class StepTableDraft<Value> {
  readonly #make: MakeTable<Value>;
  /** The parts that no snapshot holds. */
  #own = new Set<Node<Value>>();
  #keys: readonly string[];
  #indexes: ReadonlyMap<string, number>;
  #depth: number;
  #root: Node<Value>;

  constructor(
    keys: readonly string[],
    indexes: ReadonlyMap<string, number>,
    depth: number,
    root: Node<Value>,
    make: MakeTable<Value>,
  ) {
    this.#keys = keys;
    this.#indexes = indexes;
    this.#depth = depth;
    this.#root = root;
    this.#make = make;
  }

  get size(): number {
    return this.#keys.length;
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  get(key: string): Value | undefined {
    const index = this.#indexes.get(key);
    return index === undefined ? undefined : valueAt(this.#root, this.#depth, index);
  }

  /** A key that is not in the table changes nothing. */
  set(key: string, value: Value): void {
    const index = this.#indexes.get(key);
    if (index === undefined) return;
    this.#root = this.#owned(this.#root);
    let node = this.#root as (Value | Node<Value>)[];
    for (let level = this.#depth; level > 0; level -= 1) {
      const place = (index >> (level * bits)) & mask;
      const inner = this.#owned(node[place] as Node<Value>);
      node[place] = inner;
      node = inner as (Value | Node<Value>)[];
    }
    node[index & mask] = value;
  }

  /** Adds keys behind those that there are; the cost is that of the whole table. */
  append(entries: readonly (readonly [string, Value])[]): void {
    const all = this.#keys.map((key): [string, Value] => [key, this.get(key)!]);
    const { keys, indexes, depth, root } = partsOf([...all, ...entries]);
    this.#keys = keys;
    this.#indexes = indexes;
    this.#depth = depth;
    this.#root = root;
    this.#own = new Set();
  }

  /** The table as it is now; later changes of the draft do not reach it. */
  snapshot(): StepTable<Value> {
    this.#own = new Set();
    return this.#make(this.#keys, this.#indexes, this.#depth, this.#root);
  }

  #owned(node: Node<Value>): Node<Value> {
    if (this.#own.has(node)) return node;
    const copy = node.slice() as Node<Value>;
    this.#own.add(copy);
    return copy;
  }
}

function partsOf<Value>(entries: Iterable<readonly [string, Value]>) {
  const values = new Map(entries);
  const keys = [...values.keys()];
  let nodes: Node<Value>[] = cut([...values.values()]);
  let depth = 0;
  while (nodes.length > 1) {
    nodes = cut(nodes) as Node<Value>[];
    depth += 1;
  }
  const root: Node<Value> = nodes[0] ?? [];
  return { keys, indexes: new Map(keys.map((key, index) => [key, index])), depth, root };
}

function valueAt<Value>(root: Node<Value>, depth: number, index: number): Value {
  let node = root;
  for (let level = depth; level > 0; level -= 1) {
    node = (node as readonly Node<Value>[])[(index >> (level * bits)) & mask]!;
  }
  return (node as readonly Value[])[index & mask]!;
}

function cut<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let start = 0; start < items.length; start += width) parts.push(items.slice(start, start + width));
  return parts;
}
