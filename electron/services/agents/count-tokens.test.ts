import { describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.ts';

describe('the tokens of a text', () => {
  it('are those of a real encoding', async () => {
    expect(await countTokens('')).toBe(0);
    expect(await countTokens('hello world')).toBe(2);
    expect(await countTokens('The quick brown fox jumps over the lazy dog.')).toBe(10);
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('are counted in bounded work, also for one endless word and for texts without end', async () => {
    // Unbounded, this word alone would take minutes.
    const word = await countTokens('a'.repeat(400_000));
    expect(word).toBeGreaterThan(40_000);
    const sentence = '整合多个技能为有序调用链，提取关键步骤。The quick brown fox jumps. ';
    const one = await countTokens(sentence.repeat(100));
    const many = await countTokens(sentence.repeat(20_000));
    expect(many / 200).toBeGreaterThan(one * 0.98);
    expect(many / 200).toBeLessThan(one * 1.02);
  });

  it('of a long run of Chinese differ little from those of the run in one piece', async () => {
    const run = '提取关键步骤并按依赖关系串联形成可复用的执行模板';
    const pieces = (await countTokens(`${run} `)) * 40;
    const whole = await countTokens(run.repeat(40));
    expect(Math.abs(whole - pieces)).toBeLessThan(pieces * 0.1);
  });
});
