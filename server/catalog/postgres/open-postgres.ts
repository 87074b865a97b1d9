import { Kysely, PostgresDialect, sql } from 'kysely';
import { StartupError } from '../../errors/startup-error.ts';
import { completeTransactions } from '../dialect/postgres.ts';
import type { Catalog, Database } from '../schema.ts';
import { createPool } from './pool.ts';
import { prepareSchema } from './prepare-schema.ts';
import { toUnreachable } from './unreachable.ts';
import { writeChangedTexts } from './write-texts.ts';

/** The oldest version that is still maintained, as the driver numbers it. */
const oldestServer = 150_000;
/** The first version of pgvector with iterative scans. */
const oldestVector = '0.8.0';

export type OpenOptions = {
  /** Whether the schema is brought up to date. Otherwise it must be: one process does it, before it starts others. */
  migrate: boolean;
  /** How many statements run at once, in PostgreSQL. */
  connections: number;
};

/**
 * Opens the catalog in a PostgreSQL database.
 * Throws `StartupError` where the database cannot hold a catalog or holds one of another version, and the driver's error where it does not answer.
 */
export async function openPostgresCatalog(url: string, { migrate, connections }: OpenOptions): Promise<Catalog> {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: createPool(url, connections) }) });
  try {
    await checkServer(db).catch((error: unknown) => {
      throw toUnreachable(error);
    });
    await prepareSchema(db, migrate);
    completeTransactions(db, writeChangedTexts);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

type Server = {
  version: string;
  number: number;
  encoding: string;
  /** Whether the database has pgvector. */
  has_vector: boolean;
  /** Whether this user may add it. */
  may_add: boolean;
  /** Its version, there or to be had; null: the server does not have it. */
  vector: string | null;
};

/** Whether the server can hold a catalog. */
async function checkServer(db: Catalog): Promise<void> {
  const { rows } = await sql<Server>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      pg_encoding_to_char(encoding) as encoding,
      exists (select 1 from pg_extension where extname = 'vector') as has_vector,
      (select bool_or(superuser is false or trusted) from pg_available_extension_versions where name = 'vector')
        or current_setting('is_superuser') = 'on' as may_add,
      coalesce((select extversion from pg_extension where extname = 'vector'),
        (select default_version from pg_available_extensions where name = 'vector')) as vector
    from pg_database where datname = current_database()`.execute(db);
  const server = rows[0];
  if (!server) throw new Error('PostgreSQL did not say what it is.');
  if (server.number < oldestServer) {
    throw new StartupError(`DATABASE_URL names PostgreSQL ${server.version}; Media Search needs 15 or later.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new StartupError(
      `The database of DATABASE_URL has the encoding ${server.encoding}; create one with UTF8 (create database … encoding 'UTF8' template template0).`,
    );
  }
  if (server.vector === null) {
    throw new StartupError(
      'The server of DATABASE_URL lacks the extension vector; install pgvector 0.8 or later on it (https://github.com/pgvector/pgvector).',
    );
  }
  if (!server.has_vector && !server.may_add) {
    throw new StartupError(
      'The database of DATABASE_URL lacks the extension vector, and this user may not add it; have a superuser run create extension vector in it.',
    );
  }
  if (server.vector.localeCompare(oldestVector, 'en', { numeric: true }) < 0) {
    throw new StartupError(
      `The server of DATABASE_URL has pgvector ${server.vector}; Media Search needs 0.8 or later (alter extension vector update).`,
    );
  }
}
