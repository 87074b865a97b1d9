import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which chunks have vectors is read from the index alone: the rows hold the vectors, gigabytes in a large catalog. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('chunk_vectors_new').execute();
  await db.schema
    .createIndex('chunk_vectors_in_order')
    .on('chunk_vectors')
    .columns(['workspace_id', 'embedder_id', 'sequence', 'chunk_number'])
    .execute();
}

export const vectorNumbers: Migration = { up };
