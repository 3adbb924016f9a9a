/**
 * Replaces secret values in a text that arrives in pieces. A value that lies across two pieces is found too: the end of
 * a piece that could be the beginning of a secret waits for the next one.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  #kept = '';

  /** Secrets shorter than three characters are left alone: replacing them would only make the output unreadable. */
  constructor(secrets: readonly string[]) {
    this.#secrets = [...new Set(secrets.filter((secret) => secret.length >= 3))].sort((a, b) => b.length - a.length);
  }

  write(text: string): string {
    if (this.#secrets.length === 0) return text;
    const all = this.#replaced(this.#kept + text);
    const keep = this.#possibleStart(all);
    this.#kept = keep === 0 ? '' : all.slice(-keep);
    return keep === 0 ? all : all.slice(0, -keep);
  }

  end(): string {
    const rest = this.#kept;
    this.#kept = '';
    return rest;
  }

  #replaced(text: string): string {
    let result = text;
    for (const secret of this.#secrets) result = result.replaceAll(secret, '***');
    return result;
  }

  /** Length of the longest end of `text` with which a secret begins. */
  #possibleStart(text: string): number {
    let longest = 0;
    for (const secret of this.#secrets) {
      for (let length = Math.min(secret.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}
