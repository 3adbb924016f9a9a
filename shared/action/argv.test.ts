import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionArgv, scalarText } from './argv.ts';
import type { InputSchema, Scalar } from './manifest.ts';

const properties: NonNullable<InputSchema['properties']> = {
  text: { type: 'string' },
  other: { type: 'string' },
  n: { type: 'number' },
  flag: { type: 'boolean' },
  key: { type: 'string', sensitive: true },
};

function argv(args: Scalar[], values: Record<string, Scalar>, options?: { mask: boolean }): string[] {
  const action = {
    entrypoint: { type: 'cli' as const, command: 'do', args },
    inputSchema: { type: 'object' as const, properties },
  };
  return actionArgv(action, values, options).slice(1);
}

describe('actionArgv', () => {
  it('puts the command first and makes one argument of each element', () => {
    const action = { entrypoint: { type: 'cli' as const, command: 'do', args: ['a b', 1, true] } };
    expect(actionArgv(action, {})).toEqual(['do', 'a b', '1', 'true']);
  });

  it('fills placeholders inside an element', () => {
    expect(argv(['{{text}}-{{ n }}.txt'], { text: 'a', n: 2 })).toEqual(['a-2.txt']);
    expect(argv(['x{{text}}y'], {})).toEqual(['xy']);
  });

  it('drops the placeholder of an absent field together with the flag before it', () => {
    expect(argv(['--text', '{{text}}', '--flag', '{{flag}}'], { flag: false })).toEqual(['--flag', 'false']);
    expect(argv(['-t', '{{text}}', 'end'], {})).toEqual(['end']);
    expect(argv(['sub', '{{text}}'], {})).toEqual(['sub']);
    expect(argv(['--text={{text}}', 'end'], {})).toEqual(['end']);
    expect(argv(['--a', '{{text}}', '{{other}}'], {})).toEqual([]);
  });

  it('does not take a value for a flag', () => {
    expect(argv(['{{text}}', '{{other}}'], { text: 'x' })).toEqual(['x']);
  });

  it('never lets a value become an option', () => {
    expect(argv(['--text', '{{text}}'], { text: '--delete-all' })).toEqual(['--text=--delete-all']);
    expect(argv(['--', '{{text}}'], { text: '-x' })).toEqual(['--', '-x']);
    expect(argv(['--text={{text}}'], { text: '-x' })).toEqual(['--text=-x']);
    for (const args of [['{{text}}'], ['-t', '{{text}}'], ['{{text}}.txt'], ['{{text}}{{other}}']]) {
      expect(() => argv(args, { text: '-x' }), args.join(' ')).toThrow(
        expect.objectContaining({ code: 'ACTION_INPUT_INVALID' }),
      );
    }
    expect(argv(['{{n}}'], { n: -5 })).toEqual(['-5']);
  });

  it('passes newlines, quotes and shell signs as they are', () => {
    const text = 'a\nb "c" $(d) `e` ; | & > %PATH% \\';
    expect(argv(['--text', '{{text}}'], { text })).toEqual(['--text', text]);
  });

  it('never expands a value again', () => {
    expect(argv(['{{text}}', '{{other}}'], { text: '{{other}}', other: '$&$1' })).toEqual(['{{other}}', '$&$1']);
  });

  it('masks sensitive values only where they are shown', () => {
    expect(argv(['--key', '{{key}}'], { key: 's3cr3t' }, { mask: true })).toEqual(['--key', '***']);
    expect(argv(['--key', 'k={{key}}!'], { key: 's3cr3t' }, { mask: true })).toEqual(['--key', 'k=***!']);
    expect(argv(['--key', '{{key}}'], { key: '-s3cr3t' }, { mask: true })).toEqual(['--key=***']);
    expect(argv(['--key', '{{key}}'], { key: 's3cr3t' })).toEqual(['--key', 's3cr3t']);
  });

  it('gives each value exactly once and nothing that starts with a dash but what the manifest wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const result = argv(['--text', '{{text}}'], { text });
        expect(result).toEqual(text.startsWith('-') ? [`--text=${text}`] : ['--text', text]);
      }),
    );
  });
});

describe('scalarText', () => {
  it.each([
    [1e21, '1000000000000000000000'],
    [-1.5e22, '-15000000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [-0, '0'],
    [50, '50'],
    [0.1, '0.1'],
    [true, 'true'],
  ])('writes %s as %s', (value, text) => {
    expect(scalarText(value)).toBe(text);
  });

  it('writes every number without an exponent, and as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(scalarText(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(scalarText(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});
