import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { StartupError } from '../errors/startup-error.ts';
import { applySteps, leastChangeSetting } from './apply-steps.ts';
import { dialectOf } from './dialect/dialect.ts';
import { baselineName, lastBeforeBaseline, leastChange, migrationsOf } from './migrations.ts';
import type { Catalog } from './schema.ts';
import { readSetting } from './service-settings.ts';

/** The changes of a version before 0.2.0 have these numbers in front. */
const isBeforeBaseline = (name: string) => name < '0038' && name !== baselineName;

/**
 * Refuses a database that this version cannot use: one with changes of a newer version, unless that says that this one may go on, and one that is
 * older than the baseline.
 * @param place what the database is called in messages
 * @param advice what else helps against a newer version
 * @returns whether the schema has to be brought up to date
 */
export async function checkSchema(db: Catalog, place: string, advice = ''): Promise<boolean> {
  const applied = await listApplied(db);
  const known = migrationsOf(dialectOf(db).name);
  const isOutdated = Object.keys(known).some((name) => !applied.includes(name));
  const unknown = applied.find((name) => !Object.hasOwn(known, name) && !isBeforeBaseline(name));
  if (unknown !== undefined) {
    const least = await readSetting(db, leastChangeSetting);
    if (isOutdated || least === null || !Object.hasOwn(known, least)) {
      throw new StartupError(
        `${place} was written by a newer version of Media Search (it has the change ${unknown}); start that version${advice}.`,
      );
    }
  }
  if (applied.some(isBeforeBaseline) && !applied.includes(lastBeforeBaseline)) {
    throw new StartupError(
      `${place} was written by a version of Media Search that this one no longer reads; start version 0.1.0 (commit 9df9b898) on it once, then this one.`,
    );
  }
  return isOutdated;
}

/** Says in the log that a newer version has changed the schema, in the middle of a rolling update or after a step back. */
export async function noteNewerSchema(db: Catalog, log: Pick<FastifyBaseLogger, 'warn'>): Promise<void> {
  const known = migrationsOf(dialectOf(db).name);
  const unknown = (await listApplied(db)).find((name) => !Object.hasOwn(known, name) && !isBeforeBaseline(name));
  if (unknown === undefined) return;
  log.warn(
    `The database was written by a newer version of Media Search (it has the change ${unknown}), which lets this one go on; update it soon.`,
  );
}

/** Brings a schema that was checked up to date. Several processes may do it at once: they wait for each other. */
export async function migrateSchema(db: Catalog): Promise<void> {
  await stampBaseline(db);
  await applySteps(db, migrationsOf(dialectOf(db).name), leastChange);
}

/** Notes the baseline in place of the steps that led to it, where they were all made. Processes that do it at once wait for each other's rows. */
async function stampBaseline(db: Catalog): Promise<void> {
  if (!(await listApplied(db)).includes(lastBeforeBaseline)) return;
  await db.transaction().execute(async (transaction) => {
    const { numAffectedRows } =
      await sql`update kysely_migration set name = ${baselineName} where name = ${lastBeforeBaseline}`.execute(
        transaction,
      );
    if (numAffectedRows === 1n) await sql`delete from kysely_migration where name < '0037'`.execute(transaction);
  });
}

/** The changes that a database has; none where it is empty. */
async function listApplied(db: Catalog): Promise<string[]> {
  const table =
    dialectOf(db).name === 'sqlite'
      ? sql`select 1 from sqlite_schema where name = 'kysely_migration'`
      : sql`select 1 from pg_class where oid = to_regclass('kysely_migration')`;
  if ((await table.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
