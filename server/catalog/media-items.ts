import { type Selectable, sql } from 'kysely';
import type { ListMediaQuery } from '../../contract/media.ts';
import type { Catalog, Database } from './schema.ts';
import { recordUpload, refreshStorage } from './usage.ts';

export type MediaRow = Selectable<Database['media_items']>;
export type NewMedia = Pick<
  MediaRow,
  'workspace_id' | 'id' | 'filename' | 'type' | 'size' | 'mime_type' | 'sha256' | 'creator_id' | 'category_id'
>;

export function findMedia(db: Catalog, workspaceId: string, id: string): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function findMediaByContent(db: Catalog, workspaceId: string, sha256: string): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

/** One page of a workspace's media, and how many there are on all pages. */
export async function listMedia(
  db: Catalog,
  workspaceId: string,
  query: ListMediaQuery,
): Promise<{ rows: MediaRow[]; total: number }> {
  let matching = db.selectFrom('media_items').where('workspace_id', '=', workspaceId);
  if (query.status) matching = matching.where('status', '=', query.status);
  if (query.type) matching = matching.where('type', '=', query.type);
  if (query.creator_id) matching = matching.where('creator_id', '=', query.creator_id);
  if (query.category_id) matching = matching.where('category_id', '=', query.category_id);
  // instr, not LIKE: % and _ in a name are letters like any other.
  if (query.q) matching = matching.where(sql<boolean>`instr(lower(filename), lower(${query.q})) > 0`);
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const descending = query.sort.startsWith('-');
  const key = query.sort.replace('-', '') as 'created_at' | 'filename' | 'duration' | 'size';
  const direction = descending ? 'desc' : 'asc';
  const rows = await matching
    .selectAll()
    .orderBy(key === 'filename' ? sql`lower(filename)` : key, direction)
    .orderBy('id', direction)
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  return { rows, total };
}

/**
 * Stores a new item with its indexing job, durably and at once.
 * @returns the item that the workspace already has with these bytes when there is one; then nothing is stored
 */
export function addMedia(db: Catalog, media: NewMedia): Promise<{ row: MediaRow; duplicate: boolean }> {
  return db.transaction().execute(async (transaction) => {
    const existing = await findMediaByContent(transaction, media.workspace_id, media.sha256);
    if (existing) return { row: existing, duplicate: true };
    const now = new Date().toISOString();
    const row = await transaction
      .insertInto('media_items')
      .values({ ...media, status: 'pending', stage: 'queued', fraction: 0, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    await transaction
      .insertInto('jobs')
      .values({ workspace_id: media.workspace_id, media_id: media.id, created_at: now })
      .execute();
    await recordUpload(transaction, media.workspace_id);
    return { row, duplicate: false };
  });
}

/** Removes an item with its chunks, vectors, texts and job. False when there is none. */
export function deleteMedia(db: Catalog, workspaceId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('media_items')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await refreshStorage(transaction, workspaceId);
    return numDeletedRows > 0n;
  });
}

/** Identifiers of all items of a workspace, for finding folders that belong to none. */
export async function listMediaIds(db: Catalog, workspaceId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('media_items').select('id').where('workspace_id', '=', workspaceId).execute();
  return new Set(rows.map((row) => row.id));
}
