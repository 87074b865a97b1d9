import SQLite from 'better-sqlite3';

/** Tables that decide which files are kept: they are compared with their indexes row by row, which takes milliseconds. */
const criticalTables = ['workspaces', 'media_items', 'jobs'];

/**
 * Checks every page of a catalog for damage, by SQLite's `quick_check`, and the tables that decide which files are kept
 * by `integrity_check`. It writes nothing. It reads the complete file: half a second per gigabyte from the page cache, otherwise at the
 * speed of the disk.
 * @param file path of an SQLite file that exists
 * @returns the first fault, or null
 * Throws `SqliteError` when the file cannot be read as a database at all.
 */
export function quickCheckCatalog(file: string): string | null {
  const sqlite = new SQLite(file, { readonly: true });
  try {
    sqlite.pragma('busy_timeout = 10000');
    sqlite.pragma('mmap_size = 1073741824');
    const tables = sqlite.prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'").all();
    const present = new Set(tables.map(({ name }) => name));
    const checks = criticalTables.filter((name) => present.has(name)).map((name) => `integrity_check('${name}')`);
    for (const check of ['quick_check(1)', ...checks]) {
      const found = String(sqlite.pragma(check, { simple: true }));
      if (found !== 'ok') return found.replaceAll(/\s+/g, ' ');
    }
    return null;
  } finally {
    sqlite.close();
  }
}

/**
 * Whether a catalog lists any workspace. It writes nothing, and the write-ahead log is not changed: closing a connection that may
 * write checkpoints the log into the file, which cannot be undone if the two do not belong together.
 * Throws `SqliteError` when the file cannot be read as a database.
 */
export function hasWorkspaces(file: string): boolean {
  const sqlite = new SQLite(file, { readonly: true });
  try {
    sqlite.pragma('busy_timeout = 10000');
    const present = sqlite.prepare("select 1 from sqlite_schema where type = 'table' and name = 'workspaces'").get();
    return present !== undefined && sqlite.prepare('select 1 from workspaces').get() !== undefined;
  } finally {
    sqlite.close();
  }
}
