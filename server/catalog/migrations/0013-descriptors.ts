import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was the built-in embedder, and its only version. */
const [before, after] = ['builtin@1', 'descriptors@1'];

/**
 * The embedder of classical descriptors gets a name of its own. Its vectors stay as they are: nothing is embedded again because of this.
 * A service with the setting `auto` that downloaded a model by itself keeps it: the model becomes its choice.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Views reference vectors by the embedder's identifier, and both change.
    await sql`pragma defer_foreign_keys = on`.execute(transaction);
    for (const table of ['chunk_vectors', 'chunk_views', 'workspaces']) {
      await sql`update ${sql.table(table)} set embedder_id = ${after} where embedder_id = ${before}`.execute(
        transaction,
      );
    }
    await sql`update jobs set payload = json_set(payload, '$.embedder_id', ${after})
      where payload ->> '$.embedder_id' = ${before}`.execute(transaction);
    await sql`update embedders set id = ${after}, reference = json_set(reference, '$.id', ${after}, '$.kind', 'descriptors')
      where id = ${before}`.execute(transaction);
    await sql`update service_settings set value = ${after} where name = 'target_embedder' and value = ${before}`.execute(
      transaction,
    );
    await sql`insert or ignore into service_settings (name, value)
      select 'chosen_embedder', 'siglip-base-patch16-224'
      from service_settings join embedders on embedders.id = service_settings.value
      where name = 'target_embedder' and embedders.reference ->> '$.folder' like '%/models/siglip-base-patch16-224'`.execute(
      transaction,
    );
  });
}

export const descriptors: Migration = { up };
