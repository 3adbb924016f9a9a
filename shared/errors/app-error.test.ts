import { describe, expect, it, vi } from 'vitest';
import { AppError, errorHint, errorMessage, exitCodeOf, readWireError, toAppError } from './app-error.ts';

describe('an expected failure', () => {
  it('is known as one across two copies of its class, and nothing else is', async () => {
    vi.resetModules();
    const other = await import('./app-error.ts');
    expect(other.AppError).not.toBe(AppError);
    const foreign = new other.AppError('CONFLICT', { name: 'x' });
    expect(foreign).toBeInstanceOf(AppError);
    expect(toAppError(foreign)).toBe(foreign);
    for (const value of [new Error('x'), null, undefined, 'x', 5, {}, { code: 'CONFLICT', params: {}, place: {} }]) {
      expect(value instanceof AppError).toBe(false);
      expect(toAppError(value).code).toBe('INTERNAL');
    }
  });

  it('says its place before its sentence, in the language of the reader', () => {
    const params = { detail: 'a colon is missing', 'detail:zh-CN': '缺少冒号' };
    const error = new AppError('CHAIN_FILE_BROKEN', params, { file: 'a.json', line: 3, column: 5, field: 'steps' });
    expect(error.message).toMatch(/^a\.json:3:5 steps: .*a colon is missing/);
    expect(errorMessage(error, 'zh-CN')).toMatch(/^a\.json:3:5 steps: .*缺少冒号/);
    expect(errorHint(error, 'en')).not.toBe('');
    expect(exitCodeOf(error.code)).toBe(1);
  });

  it('crosses a wire and comes back the same; what is none is not taken for one', () => {
    const error = new AppError('CONFLICT', { name: 'x' }, { file: 'a.json' });
    const wire = readWireError(JSON.parse(JSON.stringify(error.toWire())));
    expect(wire).toEqual(error.toWire());
    expect(AppError.fromWire(wire!).message).toBe(error.message);
    for (const data of [null, 'CONFLICT', {}, { code: 5 }, { code: 'NO_SUCH_CODE' }, { code: 'toString' }]) {
      expect(readWireError(data)).toBeNull();
    }
  });
});
