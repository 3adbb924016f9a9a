import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { checkInput, compilePattern, inputValidator, validateInput } from './input-schema.ts';
import { InputSchema } from './manifest.ts';

const schema: InputSchema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z😀]+$' },
    count: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
    ratio: { type: 'number' },
    loud: { type: 'boolean', default: false },
    mode: { type: 'string', enum: ['a', 'b'] },
  },
};
const problems = (input: Record<string, unknown>) =>
  checkInput(schema, input).problems.map(({ field, code }) => `${field} ${code}`);

describe('checkInput', () => {
  it('fills in defaults and leaves absent optional fields out', () => {
    expect(checkInput(schema, { text: 'abc' })).toEqual({
      values: { text: 'abc', count: 3, loud: false },
      problems: [],
    });
  });

  it('takes an empty text, null and undefined for absent', () => {
    expect(problems({ text: '' })).toEqual(['text required']);
    expect(problems({ text: 'abc', mode: '', ratio: null, count: undefined })).toEqual([]);
  });

  it.each([
    [{ text: 'a' }, 'text too_short'],
    [{ text: 'abcdef' }, 'text too_long'],
    [{ text: 'ABC' }, 'text no_match'],
    [{ text: 'a\0b' }, 'text nul'],
    [{ text: 5 }, 'text not_text'],
    [{ text: 'abc', count: 0 }, 'count too_small'],
    [{ text: 'abc', count: 11 }, 'count too_big'],
    [{ text: 'abc', count: 2.5 }, 'count not_integer'],
    [{ text: 'abc', count: '2' }, 'count not_number'],
    [{ text: 'abc', ratio: Number.NaN }, 'ratio not_number'],
    [{ text: 'abc', ratio: Number.POSITIVE_INFINITY }, 'ratio not_number'],
    [{ text: 'abc', loud: 'true' }, 'loud not_boolean'],
    [{ text: 'abc', mode: 'c' }, 'mode not_in_enum'],
    [{ text: 'abc', other: 1 }, 'other unknown'],
    [{ text: ['abc'] }, 'text not_text'],
    [{ text: { a: 1 } }, 'text not_text'],
  ])('refuses %j as "%s"', (input, problem) => {
    expect(problems(input)).toEqual([problem]);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(problems({ text: '😀😀😀😀😀' })).toEqual([]);
  });

  it('is not fooled by names that every object has', () => {
    const text = '{"type":"object","required":["constructor"],"properties":{"constructor":{"type":"string"}}}';
    const odd = InputSchema.parse(JSON.parse(text));
    expect(checkInput(odd, {}).problems).toMatchObject([{ field: 'constructor', code: 'required' }]);
    expect(checkInput(schema, { text: 'abc', toString: 'x' }).problems).toMatchObject([
      { field: 'toString', code: 'unknown' },
    ]);
  });

  it('gives values that it accepts again, unchanged', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('count', 'ratio', 'loud', 'mode'), value), (rest) => {
        const input = { ...rest, text: 'abc' };
        const first = checkInput(schema, input);
        const again = checkInput(schema, first.values);
        if (first.problems.length > 0) return;
        expect(again).toEqual({ values: first.values, problems: [] });
      }),
    );
  });
});

it('throws the first problem with its field and its sentence in both languages', () => {
  try {
    validateInput({ inputSchema: schema }, { text: 'abc', count: 99 });
    expect.unreachable();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(AppError);
    const { code, params, place } = thrown as AppError;
    expect(code).toBe('ACTION_INPUT_INVALID');
    expect(place).toEqual({ field: 'count' });
    expect(params).toMatchObject({ field: 'count', reason: 'too_big', limit: 10 });
    expect(params['detail']).toContain('10');
    expect(params['detail:zh-CN']).toContain('10');
  }
});

it('is the same rule as a zod schema', () => {
  expect(inputValidator(schema).parse({ text: 'abc' })).toEqual({ text: 'abc', count: 3, loud: false });
  const refused = inputValidator(schema).safeParse({ text: 'abc', count: 0, mode: 'z' });
  expect(refused.error?.issues.map(({ path }) => path)).toEqual([['count'], ['mode']]);
});

describe('patterns of unknown authors', () => {
  it.each([
    '(a+)+$',
    '(a|aa)*',
    '([a-z]+\\d?)+',
    '((a{1,9}){1,9})',
    '(.*\\n){0,20}x',
    '(?:a*)*b',
    '((ab)+)*',
    '(a{100}){1000}',
    'a{1,100000}',
    `${'a'.repeat(2000)}`,
  ])('refuses %s', (pattern) => {
    expect(compilePattern(pattern)).toBeNull();
  });

  it.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(foo|bar)$',
    '^https?://[^\\s]+$',
    '^(\\d{1,3})(\\.\\d{1,3}){3}$',
    '[(+*]+',
    '\\(a+\\)+',
    '^a{0,200}$',
  ])('accepts %s', (pattern) => {
    expect(compilePattern(pattern)).toBeInstanceOf(RegExp);
  });

  it('refuses what is no expression', () => {
    expect(compilePattern('(')).toBeNull();
  });
});
