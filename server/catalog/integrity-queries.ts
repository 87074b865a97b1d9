import { sql } from 'kysely';
import { dialectOf } from './dialect/dialect.ts';
import { readActiveEmbedder } from './embedders.ts';
import type { MediaRow } from './media/media-items.ts';
import { enqueueJob } from './queue/job-queue.ts';
import type { Catalog } from './schema.ts';
import { isSourceOffline } from './sources/sources.ts';
import { inService, inWorkspace } from './transactions.ts';

/** What is wrong with the rows of an item. */
export type RowFault = Pick<MediaRow, 'workspace_id' | 'id'> & { fault: string };

/** Items whose rows contradict each other. Items that are being indexed or embedded are skipped. */
export async function findRowFaults(db: Catalog): Promise<RowFault[]> {
  const { rows } = await sql<RowFault>`
    with complete as (
      select workspace_id, id, chunk_count from media_items m where status = 'complete' and not exists
        (select 1 from jobs j where j.workspace_id = m.workspace_id and j.media_id = m.id and j.kind = 'reembed')
    )
    select m.workspace_id, m.id,
      (select count(*) from chunks c where c.workspace_id = m.workspace_id and c.media_id = m.id)
        || ' chunks are stored instead of ' || m.chunk_count as fault
    from complete m
    where m.chunk_count <> (select count(*) from chunks c where c.workspace_id = m.workspace_id and c.media_id = m.id)`.execute(
    db,
  );
  return rows;
}

/** Items of a workspace with chunks that have no vector of the embedder that answers there: they are found by their texts only. */
export async function findItemsWithoutVectors(db: Catalog, workspaceId: string): Promise<RowFault[]> {
  const embedderId = await readActiveEmbedder(db, workspaceId);
  const { rows } = await sql<RowFault>`
    select m.workspace_id, m.id, count(*) || ' chunks have no vector of ' || ${embedderId} as fault
    from media_items m join chunks c on c.workspace_id = m.workspace_id and c.media_id = m.id
    where m.workspace_id = ${workspaceId} and m.status = 'complete'
    and not exists (select 1 from jobs j where j.workspace_id = m.workspace_id and j.media_id = m.id and j.kind = 'reembed')
    and not exists (select 1 from chunk_vectors v where ${dialectOf(db).withoutIndex('v.workspace_id')} = c.workspace_id and v.chunk_number = c.number and v.embedder_id = ${embedderId})
    group by m.workspace_id, m.id`.execute(db);
  return rows;
}

/** Pending items without a job: no worker would ever claim them. */
export async function findStuckMedia(db: Catalog): Promise<Pick<MediaRow, 'workspace_id' | 'id'>[]> {
  return selectStuckMedia(db).select(['workspace_id', 'id']).execute();
}

/** Adds a job for each pending item without one. */
export async function enqueueStuckMedia(db: Catalog): Promise<void> {
  await inService(db, async (transaction) => {
    for (const item of await findStuckMedia(transaction)) await enqueueJob(transaction, item, 'index', {});
  });
}

/**
 * Has a complete item of a source indexed again, as one whose file changed: the workers know what lies beside it, and reach its source.
 * Throws where that cannot be.
 */
export async function enqueueReindexing(db: Catalog, row: MediaRow): Promise<void> {
  // It would wait, and be called unfinished, for as long as that is away.
  if (await isSourceOffline(db, row)) throw new Error('its source is offline');
  await inWorkspace(db, row.workspace_id, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('media_items')
      .set({ status: 'pending', stage: 'queued', fraction: 0, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id)
      .where('status', '=', 'complete')
      .where('indexed_at', '=', row.indexed_at)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Error('it was changed meanwhile');
    await enqueueJob(transaction, row, 'index', {});
  });
}

const selectStuckMedia = (db: Catalog) =>
  db
    .selectFrom('media_items')
    .where('status', 'in', ['pending', 'indexing'])
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('jobs')
            .select(e.lit(1).as('one'))
            .whereRef('jobs.workspace_id', '=', 'media_items.workspace_id')
            .whereRef('jobs.media_id', '=', 'media_items.id')
            .where('jobs.kind', '=', 'index'),
        ),
      ),
    );

/** The thumbnails that the chunks of an item reference. */
export async function listThumbnails(
  db: Catalog,
  { workspace_id, id }: Pick<MediaRow, 'workspace_id' | 'id'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('chunks')
    .select('thumbnail_file')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .execute();
  return rows.map((row) => row.thumbnail_file);
}
