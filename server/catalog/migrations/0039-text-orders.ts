import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The texts of an item are listed by time, counted and grouped by tracks from indexes that hold all it takes: some films have a hundred thousand
 * lines, and their rows are long. It may be run again.
 */
const addOrders = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index if not exists text_segments_by_time
    on text_segments (workspace_id, media_id, start_time, number, source, track)`.execute(db);
  await sql`create index if not exists text_segments_by_track
    on text_segments (workspace_id, media_id, source, track, language)`.execute(db);
  await sql`drop index if exists text_segments_of_item`.execute(db);
};

export const textOrders: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: { up: addOrders },
  postgres: { up: addOrders },
};
