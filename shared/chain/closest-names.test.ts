import { describe, expect, it } from 'vitest';
import { closestNames } from './closest-names.ts';

const names = ['git-sync', 'git-push', 'skills-security-check', 'word-count', '安全审计', '安全检查'];

describe('closestNames', () => {
  it.each([
    ['git-snyc', ['git-sync']],
    ['Git Sync', ['git-sync']],
    ['gitpush', ['git-push']],
    ['security-check', ['skills-security-check']],
    ['安全审核', ['安全审计']],
    ['weather', []],
    ['', []],
    ['x', []],
  ])('takes %j for %j', (name, expected) => {
    expect(closestNames(name, names)).toEqual(expected);
  });

  it('gives the nearest first, each once, no more than asked for', () => {
    expect(closestNames('abcdef', ['abcxyz', 'abcdxx', 'abcdex', 'abcdex', 'abcdef!'], 2)).toEqual([
      'abcdex',
      'abcdef!',
    ]);
  });
});
