/**
 * Bytes of a program's output as text. UTF-8, whatever is not valid shown as U+FFFD; with `fallback` a line that is not
 * valid UTF-8 is read in that encoding instead (native tools of a Chinese Windows print GBK whatever they are told).
 */
export class OutputDecoder {
  readonly #fallback: string | null;
  readonly #stream = new TextDecoder('utf-8');
  #line: Uint8Array[] = [];

  constructor(fallback: string | null = null) {
    this.#fallback = fallback;
  }

  /** Text of the next piece; an unfinished character is kept for the next call. */
  write(bytes: Uint8Array): string {
    if (this.#fallback === null) return this.#stream.decode(bytes, { stream: true });
    const lineEnd = bytes.lastIndexOf(10);
    if (lineEnd < 0) {
      this.#line.push(bytes);
      return '';
    }
    const whole = Buffer.concat([...this.#line, bytes.subarray(0, lineEnd + 1)]);
    this.#line = lineEnd + 1 < bytes.length ? [bytes.subarray(lineEnd + 1)] : [];
    return this.#lines(whole);
  }

  /** What is left when the output has ended. */
  end(): string {
    if (this.#fallback === null) return this.#stream.decode();
    const rest = Buffer.concat(this.#line);
    this.#line = [];
    return this.#lines(rest);
  }

  #lines(bytes: Buffer): string {
    const text = decoded(bytes, 'utf-8');
    if (text !== null) return text;
    let result = '';
    for (let start = 0; start < bytes.length; ) {
      const lineEnd = bytes.indexOf(10, start);
      const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
      const line = bytes.subarray(start, end);
      result += decoded(line, 'utf-8') ?? decoded(line, this.#fallback!) ?? new TextDecoder('utf-8').decode(line);
      start = end;
    }
    return result;
  }
}

/** The encoding that native programs of this machine use when they do not use UTF-8; null when there is none to guess. */
export function nativeEncoding(platform: string, locale: string): string | null {
  return platform === 'win32' && /^zh\b/i.test(locale) ? 'gb18030' : null;
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
