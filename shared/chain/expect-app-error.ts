import { AppError } from '../errors/app-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** For tests: runs what must fail with this code and gives the error; anything else is thrown on. */
export function expectAppError(code: ErrorCode, run: () => unknown): AppError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === code) return thrown;
    throw thrown;
  }
  throw new Error(`expected ${code}, but nothing failed`);
}
