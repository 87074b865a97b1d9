import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { StartupError } from '../errors/startup-error.ts';
import { dialectOf } from './dialect/dialect.ts';
import { isTransient } from './dialect/transient-errors.ts';
import type { Catalog } from './schema.ts';
import { readSetting, writeSetting } from './service-settings.ts';

/**
 * Applies the changes of the schema beside processes of the version before, which read and write meanwhile (a rolling update). In PostgreSQL
 * each change is a transaction of its own, so that its locks end with it, and waits for a lock for two seconds at most: what waits for a table
 * makes all wait that come after it. Then the others go on, and the change is tried again. With each change the database notes the oldest change
 * that a process must know to use it (`least_change`): one that is older than the schema goes on where it knows that one.
 */

/** The setting that holds the name of that change. It says something about one schema and is not moved. */
export const leastChangeSetting = 'least_change';

/** How long a change waits, milliseconds: `lock` for a lock at a time, `all` for its locks in all. */
type Patience = { lock: number; all: number };

const usual: Patience = { lock: 2000, all: 300_000 };

/** How long others go on between two attempts, milliseconds. */
const pauseMs = 1000;

/**
 * Applies the steps that a schema lacks, in the order of their names. Processes that do it at once wait for each other.
 * @param least the oldest change that a process must know to use the schema afterwards
 * @throws StartupError where a lock was not given in time; the steps before stay
 */
export async function applySteps(
  db: Catalog,
  steps: Record<string, Migration>,
  least: string,
  patience = usual,
): Promise<void> {
  const isPostgres = dialectOf(db).name === 'postgres';
  const noting = Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      {
        async up(transaction: Kysely<unknown>) {
          if (isPostgres) await sql`set local lock_timeout = ${sql.lit(patience.lock)}`.execute(transaction);
          await step.up(transaction);
          await noteLeastChange(transaction as unknown as Catalog, least);
        },
      },
    ]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(noting) } });
  if (!isPostgres) throwError(await migrator.migrateToLatest());
  else while (await applyNext(migrator, patience)) continue;
}

/** @returns whether there was a step to apply */
async function applyNext(migrator: Migrator, { all }: Patience): Promise<boolean> {
  for (const begun = performance.now(); ; await setTimeout(pauseMs)) {
    const outcome = await migrator.migrateUp();
    if (outcome.error === undefined) return (outcome.results?.length ?? 0) > 0;
    if (!isLockTimeout(outcome.error) && !isTransient(outcome.error)) throwError(outcome);
    if (performance.now() - begun < all) continue;
    const step = outcome.results?.find(({ status }) => status === 'Error')?.migrationName;
    throw new StartupError(
      `The change ${step} of the database waited ${Math.round(all / 1000)} s for a table that another session has locked, such as a backup (pg_stat_activity lists sessions); start again when that has ended. Processes of the version before go on meanwhile.`,
      { cause: outcome.error },
    );
  }
}

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';

function throwError({ error }: { error?: unknown }): void {
  if (error === undefined) return;
  throw error instanceof Error ? error : new Error('The database could not be brought up to date.');
}

/** A later one that another version noted stays. */
async function noteLeastChange(db: Catalog, least: string): Promise<void> {
  const noted = await readSetting(db, leastChangeSetting);
  if (noted === null || noted < least) await writeSetting(db, leastChangeSetting, least);
}
