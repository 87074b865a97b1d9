import type { IndexedChunk } from '@media-search/indexing/indexed-media';
import type { EmbedderReference } from '@media-search/models/embedder';
import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from './dialect/dialect.ts';
import { joinVectors } from './media/chunk-vectors.ts';
import { newJob } from './queue/job-queue.ts';
import type { Catalog } from './schema.ts';
import { readSetting, writeSetting } from './service-settings.ts';
import { holdFor } from './sources/held-jobs.ts';
import { inService, inWorkspace } from './transactions.ts';

/** The target embedder: everything is to be embedded with it. */
const targetEmbedderSetting = 'target_embedder';

/**
 * Makes an embedder the target. Workspaces that hold vectors of another embedder keep answering from
 * those; each of their items gets a job to be re-embedded.
 */
export function setTargetEmbedder(db: Catalog, target: EmbedderReference): Promise<void> {
  return inService(db, async (transaction) => {
    const previous = await readSetting(transaction, targetEmbedderSetting);
    await transaction
      .insertInto('embedders')
      .values({ id: target.id, reference: JSON.stringify(target) })
      // The model folder may have moved.
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ reference: JSON.stringify(target) }))
      .execute();
    if (previous !== null) {
      // A workspace without an embedder of its own used the previous target.
      await transaction
        .updateTable('workspaces')
        .set({ embedder_id: previous })
        .where('embedder_id', 'is', null)
        .execute();
    }
    await writeSetting(transaction, targetEmbedderSetting, target.id);
    // Jobs for an earlier target are obsolete.
    if (previous !== target.id) await transaction.deleteFrom('jobs').where('kind', '=', 'reembed').execute();
    await enqueueReembedJobs(transaction, target.id, sql`true`);
  });
}

/**
 * Adds a re-embed job for an item that was just indexed when it has no vectors of the target: the target changed while a worker indexed the
 * item. Call it in the transaction that stores the vectors; otherwise searches no longer find the item once the target answers.
 */
export async function enqueueReembedIfNeeded(
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
  chunks: readonly IndexedChunk[],
): Promise<void> {
  const target = await readSetting(db, targetEmbedderSetting);
  if (target === null) return;
  if (chunks.every(({ embeddings }) => embeddings.some(({ embedderId }) => embedderId === target))) return;
  await enqueueReembedJobs(db, target, sql`chunks.workspace_id = ${workspace_id} and chunks.media_id = ${id}`);
}

