import { AppError } from '../../../shared/errors/app-error.ts';

/** The system's error code (`ENOENT`, `EACCES` ...) of a thrown value; an empty text when it carries none. */
export function errnoOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}

/** FILE_LOCKED for a file that another program holds, else FILE_UNREADABLE. */
export function readError(file: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (errnoOf(thrown) === 'EBUSY') return new AppError('FILE_LOCKED', { file }, { file }, { cause: thrown });
  return new AppError('FILE_UNREADABLE', { file, detail: detailOf(thrown) }, { file }, { cause: thrown });
}

/** FILE_LOCKED for a file that another program holds, else FILE_UNWRITABLE. */
export function writeError(file: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (errnoOf(thrown) === 'EBUSY') return new AppError('FILE_LOCKED', { file }, { file }, { cause: thrown });
  return new AppError('FILE_UNWRITABLE', { file, detail: detailOf(thrown) }, { file }, { cause: thrown });
}

function detailOf(thrown: unknown): string {
  return errnoOf(thrown) || (thrown instanceof Error ? thrown.message : String(thrown));
}
