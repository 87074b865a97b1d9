import { statfsSync } from 'node:fs';
import { classifySystemError, hasErrorCode, type SystemFailure } from './system-errors.ts';

/** A wrong setting, or an environment that the service cannot run in. The message is a sentence for the operator. */
export class StartupError extends Error {
  override name = 'StartupError';
}

const cannotBeWritten = (folder: string, reason: string): string =>
  `The data folder ${folder} cannot be written (${reason}); set DATA_DIR to one that can.`;

/** What an operator has to do about a failure. Other failures are bugs. */
const remedies: Partial<Record<SystemFailure, (dataDirectory: string, reason: string) => string>> = {
  disk_full: (folder) => `The disk that holds the data folder ${folder} is full; make room and start again.`,
  catalog_damaged: (folder, reason) =>
    `The catalog ${folder}/catalog.db is damaged (${reason}); nothing was changed. Put a backup in its place: npm run --silent admin -- restore FOLDER --force.`,
  catalog_inaccessible: (folder, reason) =>
    `The catalog ${folder}/catalog.db cannot be opened and written (${reason}); give the user that runs the service the right to, or set DATA_DIR.`,
  catalog_locked: (folder) =>
    `Another program keeps the catalog ${folder}/catalog.db locked; end that and start again.`,
  io: (folder, reason) =>
    `The disk that holds the data folder ${folder} fails to read or write (${reason}); check the disk and its cables before starting again.`,
  database_away: (_, reason) =>
    `The database of DATABASE_URL cannot be reached (${reason}); start it or correct DATABASE_URL, then start again.`,
  storage_away: (_, reason) => `The bucket of STORAGE_URL cannot be used: ${reason}`,
  no_permission: cannotBeWritten,
  read_only: cannotBeWritten,
  wrong_file_type: cannotBeWritten,
  too_many_files: (_, reason) =>
    `The system lets this process open too few files (${reason}); raise the limit, such as with ulimit -n 4096.`,
};

/** An error as one sentence for the operator; undefined for an error that an operator cannot mend. */
export function toStartupError(error: unknown, dataDirectory: string): StartupError | undefined {
  if (error instanceof StartupError) return error;
  const failure = classifySystemError(error);
  if (!failure) return undefined;
  // SQLite gives a full disk under its shared memory the code of any other failure.
  const isFull = failure === 'io' && !hasErrorCode(error, 'EIO') && freeBytes(dataDirectory) < minFreeBytes;
  const sentence = remedies[isFull ? 'disk_full' : failure];
  return sentence && new StartupError(sentence(dataDirectory, (error as Error).message), { cause: error });
}

/** With less than this, bytes, SQLite cannot open a database: its shared memory begins at 32 KiB. */
const minFreeBytes = 64 * 1024;

/** Bytes that can still be written to the disk of a folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