/** Adds a re-embed job for each item that has a chunk without a vector of the embedder; recordings never have any. @param among a condition on `chunks` */
async function enqueueReembedJobs(db: Catalog, embedderId: string, among: RawBuilder<unknown>): Promise<void> {
  const job = newJob('reembed', { embedder_id: embedderId });
  const held = holdFor(sql.ref('chunks.workspace_id'), sql.ref('chunks.media_id'));
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select distinct chunks.workspace_id, chunks.media_id, ${job.kind}, cast(${job.priority} as integer) + ${held}, ${job.payload}, ${job.created_at}
    from chunks
    join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id and media_items.type <> 'audio'
    left join chunk_vectors on ${dialectOf(db).withoutIndex('chunk_vectors.workspace_id')} = chunks.workspace_id
      and chunk_vectors.chunk_number = chunks.number and chunk_vectors.embedder_id = ${embedderId}
    where chunk_vectors.sequence is null and ${among}
    on conflict do nothing
  `.execute(db);
}

/** The active embedder of a workspace: its vectors answer searches. */
export async function readActiveEmbedder(db: Catalog, workspaceId: string): Promise<string | null> {
  const workspace = await db
    .selectFrom('workspaces')
    .where('id', '=', workspaceId)
    .select('embedder_id')
    .executeTakeFirst();
  return workspace?.embedder_id ?? (await readSetting(db, targetEmbedderSetting));
}

/** An embedder that has been used here, or null. */
export async function findEmbedder(db: Catalog, id: string): Promise<EmbedderReference | null> {
  const row = await db.selectFrom('embedders').where('id', '=', id).select('reference').executeTakeFirst();
  return row ? (JSON.parse(row.reference) as EmbedderReference) : null;
}

/** The target embedder; null before a first start has chosen one. */
export async function readTargetEmbedder(db: Catalog): Promise<EmbedderReference | null> {
  const id = await readSetting(db, targetEmbedderSetting);
  return id === null ? null : findEmbedder(db, id);
}

/** How many items of a workspace have vectors of the target; null when the target answers there already. */
export async function readReembedProgress(
  db: Catalog,
  workspaceId: string,
): Promise<{ done: number; total: number } | null> {
  const target = await readSetting(db, targetEmbedderSetting);
  if ((await readActiveEmbedder(db, workspaceId)) === target) return null;
  const { total } = await db
    .selectFrom('media_totals')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'complete')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('items'), e.lit(0)).as('total'))
    .executeTakeFirstOrThrow();
  const { left } = await selectReembedJobs(db, workspaceId)
    .select((e) => e.fn.countAll<number>().as('left'))
    .executeTakeFirstOrThrow();
  return { done: Math.max(0, total - left), total };
}

/**
 * Makes the target the embedder that answers in a workspace, once no item there waits to be re-embedded. Vectors that the target's replace
 * are removed in the same transaction.
 * @returns whether the active embedder changed
 */
export async function switchEmbedderWhenReady(db: Catalog, workspaceId: string): Promise<boolean> {
  // Asked after each item, and almost always there is none: without the lock of the workspace.
  if ((await findOtherTarget(db, workspaceId)) === null) return false;
  return inWorkspace(db, workspaceId, async (transaction) => {
    const target = await findOtherTarget(transaction, workspaceId);
    if (target === null) return false;
    const waiting = await selectReembedJobs(transaction, workspaceId).select('media_id').limit(1).executeTakeFirst();
    if (waiting) return false;
    await transaction.updateTable('workspaces').set({ embedder_id: target }).where('id', '=', workspaceId).execute();
    await deleteReplacedVectors(transaction, workspaceId, target).execute();
    return true;
  });
}

/** The target where another embedder answers in a workspace; null: none is chosen, or it does. */
async function findOtherTarget(db: Catalog, workspaceId: string): Promise<string | null> {
  const target = await readSetting(db, targetEmbedderSetting);
  return target !== null && (await readActiveEmbedder(db, workspaceId)) !== target ? target : null;
}

/**
 * Removes the vectors of an item that no search reads: those of other embedders than the target, once the target answers in its workspace
 * and its own vectors are stored.
 */
export async function removeUnusedVectors(
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
): Promise<void> {
  const target = await readSetting(db, targetEmbedderSetting);
  if (target === null || (await readActiveEmbedder(db, workspace_id)) !== target) return;
  await deleteReplacedVectors(db, workspace_id, target)
    .where('chunk_number', 'in', (e) =>
      e.selectFrom('chunks').select('number').where('workspace_id', '=', workspace_id).where('media_id', '=', id),
    )
    .execute();
}

/**
 * Removes the vectors of a workspace that are of other embedders than `embedderId`. Chunks that have no vector of that one keep theirs: the
 * item may be embedded later, or the earlier embedder may be chosen again.
 */
const deleteReplacedVectors = (db: Catalog, workspaceId: string, embedderId: string) =>
  db
    .deleteFrom('chunk_vectors')
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '!=', embedderId)
    .where((e) =>
      e.exists(
        e
          .selectFrom('chunk_vectors as replacement')
          .select(e.lit(1).as('one'))
          .where(dialectOf(db).withoutIndex('replacement.workspace_id'), '=', workspaceId)
          .whereRef('replacement.chunk_number', '=', 'chunk_vectors.chunk_number')
          .where('replacement.embedder_id', '=', embedderId),
      ),
    );

const selectReembedJobs = (db: Catalog, workspaceId: string) =>
  db.selectFrom('jobs').where('workspace_id', '=', workspaceId).where('kind', '=', 'reembed');

/** The embedders that an item has vectors of, and the one that answers in its workspace. */
export async function listItemEmbedders(
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('chunks')
    .innerJoin('chunk_vectors', joinVectors(db))
    .where('chunks.workspace_id', '=', workspace_id)
    .where('chunks.media_id', '=', id)
    .select('chunk_vectors.embedder_id')
    .distinct()
    .execute();
  const active = await readActiveEmbedder(db, workspace_id);
  return [...new Set([...rows.map((row) => row.embedder_id), ...(active === null ? [] : [active])])];
}
