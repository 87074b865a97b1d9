import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StartupError } from '../../errors/startup-error.ts';
import { isKnownMigration, migrationsOf } from '../migrations.ts';
import type { Catalog } from '../schema.ts';

/** Brings the schema up to date, or makes sure that it is. Several processes may do it at once: they wait for each other. */
export async function prepareSchema(db: Catalog, migrate: boolean): Promise<void> {
  const applied = await listApplied(db);
  const unknown = applied.find((name) => !isKnownMigration(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `The database of DATABASE_URL was written by a newer version of Media Search (it has the change ${unknown}); start that version.`,
    );
  }
  const migrations = migrationsOf('postgres');
  if (applied.length === Object.keys(migrations).length) return;
  if (!migrate) {
    throw new StartupError(
      'The database of DATABASE_URL was written by an earlier version of Media Search, or is empty; start the service, which brings it up to date.',
    );
  }
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new StartupError(
      `The database of DATABASE_URL could not be brought up to date: ${error instanceof Error ? error.message : 'the reason is unknown'}.`,
    );
  }
}

async function listApplied(db: Catalog): Promise<string[]> {
  const { rows } = await sql<{
    present: string | null;
  }>`select to_regclass('kysely_migration')::text as present`.execute(db);
  if (rows[0]?.present === null) return [];
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return applied.rows.map(({ name }) => name);
}
