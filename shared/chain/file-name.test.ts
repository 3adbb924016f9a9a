import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorMessage } from '../errors/app-error.ts';
import { expectAppError } from './expect-app-error.ts';
import { chainFileName, checkChainName, nameKey } from './file-name.ts';

describe('chainFileName', () => {
  it.each([
    ['发布流水线', '发布流水线.json'],
    ['release 1.2', 'release 1.2.json'],
    ['../../x', '%2E.%2F..%2Fx.json'],
    ['..\\x', '%2E.%5Cx.json'],
    ['a/b', 'a%2Fb.json'],
    ['CON', '%43ON.json'],
    ['nul.txt', '%6Eul.txt.json'],
    ['com1', '%63om1.json'],
    ['COM\u{b9}', '%43OM\u{b9}.json'],
    ['console', 'console.json'],
    ['index', '%69ndex.json'],
    ['Index', '%49ndex.json'],
    ['.layout', '%2Elayout.json'],
    ['x.', 'x%2E.json'],
    ['x ', 'x%20.json'],
    [' x', '%20x.json'],
    ['a>b: "c"?', 'a%3Eb%3A %22c%22%3F.json'],
    ['100%', '100%25.json'],
    ['a%2Fb', 'a%252Fb.json'],
    ['a\0b\nc', 'a%00b%0Ac.json'],
    ['\u{d83d}', '%ED%A0%BD.json'],
    ['e\u{301}', '\u{e9}.json'],
    ['__proto__', '__proto__.json'],
  ])('of %j is %j', (name, file) => {
    expect(chainFileName(name)).toBe(file);
  });

  it('is cut at 120 bytes, between characters, with a mark that tells long names apart', () => {
    const first = chainFileName(`${'链'.repeat(200)}a`);
    expect(first).toMatch(/^链{34}~[0-9a-f]{16}\.json$/u);
    expect(chainFileName(`${'链'.repeat(200)}b`)).not.toBe(first);
    expect(chainFileName('x'.repeat(120))).toBe(`${'x'.repeat(120)}.json`);
    expect(chainFileName(`${'x'.repeat(102)}/${'y'.repeat(90)}`)).toMatch(/^x{102}~/);
  });

  const anyName = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 150 }),
    fc.string({
      unit: fc.constantFrom('.', '/', '\\', ' ', 'a', 'CON', '%', '\u{d800}', '链'),
      minLength: 1,
      maxLength: 90,
    }),
  );

  it('is safe on all three systems, whatever the name', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const file = chainFileName(name);
        expect(file).toMatch(/^[^/\\:*?"<>|\p{Cc}\p{Cs}]+\.json$/u);
        const stem = file.slice(0, -5);
        expect(stem).toMatch(/^[^.\s]/u);
        expect(stem).toMatch(/[^.\s]$/u);
        expect(file).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i);
        expect(nameKey(stem)).not.toBe('index');
        expect(new TextEncoder().encode(stem).length).toBeLessThanOrEqual(120);
      }),
      { numRuns: 2000 },
    );
  });

  it('differs for names that differ, except in Unicode form', () => {
    fc.assert(
      fc.property(anyName, anyName, (a, b) => {
        fc.pre(a.normalize('NFC') !== b.normalize('NFC'));
        expect(chainFileName(a)).not.toBe(chainFileName(b));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('nameKey', () => {
  it('is one for names that differ only in letter case or Unicode form', () => {
    expect(nameKey('Straße')).toBe(nameKey('STRASSE'));
    expect(nameKey('\u{e9}T\u{c9}')).toBe(nameKey('E\u{301}te\u{301}'));
    expect(nameKey('ΣΑΣ')).toBe(nameKey('σας'));
    expect(nameKey('打包')).not.toBe(nameKey('打 包'));
  });

  it('does not change when a name is put in capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
        expect(nameKey(name.toUpperCase())).toBe(nameKey(name));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('checkChainName', () => {
  it.each(['../../x', 'a/b', 'CON', 'x.', ' x', '发布', '🚀', '__proto__'])(
    'lets %j through: it has a safe file name',
    (name) => {
      expect(() => checkChainName(name)).not.toThrow();
    },
  );

  it.each([
    ['', 'name_empty'],
    [' . .. \u{3000}', 'name_empty'],
    ['a\0b', 'name_control'],
    ['a\nb', 'name_control'],
    ['a\u{d83d}', 'name_broken_text'],
    ['x'.repeat(1001), 'name_too_long'],
  ])('refuses %j', (name, reason) => {
    const error = expectAppError('CHAIN_NAME_INVALID', () => checkChainName(name));
    expect(error.params['reason']).toBe(reason);
  });

  it('says why in the language of the reader', () => {
    const error = expectAppError('CHAIN_NAME_INVALID', () => checkChainName('a\nb'));
    expect(errorMessage(error.toWire(), 'en')).toBe(
      '"a\u{fffd}b" can not be a chain name: it holds a line break or another control character',
    );
    expect(errorMessage(error.toWire(), 'zh-CN')).toBe('“a\u{fffd}b”不能用作调用链名称：名称含有换行或其他控制字符');
  });
});
