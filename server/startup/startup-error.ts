import { statfsSync } from 'node:fs';
import { StartupError } from '../settings.ts';

/** What has to be done about an error of the operating system or of SQLite, by the beginning of its code. */
const remedies: [code: RegExp, sentence: (dataDirectory: string, reason: string) => string][] = [
  [
    /^(ENOSPC|EDQUOT|SQLITE_FULL)/,
    (folder) => `The disk that holds the data folder ${folder} is full; make room and start again.`,
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    (folder, reason) =>
      `The catalog ${folder}/catalog.db is damaged (${reason}); nothing was changed. Put a backup in its place: npm run --silent admin -- restore FOLDER --force.`,
  ],
  [
    /^(SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM|SQLITE_AUTH)/,
    (folder, reason) =>
      `The catalog ${folder}/catalog.db cannot be opened and written (${reason}); give the user that runs the service the right to, or set DATA_DIR.`,
  ],
  [
    /^(SQLITE_IOERR|EIO)/,
    (folder, reason) =>
      `The disk that holds the data folder ${folder} fails to read or write (${reason}); check the disk and its cables before starting again.`,
  ],
  [
    /^SQLITE_BUSY/,
    (folder) => `Another program keeps the catalog ${folder}/catalog.db locked; end that and start again.`,
  ],
  [
    /^(EACCES|EPERM|EROFS|EEXIST|ENOTDIR|EISDIR)/,
    (folder, reason) => `The data folder ${folder} cannot be written (${reason}); set DATA_DIR to one that can.`,
  ],
  [
    /^(EMFILE|ENFILE)/,
    (_, reason) =>
      `The system lets this process open too few files (${reason}); raise the limit, such as with ulimit -n 4096.`,
  ],
];

/** An error as one sentence for the person who starts the service; undefined when it is none that they can do something about. */
export function toStartupError(error: unknown, dataDirectory: string): StartupError | undefined {
  if (error instanceof StartupError) return error;
  let code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // SQLite gives a full disk under its shared memory the code of any other failure.
  if (code.startsWith('SQLITE_IOERR') && freeBytes(dataDirectory) < minFreeBytes) code = 'SQLITE_FULL';
  const sentence = remedies.find(([pattern]) => pattern.test(code))?.[1];
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
