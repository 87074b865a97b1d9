import type { ChunkForIndex, ItemChange, ItemForIndex } from '@media-search/search-engine/builder/index-source';
import { sql } from 'kysely';
import { type LabelColumn, labelColumns, type NumberColumn, numberColumns } from '../../../contract/fields.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { readGroupsOfItems } from '../labels/groups-of-items.ts';
import type { Catalog } from '../schema.ts';
import { listPassagesForIndex } from '../texts/passages.ts';
import { readChunkSegments } from '../texts/text-segments.ts';
import { isShape, notInTrash, shapes } from './media-filter.ts';

/**
 * The record of changes, from which search indexes are kept up to date. Triggers write it in the transaction of the change: when an item, its
 * labels, texts, chunks or vectors were added, changed or deleted, or moved to the trash or out of it, its row gets a new and larger sequence. Progress is no change.
 *
 * Each item has one row, and keeps it when it is deleted: an index of any age learns of the deletion. A row takes 0.2 KB with its indexes, much
 * less than one chunk did, and goes with its workspace. So nothing else removes rows, and the last change of a workspace only
 * grows.
 */

/** The sequence of the last change of a workspace; 0 before the first. Each search asks for it: one look into an index. */
export async function readLastChange(db: Catalog, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(sequence) as last from item_changes where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]?.last ?? 0;
}

/** How many items of some workspaces changed after a sequence of each. */
export async function countChangesAfter(db: Catalog, positions: ReadonlyMap<string, number>): Promise<number> {
  if (positions.size === 0) return 0;
  const rows = Array.from(positions, ([workspace_id, sequence]) => ({ workspace_id, sequence }));
  const { rows: found } = await sql<{ count: number }>`
    with known (workspace_id, sequence) as (${dialectOf(db).rowsIn({ workspace_id: 'text', sequence: 'integer' }, rows)})
    select count(*) as count from known join item_changes
    on item_changes.workspace_id = known.workspace_id and item_changes.sequence > known.sequence`.execute(db);
  return found[0]?.count ?? 0;
}

/** The items of a workspace that changed after `sequence`, in the order of their last changes, at most `limit`. */
export function listChangesAfter(
  db: Catalog,
  workspaceId: string,
  sequence: number,
  limit: number,
): Promise<ItemChange[]> {
  return db
    .selectFrom('item_changes')
    .select(['sequence', 'media_id'])
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

const storedLabels = labelColumns.filter((name): name is Exclude<LabelColumn, keyof typeof shapes> => !isShape(name));

/**
 * Those of some items that exist and are not in the trash, with their chunks, in no particular order. An item that another process changes
 * meanwhile may be read half before and half after that: it is among the changes then, and is read again.
 */
export async function readItemsForIndex(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<ItemForIndex[]> {
  const items = await db
    .selectFrom('media_items')
    .select(['id', 'filename', 'tags', ...storedLabels, ...numberColumns])
    .select([shapes.orientation.as('orientation'), shapes.resolution.as('resolution')])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(mediaIds))
    .where(notInTrash)
    .execute();
  const chunks = await db
    .selectFrom('chunks')
    .select(['media_id', 'number', 'start_time', 'end_time'])
    .where('workspace_id', '=', workspaceId)
    .where('media_id', 'in', dialectOf(db).textsIn(mediaIds))
    .execute();
  const segments = await readChunkSegments(
    db,
    workspaceId,
    chunks.map(({ number }) => number),
  );
  const passages = await listPassagesForIndex(db, workspaceId, mediaIds);
  const groups = await readGroupsOfItems(db, workspaceId, mediaIds);
  const chunksByItem = new Map(items.map(({ id }) => [id, [] as ChunkForIndex[]]));
  for (const { media_id, ...chunk } of chunks) {
    const texts = (segments.get(chunk.number) ?? []).map(({ source, text }) => ({ source, text }));
    chunksByItem.get(media_id)?.push({ ...chunk, texts });
  }
  return items.map((item) => ({
    ...item,
    ...(Object.fromEntries(numberColumns.map((name) => [name, toNumber(item[name])])) as Record<
      NumberColumn,
      number | null
    >),
    collection_id: groups.get(item.id)?.collection_ids ?? [],
    tag_id: groups.get(item.id)?.tag_ids ?? [],
    chunks: (chunksByItem.get(item.id) ?? []).sort((a, b) => a.number - b.number),
    passages: passages.get(item.id) ?? [],
  }));
}

/** A number as it is; of a time the milliseconds since 1970, of a local clock as if it were UTC. */
const toNumber = (value: number | string | null): number | null =>
  typeof value === 'string' ? Date.parse(value.endsWith('Z') ? value : `${value}Z`) : value;
