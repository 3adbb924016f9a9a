import { describe, expect, it } from 'vitest';
import { findTooDeep } from './json-depth.ts';

describe('findTooDeep', () => {
  it('finds the bracket that is one too many', () => {
    expect(findTooDeep('[[[1]]]', 3)).toBe(-1);
    expect(findTooDeep('[[[1]]]', 2)).toBe(2);
    expect(findTooDeep('[[],[],[],{"a":[]}]', 2)).toBe(15);
  });

  it('does not count brackets in strings, whatever stands before them', () => {
    expect(findTooDeep('["[[[[", "\\"[[["]', 1)).toBe(-1);
  });

  it('is not fooled by closing brackets in strings, by too many of them, or by strings that never end', () => {
    expect(findTooDeep('["]", ["]", [', 2)).toBe(12);
    expect(findTooDeep(']]]][[[', 2)).toBe(6);
    expect(findTooDeep('"\n[[[', 2)).toBe(4);
  });
});
