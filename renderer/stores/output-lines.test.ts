import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendOutput, prependOutput, shownLines } from './output-lines.ts';

const plain = fc.string({ unit: fc.constantFrom('a', '中', ' ', '\n'), maxLength: 60 });

describe('output lines', () => {
  it('are the same however the output was cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 6 }), (pieces) => {
        const cut = pieces.reduce<readonly string[]>(appendOutput, []);
        expect(cut).toEqual(appendOutput([], pieces.join('')));
      }),
    );
  });

  it('join an earlier piece where the two meet', () => {
    fc.assert(
      fc.property(plain, plain, (earlier, later) => {
        expect(prependOutput(earlier, appendOutput([], later))).toEqual(appendOutput([], earlier + later));
      }),
    );
  });

  it('show only what stands behind the last carriage return', () => {
    expect(appendOutput([], '10 %\r50 %\r100 %\ndone')).toEqual(['100 %', 'done']);
    expect(appendOutput(appendOutput([], 'a 10 %\r'), 'a 20 %')).toEqual(['a 20 %']);
  });

  it('keep Windows line ends out and drop the colours of a terminal', () => {
    expect(appendOutput([], 'one\r\n\u001b[31mtwo\u001b[0m\r\n')).toEqual(['one', 'two', '']);
  });

  it('do not count the empty line behind the last line end', () => {
    expect(shownLines(appendOutput([], 'one\ntwo\n'))).toEqual(['one', 'two']);
    expect(shownLines(appendOutput([], 'one\n\n'))).toEqual(['one', '']);
    expect(shownLines([])).toEqual([]);
  });
});
