import type { Catalog } from './schema.ts';

/** Stored settings of the service, by name; null when not set. */
export async function readSetting(db: Catalog, name: string): Promise<string | null> {
  const row = await db.selectFrom('service_settings').where('name', '=', name).select('value').executeTakeFirst();
  return row?.value ?? null;
}

export async function writeSetting(db: Catalog, name: string, value: string): Promise<void> {
  await db
    .insertInto('service_settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** The embedder that `admin model use` chose, for a service whose setting is `auto`. */
export const chosenEmbedderSetting = 'chosen_embedder';

export async function forgetSetting(db: Catalog, name: string): Promise<void> {
  await db.deleteFrom('service_settings').where('name', '=', name).execute();
}
