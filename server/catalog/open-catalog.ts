import SQLite, { type Statement } from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { LRUCache } from 'lru-cache';
import { StartupError } from '../startup/startup-error.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { accountsCreatorsPlans } from './migrations/0002-accounts-creators-plans.ts';
import { placeholders } from './migrations/0003-placeholders.ts';
import { embedders } from './migrations/0004-embedders.ts';
import { blankChunks } from './migrations/0005-blank-chunks.ts';
import { vectorNumbers } from './migrations/0006-vector-numbers.ts';
import { fencingTokens } from './migrations/0007-fencing-tokens.ts';
import { timelines } from './migrations/0008-timelines.ts';
import { mediaWarnings } from './migrations/0009-media-warnings.ts';
import { chunkViews } from './migrations/0010-chunk-views.ts';
import { originalChecks } from './migrations/0011-original-checks.ts';
import { oneJobTable } from './migrations/0012-one-job-table.ts';
import { descriptors } from './migrations/0013-descriptors.ts';
import { mediaTotals } from './migrations/0014-media-totals.ts';
import { itemChanges } from './migrations/0015-item-changes.ts';
import { dropChunkTexts } from './migrations/0016-drop-chunk-texts.ts';
import { capture } from './migrations/0017-capture.ts';
import { collectionsAndTags } from './migrations/0018-collections-and-tags.ts';
import { trash } from './migrations/0019-trash.ts';
import { shares } from './migrations/0020-shares.ts';
import { savedSearches } from './migrations/0021-saved-searches.ts';
import { apiKeyNames } from './migrations/0022-api-key-names.ts';
import { textSegments } from './migrations/0023-text-segments.ts';
import { jobTurns } from './migrations/0024-job-turns.ts';
import { readAgain } from './migrations/0025-read-again.ts';
import { textsInTurn } from './migrations/0026-texts-in-turn.ts';
import { draftModel } from './migrations/0027-draft-model.ts';
import type { Catalog, Database } from './schema.ts';

/** The changes of the schema, oldest first. */
export const migrations: Record<string, Migration> = {
  '0001-first-schema': firstSchema,
  '0002-accounts-creators-plans': accountsCreatorsPlans,
  '0003-placeholders': placeholders,
  '0004-embedders': embedders,
  '0005-blank-chunks': blankChunks,
  '0006-vector-numbers': vectorNumbers,
  '0007-fencing-tokens': fencingTokens,
  '0008-timelines': timelines,
  '0009-media-warnings': mediaWarnings,
  '0010-chunk-views': chunkViews,
  '0011-original-checks': originalChecks,
  '0012-one-job-table': oneJobTable,
  '0013-descriptors': descriptors,
  '0014-media-totals': mediaTotals,
  '0015-item-changes': itemChanges,
  '0016-drop-chunk-texts': dropChunkTexts,
  '0017-capture': capture,
  '0018-collections-and-tags': collectionsAndTags,
  '0019-trash': trash,
  '0020-shares': shares,
  '0021-saved-searches': savedSearches,
  '0022-api-key-names': apiKeyNames,
  '0023-text-segments': textSegments,
  '0024-job-turns': jobTurns,
  '0025-read-again': readAgain,
  '0026-texts-in-turn': textsInTurn,
  '0027-draft-model': draftModel,
};

/**
 * Opens the database and brings its schema up to date.
 * @param file path of the SQLite file, made when missing, or `:memory:`
 * Throws `StartupError` when a newer version of the service wrote it, and `SqliteError` when it cannot be opened.
 */
export async function openCatalog(file: string): Promise<Catalog> {
  const sqlite = new SQLite(file);
  try {
    setPragmas(sqlite);
    rejectNewerSchema(sqlite, file);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  const db = new Kysely<Database>({ dialect: new ImmediateSqliteDialect({ database: cacheStatements(sqlite) }) });
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error) {
    await db.destroy();
    throw error instanceof Error ? error : new Error('The database could not be brought up to date.');
  }
  return db;
}

/**
 * Opens a catalog that is open in this process already, only to read it: it waits for no writer, and no writer waits for it.
 * Throws `SqliteError` when it cannot be opened.
 */
export function openCatalogReader(file: string): Catalog {
  const sqlite = new SQLite(file, { readonly: true });
  sqlite.pragma('mmap_size = 1073741824');
  return new Kysely<Database>({ dialect: new SqliteDialect({ database: cacheStatements(sqlite) }) });
}

function setPragmas(sqlite: SQLite.Database): void {
  sqlite.pragma('journal_mode = WAL');
  // A commit that was acknowledged must survive a power cut, so the log is synced at each commit.
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('busy_timeout = 10000');
  // Memory-maps pages, which saves a system call for each: a search reads hundreds. Beyond this size SQLite reads as usual.
  sqlite.pragma('mmap_size = 1073741824');
}

/** Refuses a database with changes that this version does not know: it would misread it. */
function rejectNewerSchema(sqlite: SQLite.Database, file: string): void {
  const migrated = sqlite.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (migrated === undefined) return;
  const applied = sqlite.prepare<[], { name: string }>('select name from kysely_migration order by name').all();
  const unknown = applied.find(({ name }) => !Object.hasOwn(migrations, name));
  if (!unknown) return;
  throw new StartupError(
    `The catalog ${file} was written by a newer version of Media Search (it has the change ${unknown.name}); start that version, or put a backup from before in its place.`,
  );
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

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    const driver = new SqliteDriver(this.#config);
    driver.beginTransaction = async (connection) => {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
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
