import { StartupError } from '../../errors/startup-error.ts';
import { checkSchema, migrateSchema } from '../prepare-schema.ts';
import type { Catalog } from '../schema.ts';

/** Brings the schema up to date, or makes sure that it is. */
export async function prepareSchema(db: Catalog, migrate: boolean): Promise<void> {
  const isOutdated = await checkSchema(db, 'The database of DATABASE_URL');
  if (!isOutdated) return;
  if (!migrate) {
    throw new StartupError(
      'The database of DATABASE_URL was written by an earlier version of Media Search, or is empty; start the service, which brings it up to date.',
    );
  }
  await migrateSchema(db).catch((error: Error) => {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database of DATABASE_URL could not be brought up to date: ${error.message}.`);
  });
}
