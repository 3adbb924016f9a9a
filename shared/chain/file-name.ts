import { AppError } from '../errors/app-error.ts';
import { detailParams } from './chain-texts.ts';
import { shortHash } from './short-hash.ts';

/** Longest file name without `.json`, in bytes of UTF-8. */
const maxStemBytes = 120;
/** `Name` of the contract. */
const maxNameLength = 1000;

/**
 * The file name of a chain: its name (NFC), where everything that is unsafe on Windows, macOS or Linux is
 * percent-encoded, then `.json`. It never leads out of a folder, is never hidden, never a device, never the index; over
 * 120 bytes it is cut and given a fingerprint. Two names that `nameKey` tells apart get two file names.
 */
export function chainFileName(name: string): string {
  const signs = [...name.normalize('NFC')];
  const device = isReserved(name);
  const parts = signs.map((sign, index) => {
    const edge = index === 0 || index === signs.length - 1;
    const unsafe = /[/\\:*?"<>|%\p{Cc}\p{Cs}]/u.test(sign) || (edge && /[.\s]/u.test(sign)) || (device && index === 0);
    return unsafe ? percentEncode(sign) : sign;
  });
  return `${shorten(parts, name)}.json`;
}

/**
 * Refuses a name that no chain can have: nothing but dots and blanks, control characters, halves of a character, or
 * more than 1,000 characters. Everything else is saved, see `chainFileName`. Errors: CHAIN_NAME_INVALID.
 */
export function checkChainName(name: string): void {
  const fault =
    name.length > maxNameLength
      ? ('name_too_long' as const)
      : /\p{Cc}/u.test(name)
        ? ('name_control' as const)
        : /\p{Cs}/u.test(name)
          ? ('name_broken_text' as const)
          : /^[.\s]*$/u.test(name)
            ? ('name_empty' as const)
            : null;
  if (fault !== null) {
    throw new AppError('CHAIN_NAME_INVALID', {
      name: name.slice(0, 100).replace(/\p{Cc}|\p{Cs}/gu, '\u{fffd}'),
      ...detailParams(fault, { limit: maxNameLength }),
    });
  }
}

/** The same for names that differ only in letter case or Unicode form: such names are refused beside each other. */
export function nameKey(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

const devices = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u{b9}\u{b2}\u{b3}])\s*(\.|$)/iu;

/** Windows devices, with any ending; and the file in which the folder keeps its index. */
function isReserved(name: string): boolean {
  return devices.test(name) || nameKey(name) === 'index';
}

function percentEncode(sign: string): string {
  return utf8(sign.codePointAt(0)!)
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** Bytes of one code point; half a surrogate pair gives three, as if it were a character. */
function utf8(code: number): number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 63)];
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
}

function shorten(parts: readonly string[], name: string): string {
  const sizes = parts.map((part) =>
    part.length > 1 && part.startsWith('%') ? part.length : utf8(part.codePointAt(0)!).length,
  );
  if (sizes.reduce((sum, size) => sum + size, 0) <= maxStemBytes) return parts.join('');
  const normal = name.normalize('NFC');
  const mark = `~${shortHash(normal)}${shortHash(normal, 0x9747b28c)}`;
  let left = maxStemBytes - mark.length;
  let kept = 0;
  while (kept < parts.length && sizes[kept]! <= left) {
    left -= sizes[kept]!;
    kept += 1;
  }
  return parts.slice(0, kept).join('') + mark;
}
