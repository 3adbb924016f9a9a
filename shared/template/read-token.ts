import type { WorkMeter } from './limits.ts';
import type { TemplateError } from './template.ts';

export interface Token {
  /** `end` = of the text; `open` and `close` = the double braces; `bad` = nothing that can stand in an expression. */
  readonly kind: 'end' | 'open' | 'close' | 'name' | 'number' | 'string' | 'sign' | 'bad';
  readonly offset: number;
  /** Offset behind it. */
  readonly end: number;
  /** The characters of a name or a sign; of the others what is shown of them. */
  readonly text: string;
  /** Of a number or a string. */
  readonly value?: number | string;
  readonly error?: Pick<TemplateError, 'code' | 'offset' | 'params'>;
}

/**
 * The token at or behind `from` in an expression. `bound` is the offset that the expression must not reach, `limit` its
 * length there. Reads nothing twice: time is linear in the characters that the token has.
 */
export function readToken(text: string, from: number, bound: number, limit: number, meter: WorkMeter): Token {
  let offset = from;
  while (offset < text.length && isBlank(text.charCodeAt(offset))) offset += 1;
  meter.spend(1 + offset - from);
  if (offset >= bound && offset < text.length) return tooLong(bound, limit);
  if (offset >= text.length) return { kind: 'end', offset, end: offset, text: '' };
  const unit = text[offset]!;
  if (unit === '"' || unit === "'") return readString(text, offset, bound, limit, meter);
  const name = matchAt(namePattern, text, offset);
  if (name !== '') return counted(meter, { kind: 'name', offset, end: offset + name.length, text: name });
  const number = matchAt(numberPattern, text, offset);
  if (number !== '') return counted(meter, readNumber(text, offset, number));
  const pair = text.slice(offset, offset + 2);
  if (pair === '{{' || pair === '}}') {
    return { kind: pair === '{{' ? 'open' : 'close', offset, end: offset + 2, text: pair };
  }
  if (pair === '{%' || pair === '{#') return bad(offset, offset + 2, pair, 'no_statements', { found: pair });
  const sign = matchAt(signPattern, text, offset);
  if (sign !== '') return { kind: 'sign', offset, end: offset + sign.length, text: sign };
  return readStranger(text, offset);
}

/** The name of a member at exactly `offset`; "" when there is none. A minus belongs to the name: ids have them. */
export function readMember(text: string, offset: number, meter: WorkMeter): string {
  const name = matchAt(memberPattern, text, offset);
  meter.spend(1 + name.length);
  return name;
}

const namePattern = /[\p{L}\p{Nl}_][\p{L}\p{M}\p{N}_]*/uy;
const memberPattern = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*/uy;
const numberPattern = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/uy;
const plainNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const numberTail = /[\p{L}\p{N}_.]+/uy;
const signPattern = /[=!]=(?!=)|[<>]=?|\|(?!\|)|[()[\]{},.]/uy;
/** What other languages write, and what is written here instead. */
const strangers = /===?|!==?|&&|\|\||[&!=]/uy;
const insteadOf: Readonly<Record<string, string>> = {
  '===': '==',
  '=': '==',
  '!==': '!=',
  '&&': 'and',
  '&': 'and',
  '||': 'or',
  '!': 'not',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
};
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\',
  '/': '/',
  "'": "'",
  '"': '"',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

function matchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? '';
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0x3000 || unit === 0xfeff;
}

function counted(meter: WorkMeter, token: Token): Token {
  meter.spend(token.end - token.offset);
  return token;
}

function bad(
  offset: number,
  end: number,
  text: string,
  code: TemplateError['code'],
  params: TemplateError['params'],
): Token {
  return { kind: 'bad', offset, end, text: shown(text), error: { code, offset, params } };
}

function tooLong(offset: number, limit: number): Token {
  return bad(offset, offset + 1, '', 'too_long', { limit });
}

function readNumber(text: string, offset: number, digits: string): Token {
  const tail = matchAt(numberTail, text, offset + digits.length);
  const whole = digits + tail;
  const end = offset + whole.length;
  const value = Number(digits);
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (tail === '' && plainNumber.test(digits) && isExact) return { kind: 'number', offset, end, text: digits, value };
  return bad(offset, end, whole, 'number_invalid', { found: shown(whole) });
}

function readString(text: string, offset: number, bound: number, limit: number, meter: WorkMeter): Token {
  const quote = text[offset]!;
  let value = '';
  let start = offset + 1;
  let at = start;
  let wrong: Token | null = null;
  const stop = Math.min(bound, text.length);
  while (at < stop && text[at] !== quote) {
    if (text[at] !== '\\') {
      at += 1;
      continue;
    }
    value += text.slice(start, at);
    const next = text[at + 1] ?? '';
    const code = next === 'u' ? text.slice(at + 2, at + 6) : '';
    if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(code)) {
      value += String.fromCharCode(Number.parseInt(code, 16));
      at += 6;
    } else {
      const character = Object.hasOwn(escapes, next) ? escapes[next]! : null;
      if (character === null && at + 1 < stop) {
        const found = text.slice(at, at + 2);
        wrong ??= bad(at, at + 2, found, 'unexpected', { found, expected: 'escape' });
      }
      value += character ?? '';
      at += 2;
    }
    start = at;
  }
  meter.spend(at - offset);
  if (at < stop) {
    if (wrong !== null) return wrong;
    value += text.slice(start, at);
    return { kind: 'string', offset, end: at + 1, text: shown(text.slice(offset, at + 1)), value };
  }
  // A quote that is missing is the likelier fault where the expression could have ended.
  const isLong = bound < text.length && !text.slice(offset, bound).includes('}}');
  return isLong ? tooLong(bound, limit) : bad(offset, stop, quote, 'unclosed_string', {});
}

function readStranger(text: string, offset: number): Token {
  const found = matchAt(strangers, text, offset) || String.fromCodePoint(text.codePointAt(offset)!);
  const narrow = found.normalize('NFKC');
  const expected = Object.hasOwn(insteadOf, found) ? insteadOf[found]! : narrow === found ? '' : narrow;
  return bad(offset, offset + found.length, found, 'unexpected', { found, expected });
}

/** What is shown of something long. */
export function shown(text: string): string {
  return text.length <= 32 ? text : `${text.slice(0, 31).replace(/[\ud800-\udbff]$/, '')}…`;
}
