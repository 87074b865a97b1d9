import { createReadStream } from 'node:fs';
import { isMachineError } from '@media-search/media/machine-error';
import { ModelError } from '@media-search/models/model-error';
import { classifyErrorCode, classifySystemError, type SystemFailure } from './system-errors.ts';

const machineFailures = new Set<SystemFailure>([
  'disk_full',
  'io',
  'read_only',
  'too_many_files',
  'out_of_memory',
  'catalog_inaccessible',
  'catalog_damaged',
  'catalog_locked',
  'database_away',
  'storage_away',
]);

/** Whether an error, or its cause, is a failure of the machine, the database or the storage and not of the media file at hand. */
export function isMachineFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof ModelError ||
    isMachineError(error) ||
    ('code' in error && typeof error.code === 'string' && isMachineCode(error.code)) ||
    classifySystemError(error) === 'database_away' ||
    isMachineFailure(error.cause)
  );
}

function isMachineCode(code: string): boolean {
  // A file may ask for more memory than there is; that is the fault of the file.
  if (code === 'ENOMEM') return false;
  const failure = classifyErrorCode(code);
  return failure !== undefined && machineFailures.has(failure);
}

/** Whether the disk gives a file from beginning to end, to be asked before the file is called damaged. */
export async function isFileReadable(file: string): Promise<boolean> {
  try {
    // oxlint-disable-next-line no-empty -- nothing is done with the bytes
    for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    }
    return true;
  } catch (error) {
    return !isMachineFailure(error);
  }
}
