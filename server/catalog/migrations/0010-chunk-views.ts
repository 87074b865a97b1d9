import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const text = 'text';

/** Vectors of the views of a chunk: moments of a video, crops of a photograph. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('chunk_views')
    .addColumn('chunk_number', 'integer', (column) => column.notNull())
    .addColumn('embedder_id', text, (column) => column.notNull())
    .addColumn('vectors', 'blob', (column) => column.notNull())
    .addUniqueConstraint('chunk_views_key', ['chunk_number', 'embedder_id'])
    .addForeignKeyConstraint(
      'chunk_views_vector',
      ['chunk_number', 'embedder_id'],
      'chunk_vectors',
      ['chunk_number', 'embedder_id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  // Chunks that were indexed before have none: they are re-embedded while workers are idle.
  await sql`
    insert or ignore into embedding_jobs (workspace_id, media_id)
    select distinct workspace_id, media_id from chunks
  `.execute(db);
}

export const chunkViews: Migration = { up };
