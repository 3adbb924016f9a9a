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

  private constructor(keys: readonly string[], indexes: ReadonlyMap<string, number>, depth: number, root: Node<Value>) {
    this.size = keys.length;
    this.#keys = keys;
    this.#indexes = indexes;
    this.#depth = depth;
    this.#root = root;
  }

  /** A key that comes twice keeps its last value, as in a Map. */
  static from<Value>(entries: Iterable<readonly [string, Value]>): StepTable<Value> {
    const values = new Map(entries);
    const keys = [...values.keys()];
    let nodes: Node<Value>[] = cut([...values.values()]);
    let depth = 0;
    while (nodes.length > 1) {
      nodes = cut(nodes) as Node<Value>[];
      depth += 1;
    }
    return new StepTable(keys, new Map(keys.map((key, index) => [key, index])), depth, nodes[0] ?? []);
  }

  /** A table with one value replaced; a key that is not in the table changes nothing. */
  with(key: string, value: Value): StepTable<Value> {
    const index = this.#indexes.get(key);
    if (index === undefined) return this;
    const root = replaced(this.#root, this.#depth, index, value);
    return new StepTable(this.#keys, this.#indexes, this.#depth, root);
  }

  get(key: string): Value | undefined {
    const index = this.#indexes.get(key);
    return index === undefined ? undefined : this.#at(index);
  }

  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  keys(): MapIterator<string> {
    return this.#keys.values() as MapIterator<string>;
  }

  *values(): MapIterator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.#at(index);
  }

  *entries(): MapIterator<[string, Value]> {
    for (let index = 0; index < this.size; index += 1) yield [this.#keys[index]!, this.#at(index)];
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }

  #at(index: number): Value {
    let node = this.#root;
    for (let level = this.#depth; level > 0; level -= 1) {
      node = (node as readonly Node<Value>[])[(index >> (level * bits)) & mask]!;
    }
    return (node as readonly Value[])[index & mask]!;
  }
}

function cut<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let start = 0; start < items.length; start += width) parts.push(items.slice(start, start + width));
  return parts;
}

function replaced<Value>(node: Node<Value>, level: number, index: number, value: Value): Node<Value> {
  const copy = node.slice() as (Value | Node<Value>)[];
  const place = (index >> (level * bits)) & mask;
  copy[place] = level === 0 ? value : replaced(copy[place] as Node<Value>, level - 1, index, value);
  return copy as Node<Value>;
}
