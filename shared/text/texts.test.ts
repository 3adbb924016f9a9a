import { describe, expect, it } from 'vitest';
import { problemText } from '../chain/chain-texts.ts';
import { errorMessage } from '../errors/app-error.ts';
import { fillText, nearestLocale } from './texts.ts';

describe('a text', () => {
  it('takes its values, and shows a placeholder that has none', () => {
    expect(fillText('{a} of {b}, {c}', { a: 1, b: 'x{a}y' })).toBe('1 of x{a}y, {c}');
    expect(fillText('{toString}', {})).toBe('{toString}');
    expect(fillText('{a}', { a: null })).toBe('null');
  });

  it.each([
    [0, '0 errors'],
    [1, '1 error'],
    ['1', '1 error'],
    [2, '2 errors'],
    [11, '11 errors'],
    [1.5, '1.5 errors'],
  ])('has the word that goes with %s', (count, said) => {
    expect(fillText('{count:error|errors}', { count })).toBe(said);
  });

  it('shows a plural that has no value as it is', () => {
    expect(fillText('{count:error|errors}')).toBe('{count:error|errors}');
  });

  it('is right in English for one and for many', () => {
    const invalid = (count: number) => ({ code: 'CHAIN_INVALID' as const, params: { count, detail: 'x' }, place: {} });
    expect(errorMessage(invalid(1), 'en')).toBe('The chain has 1 error: x');
    expect(errorMessage(invalid(3), 'en')).toBe('The chain has 3 errors: x');
    expect(errorMessage(invalid(1), 'zh-CN')).toBe('调用链有 1 个错误：x');
    const retries = (count: number) =>
      problemText('en', { code: 'retries_out_of_range', params: { step: 2, retries: count, limit: 10 } });
    expect(retries(1)).toContain('asks for 1 retry;');
    expect(retries(12)).toContain('asks for 12 retries;');
  });
});

describe('the language of a tag', () => {
  it.each([
    ['zh-CN', 'zh-CN'],
    ['zh_CN.UTF-8', 'zh-CN'],
    ['ZH', 'zh-CN'],
    ['zhx', 'en'],
    ['de-DE', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('%s is %s', (tag, locale) => {
    expect(nearestLocale(tag)).toBe(locale);
  });
});

describe('English texts', () => {
  // Vite's way of naming every text file of a folder; a new one is checked without being listed here.
  const files = import.meta.glob<string>(['../**/*-texts.ts', '../../cli/*-texts.ts', '../../electron/**/*-texts.ts'], {
    eager: true,
    query: '?raw',
    import: 'default',
  });

  it('put no plural word behind a bare number', () => {
    expect(Object.keys(files).length).toBeGreaterThan(7);
    const counted =
      'errors|warnings|steps|retries|times|processes|runs|jobs|chains|skills|links|folders|levels|characters|seconds|files|groups|actions|problems';
    const wrong = Object.entries(files).flatMap(([file, text]) =>
      [...text.matchAll(new RegExp(`\\{\\w+\\} (${counted})\\b`, 'g'))].map(([found]) => `${file}: ${found}`),
    );
    expect(wrong).toEqual([]);
  });
});
