/** Whether an error has a code of the operating system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Null for a file or folder that does not exist, as the handler of an error. Throws any other error. */
export function nullIfAbsent(error: unknown): null {
  if (hasErrorCode(error, 'ENOENT')) return null;
  throw error;
}

/** Another machine, or a program on this one, cannot be reached. */
const networkCodes = 'ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ETIMEDOUT ENOTFOUND EAI_AGAIN'.split(' ');

/** Its server is restarting, full, unreachable, for the moment read-only, or refuses this user. */
const databaseCodes = '08 25006 25P03 28 3D 53 57P01 57P02 57P03 57P05 58'.split(' ');

/**
 * The codes of the operating system, of SQLite and of PostgreSQL, by what failed. SQLite's are without details: `SQLITE_IOERR_WRITE` counts as
 * `SQLITE_IOERR`. Of PostgreSQL (https://www.postgresql.org/docs/15/errcodes-appendix.html) a class of two characters stands for all its codes
 * that are not named.
 */
const codes = {
  /** No room on the disk, or in a quota of the operating system. */
  disk_full: ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100'],
  /** Larger than the file system or a limit of the process allows. */
  file_too_large: ['EFBIG'],
  /** The disk cannot read or write. */
  io: ['EIO', 'SQLITE_IOERR'],
  read_only: ['EROFS'],
  no_permission: ['EACCES', 'EPERM'],
  /** A file is where a folder should be, or the other way round. */
  wrong_file_type: ['EEXIST', 'ENOTDIR', 'EISDIR'],
  too_many_files: ['EMFILE', 'ENFILE'],
  out_of_memory: ['ENOMEM', 'SQLITE_NOMEM', '53200'],
  catalog_inaccessible: ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM', 'SQLITE_AUTH'],
  catalog_damaged: ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'XX001', 'XX002'],
  /** Another program holds it; or transactions failed because of others, several times. */
  catalog_locked: ['SQLITE_BUSY', 'SQLITE_LOCKED', '40', '55P03'],
  /** Two wrote the same, or one what the other needed, and a lock that should have kept them apart is missing. Only PostgreSQL lets it happen. */
  conflict: ['23503', '23505'],
  database_away: [...networkCodes, ...databaseCodes],
  /** The bucket cannot be reached, refuses or fails. */
  storage_away: ['ERR_STORAGE'],
};

/** What of the machine failed: its disk, its resources, or the catalog on it. */
export type SystemFailure = keyof typeof codes;

const failures = new Map(
  Object.entries(codes).flatMap(([failure, names]) => names.map((name) => [name, failure as SystemFailure])),
);

/** What failed, by the code of an error; undefined for a code that says nothing of the kind. */
export const classifyErrorCode = (code: string): SystemFailure | undefined =>
  failures.get(/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code) ?? failures.get(sqlClass(code));

/** The class of a code of PostgreSQL; '' for another code. */
const sqlClass = (code: string): string => /^(\d.)...$/.exec(code)?.[1] ?? '';

/** What the driver of PostgreSQL says, without a code, of a connection that broke or could not be made in time. */
const connectionLost =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|timeout expired)/;

/** What failed of the machine; undefined for any other error. */
export function classifySystemError(error: unknown): SystemFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = 'code' in error ? error.code : undefined;
  // A client that breaks off its request is no failure; Node gives that the code of a connection that broke, and no system call.
  if (code === 'ECONNRESET' && !('syscall' in error)) return undefined;
  if (typeof code === 'string') return classifyErrorCode(code);
  return connectionLost.test(error.message) ? 'database_away' : undefined;
}
