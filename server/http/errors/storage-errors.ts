import { ApiError } from '../../errors/api-error.ts';
import { classifySystemError, type SystemFailure } from '../../errors/system-errors.ts';

const unavailable = (sentence: string, seconds: number) => (): ApiError =>
  new ApiError('unavailable', `${sentence} Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

const noRoom = (): ApiError =>
  new ApiError(
    'insufficient_storage',
    'The disk of this service has no room left, and nothing was stored. Tell its operator, and try again later.',
  );
const diskFailed = unavailable(
  'The disk of this service cannot be read or written, and nothing was stored. Tell its operator.',
  60,
);
/** The process or the machine has temporarily run out of a resource. */
const noResources = unavailable('This service has no resources left for this request.', 5);

/** The responses to clients. Other failures are bugs and become `internal_error`. */
const refusals: Partial<Record<SystemFailure, () => ApiError>> = {
  disk_full: noRoom,
  file_too_large: noRoom,
  io: diskFailed,
  read_only: diskFailed,
  catalog_inaccessible: diskFailed,
  too_many_files: noResources,
  out_of_memory: noResources,
  catalog_locked: noResources,
  conflict: unavailable('Another request changed the same at this moment, and nothing was stored.', 1),
  database_away: unavailable('The database of this service cannot be reached.', 5),
  storage_away: unavailable('The storage of this service cannot be reached.', 5),
};

/** Whether disk, database or operating system failed, and not the request. */
export const isStorageFailure = (error: unknown): boolean => toStorageError(error) !== undefined;

/** The refusal for a failure of disk, database or operating system; undefined for any other error. */
export function toStorageError(error: unknown): ApiError | undefined {
  const failure = classifySystemError(error);
  return failure && refusals[failure]?.();
}
