import type { Catalog } from './schema.ts';

/** Reads one row, to see whether the database answers. */
export async function pingCatalog(db: Catalog): Promise<void> {
  await db.selectFrom('workspaces').select('id').limit(1).execute();
}
