import { createReadStream } from 'node:fs';
import { constants } from 'node:os';
import { ModelError } from '../models/model-error.ts';
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
/** Names of the negative error numbers that FFmpeg gives. */
const errorNames = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));
/** libvips gives the message of the operating system, and no code. */
const libvipsMessages = /no space left on device|disk quota exceeded|read-only file system|too many open files/i;

/** Whether an error, or what caused it, is a failure of the machine and not of the media file at hand. */
export function isMachineFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof ModelError ||
    ('code' in error && isMachineCode(error.code)) ||
    classifySystemError(error) === 'database_away' ||
    libvipsMessages.test(error.message) ||
    isMachineFailure(error.cause)
  );
}

function isMachineCode(code: unknown): boolean {
  // A decoder that is loaded on demand is gone while the installation is being replaced.
  if (code === 'ERR_MODULE_NOT_FOUND') return true;
  const failure = classifyErrorCode(String(typeof code === 'number' ? errorNames.get(code) : code));
  // FFmpeg's demuxers report damaged files as EIO, see `isFileReadable`.
  if (failure === 'io' && typeof code === 'number') return false;
  // A file may ask for more memory than there is; that is the fault of the file.
  if (failure === 'out_of_memory' && (typeof code === 'number' || code === 'ENOMEM')) return false;
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
