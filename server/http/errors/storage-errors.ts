import { ApiError } from '../../api-error.ts';

/** Nothing more can be stored until somebody makes room: on the disk, in a quota, or within the largest file allowed. */
const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']);
/** The disk does not work, or not for writing. */
const broken = new Set(['EIO', 'EROFS', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']);
/** The process or the machine has run out of something that comes back by itself. */
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'SQLITE_NOMEM', 'SQLITE_BUSY']);

/** The code of a failed call, without SQLite's details (`SQLITE_IOERR_WRITE`). */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
}

/** Whether disk, database or operating system failed, and not the request. */
export const isStorageFailure = (error: unknown): boolean =>
  [full, broken, exhausted].some((codes) => codes.has(codeOf(error)));

/** The refusal for a failure of disk, database or operating system; undefined for any other error. */
export function toStorageError(error: unknown): ApiError | undefined {
  const code = codeOf(error);
  if (full.has(code)) {
    return new ApiError(
      'insufficient_storage',
      'The disk of this service has no room left, and nothing was stored. Tell its operator, and try again later.',
    );
  }
  const unavailable = (sentence: string, seconds: number) =>
    new ApiError('unavailable', `${sentence} Try again in ${seconds} seconds.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  if (broken.has(code)) {
    return unavailable(
      'The disk of this service cannot be read or written, and nothing was stored. Tell its operator.',
      60,
    );
  }
  if (exhausted.has(code)) return unavailable('This service has no resources left for this request.', 5);
  return undefined;
}
