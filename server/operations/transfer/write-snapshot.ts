import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { copyCatalog } from './copy-catalog.ts';

/**
 * Writes a snapshot of a catalog into a new SQLite file, while the service continues to write to it. Every row is read, so a damaged
 * catalog fails here (`SQLITE_CORRUPT`) instead of being copied.
 * @param file must not exist
 */
export async function writeSnapshot(db: Catalog, file: string): Promise<void> {
  if (dialectOf(db).name === 'sqlite') {
    await sql`vacuum into ${file}`.execute(db);
    return;
  }
  const target = await openCatalog(file);
  const silent = { addTotal: () => undefined, advance: () => undefined };
  const copy = { target, targetName: file, move: randomUUID(), progress: silent };
  try {
    // All that it reads is as of its first statement.
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((source) => copyCatalog({ ...copy, source, unchanged: () => Promise.resolve(true) }));
  } finally {
    await target.destroy();
  }
}
