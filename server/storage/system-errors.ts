/** Whether an error has a code of the operating system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** The codes of the operating system and of SQLite, by what failed. SQLite's are without details: `SQLITE_IOERR_WRITE` counts as `SQLITE_IOERR`. */
const codes = {
  /** No room on the disk, or in a quota of the operating system. */
  disk_full: ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'],
  /** Larger than the file system or a limit of the process allows. */
  file_too_large: ['EFBIG'],
  /** The disk cannot read or write. */
  io: ['EIO', 'SQLITE_IOERR'],
  read_only: ['EROFS'],
  no_permission: ['EACCES', 'EPERM'],
  /** A file is where a folder should be, or the other way round. */
  wrong_file_type: ['EEXIST', 'ENOTDIR', 'EISDIR'],
  too_many_files: ['EMFILE', 'ENFILE'],
  out_of_memory: ['ENOMEM', 'SQLITE_NOMEM'],
  catalog_inaccessible: ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM', 'SQLITE_AUTH'],
  catalog_damaged: ['SQLITE_CORRUPT', 'SQLITE_NOTADB'],
  /** Another program holds it. */
  catalog_locked: ['SQLITE_BUSY', 'SQLITE_LOCKED'],
};

/** What of the machine failed: its disk, its resources, or the catalog on it. */
export type SystemFailure = keyof typeof codes;

const failures = new Map(
  Object.entries(codes).flatMap(([failure, names]) => names.map((name) => [name, failure as SystemFailure])),
);

/** What failed, by the code of an error; undefined for a code that says nothing of the kind. */
export const classifyErrorCode = (code: string): SystemFailure | undefined =>
  failures.get(/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code);

/** What failed of the machine; undefined for any other error. */
export function classifySystemError(error: unknown): SystemFailure | undefined {
  return error instanceof Error && 'code' in error ? classifyErrorCode(String(error.code)) : undefined;
}
