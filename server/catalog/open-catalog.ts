import SQLite, { type Statement } from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { foldText } from './dialect/fold-text.ts';
import { checkSchema, migrateSchema } from './prepare-schema.ts';
import type { Catalog, Database } from './schema.ts';

/**
 * Opens the database and brings its schema up to date.
 * @param file path of the SQLite file, made when missing, or `:memory:`
 * Throws `StartupError` when a newer version of the service wrote it, and `SqliteError` when it cannot be opened.
 */
export async function openCatalog(file: string): Promise<Catalog> {
  const sqlite = addFunctions(new SQLite(file));
  try {
    setPragmas(sqlite);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  const db = new Kysely<Database>({ dialect: new ImmediateSqliteDialect({ database: cacheStatements(sqlite) }) });
  try {
    if (await checkSchema(db, `The catalog ${file}`, ', or put a backup from before in its place'))
      await migrateSchema(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

/**
 * Opens a catalog that is open in this process already, only to read it: it waits for no writer, and no writer waits for it.
 * Throws `SqliteError` when it cannot be opened.
 */
export function openCatalogReader(file: string): Catalog {
  const sqlite = addFunctions(new SQLite(file, { readonly: true }));
  sqlite.pragma('mmap_size = 1073741824');
  return new Kysely<Database>({ dialect: new SqliteDialect({ database: cacheStatements(sqlite) }) });
}

/** How long a read of `openCountsCatalog` waits, milliseconds. Only the repair of the log after a killed process makes readers wait. */
const readTimeoutMs = 10_000;

/**
 * Opens a catalog that is open in this process already for what requests count. A transaction fails at once while another connection writes:
 * waiting would block all requests.
 */
export function openCountsCatalog(file: string): Catalog {
  let sqlite: SQLite.Database | undefined;
  // At the first query: Kysely closes no connection that was never used, and one that stays open keeps the log from being moved to the file.
  const open = () => {
    sqlite = new SQLite(file, { fileMustExist: true, timeout: readTimeoutMs });
    // Other connections sync the log with what they commit. A power cut may cost the counts since then, a crash of the service does not.
    sqlite.pragma('synchronous = NORMAL');
    // Other connections move what they wrote from the log to the file, at 1,000 pages: it takes long, and would block all requests. Where nothing
    // else is written, the log is as large as this with the same few pages, which are moved quickly.
    sqlite.pragma('wal_autocheckpoint = 10000');
    return Promise.resolve(cacheStatements(sqlite));
  };
  return new Kysely<Database>({
    dialect: new ImmediateSqliteDialect({ database: open }, (begin) => {
      sqlite?.pragma('busy_timeout = 0');
      return begin().finally(() => sqlite?.pragma(`busy_timeout = ${readTimeoutMs}`));
    }),
  });
}

/** What statements call that SQLite lacks. */
const addFunctions = (sqlite: SQLite.Database): SQLite.Database =>
  sqlite.function('fold_text', { deterministic: true }, (text) => (typeof text === 'string' ? foldText(text) : null));

function setPragmas(sqlite: SQLite.Database): void {
  sqlite.pragma('journal_mode = WAL');
  // A commit that was acknowledged must survive a power cut, so the log is synced at each commit.
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('busy_timeout = 10000');
  // Memory-maps pages, which saves a system call for each: a search reads hundreds. Beyond this size SQLite reads as usual.
  sqlite.pragma('mmap_size = 1073741824');
}

/** Prepared statements in the cache. A search uses about ten. */
const maxCachedStatements = 200;

/** Prepares each statement once: preparing takes longer than many queries. */
function cacheStatements(sqlite: SQLite.Database): SqliteDatabase {
  const statements = new LRUCache<string, Statement>({ max: maxCachedStatements });
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? sqlite.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => sqlite.close(),
  };
}

/**
 * Begins each transaction as a writer. SQLite lets a deferred one fail at its first write when another process (a worker)
 * has written since its first read, whatever the busy timeout.
 */
class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #aroundBegin: (begin: () => Promise<unknown>) => Promise<unknown>;

  constructor(config: SqliteDialectConfig, aroundBegin = (begin: () => Promise<unknown>) => begin()) {
    super(config);
    this.#config = config;
    this.#aroundBegin = aroundBegin;
  }

  override createDriver(): SqliteDriver {
    const driver = new SqliteDriver(this.#config);
    driver.beginTransaction = async (connection) => {
      await this.#aroundBegin(() => connection.executeQuery(CompiledQuery.raw('begin immediate')));
    };
    driver.rollbackTransaction = async (connection) => {
      // On a full or failing disk SQLite has already rolled back; then the first error has to be thrown.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch((error: Error) => {
        if (!/no transaction is active/.test(error.message)) throw error;
      });
    };
    return driver;
  }
}
