import { createReadStream } from 'node:fs';
import { constants } from 'node:os';

/** What ails the disk or the operating system, and no file: full, over quota, read-only, too many open files. */
const errorCodes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'] as const;
const errorNumbers = new Set<unknown>(errorCodes.map((code) => -constants.errno[code]));
const sqliteCodes = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|CANTOPEN|READONLY|CORRUPT|NOTADB)/;
/** libvips passes the operating system's sentence on, and no code. */
const libvipsMessages = /no space left on device|disk quota exceeded|read-only file system|too many open files/i;

/**
 * Whether an error, or what caused it, is a failure of the machine and not of the media file at hand. FFmpeg's EIO is not one: its
 * demuxers report damaged files by it, see `isFileReadable`.
 */
export function isMachineFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  return (
    code === 'EIO' ||
    errorCodes.some((known) => known === code) ||
    errorNumbers.has(code) ||
    (typeof code === 'string' && sqliteCodes.test(code)) ||
    libvipsMessages.test(error.message) ||
    isMachineFailure(error.cause)
  );
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
