/**
 * The values of one run or job that must appear nowhere: not on the screen, in a log, in a journal. It grows as values
 * become known.
 */
export class Secrets {
  readonly #values = new Set<string>();
  #longestFirst: readonly string[] = [];

  /** Values shorter than three characters are left alone: replacing them would only make texts unreadable. */
  add(values: readonly string[]): void {
    const before = this.#values.size;
    for (const value of values) if (value.length >= 3) this.#values.add(value);
    if (this.#values.size === before) return;
    this.#longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
  }

  get values(): readonly string[] {
    return this.#longestFirst;
  }

  /** The text with every value replaced by `***`. */
  hidden(text: string): string {
    let result = text;
    for (const value of this.#longestFirst) result = result.replaceAll(value, '***');
    return result;
  }

  /** The same for every text in a JSON value, keys too; the value itself when there is nothing to hide. */
  hiddenIn<Value>(value: Value): Value {
    return this.#longestFirst.length === 0 ? value : (this.#deep(value) as Value);
  }

  #deep(value: unknown): unknown {
    if (typeof value === 'string') return this.hidden(value);
    if (Array.isArray(value)) return value.map((inner) => this.#deep(inner));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.hidden(key), this.#deep(inner)]));
  }
}
