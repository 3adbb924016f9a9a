/** The first and the last part of an output; what lies between is only counted. Lengths are UTF-16 units. */
export interface BoundedText {
  readonly head: string;
  /** Empty as long as everything fits into `head`. */
  readonly tail: string;
  /** Both parts, with a line between them that says how much is missing, when something is. */
  readonly text: string;
  readonly length: number;
  readonly truncated: boolean;
}

/** Collects text of any length in memory of a fixed size. */
export class BoundedTextBuilder {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #length = 0;

  constructor(headLimit = 32 * 1024, tailLimit = 32 * 1024) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  push(text: string): void {
    this.#length += text.length;
    const room = this.#headLimit - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    // Cutting once per limit, not per piece, keeps the cost of a long output linear.
    if (this.#tailLength > 2 * this.#tailLimit) this.#cutTail();
  }

  finish(): BoundedText {
    this.#cutTail();
    const head = withoutHalfCharacter(this.#head);
    const tail = this.#tail[0] ?? '';
    const missing = this.#length - this.#head.length - this.#tailLength;
    const text = missing > 0 ? `${head}\n[... ${missing} characters left out ...]\n${tail}` : this.#head + tail;
    return { head, tail, text, length: this.#length, truncated: missing > 0 };
  }

  #cutTail(): void {
    const tail = this.#tail.join('');
    const kept = tail.length > this.#tailLimit ? tail.slice(-this.#tailLimit) : tail;
    this.#tail = kept === '' ? [] : [kept];
    this.#tailLength = kept.length;
  }
}

/** A cut may fall between the two halves of a character outside the basic plane; half of one is not valid text. */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
