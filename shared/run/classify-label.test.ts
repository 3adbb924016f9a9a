import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyLabel } from './classify-label.ts';

describe('classifyLabel', () => {
  it.each([
    ['the option itself', 'billing', ['billing', 'bug'], 'billing'],
    ['spaces and line ends around it', '  bug\r\n', ['billing', 'bug'], 'bug'],
    ['quotes', '"bug"', ['billing', 'bug'], 'bug'],
    ['a full stop', 'bug.', ['billing', 'bug'], 'bug'],
    ['emphasis and back-ticks', '**`bug`**', ['billing', 'bug'], 'bug'],
    ['Chinese quotes and full stop', '“退款”。', ['退款', '换货'], '退款'],
    ['other case', 'BUG', ['billing', 'Bug'], 'Bug'],
    ['quotes and other case', "'BUG!'", ['billing', 'Bug'], 'Bug'],
    ['the option within a sentence', 'I would say this is a Bug report.', ['billing', 'bug'], 'bug'],
    ['the option within a Chinese sentence', '我认为是退款问题', ['换货', '退款'], '退款'],
    ['two options within a sentence: the first of the list', 'bug or billing', ['billing', 'bug'], 'billing'],
    ['another form of the same letters', 'cafe\u0301', ['caf\u00e9'], 'caf\u00e9'],
    ['an option that is itself in quotes', 'bug', ['"bug"'], '"bug"'],
    ['an option of punctuation alone', '?', ['!', '?'], '?'],
    ['a reply that fits exactly before one that contains', 'not bug', ['bug', 'not bug'], 'not bug'],
    ['the exact case before another one', 'bug', ['BUG', 'bug'], 'bug'],
    ['the exact form before the stripped one', '"bug"', ['bug', '"bug"'], '"bug"'],
  ])('takes %s', (_, reply, options, label) => {
    expect(classifyLabel(reply, options)).toBe(label);
  });

  it.each([
    ['an empty reply', '', ['bug']],
    ['spaces', ' \n', ['bug']],
    ['a reply that names no option', 'something else', ['billing', 'bug']],
    ['a part of an option', 'bill', ['billing']],
    ['punctuation that strips to nothing', '...', ['!!!', 'bug']],
    ['no options', 'bug', []],
    ['empty options, which every text contains', 'bug', ['', '  ']],
  ])('finds nothing in %s', (_, reply, options) => {
    expect(classifyLabel(reply, options)).toBeNull();
  });

  it('gives back an option as it is written, or null', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (reply, options) => {
        const label = classifyLabel(reply, options);
        expect(label === null || options.includes(label)).toBe(true);
      }),
    );
  });

  it('always finds an option that is the reply', () => {
    const option = fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(option, fc.array(fc.string()), (reply, options) => {
        expect(classifyLabel(reply, [...options, reply])?.trim()).toBe(reply.trim());
      }),
    );
  });
});
