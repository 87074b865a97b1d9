import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';
import { type ChunkSegment, readChunkSegments } from '../texts/text-segments.ts';
import { filterConditions, isUnfiltered, notInTrash } from './media-filter.ts';
import {
  readWorkspaceState,
  type StateColumns,
  stateColumns,
  toState,
  type WorkspaceState,
} from './workspace-state.ts';

/** A chunk with the columns of its item that a hit shows. */
export type FoundChunk = Pick<
  Selectable<Database['chunks']>,
  'number' | 'id' | 'media_id' | 'position' | 'start_time' | 'end_time' | 'thumbnail_file'
> &
  Pick<
    Selectable<Database['media_items']>,
    | 'filename'
    | 'type'
    | 'mime_type'
    | 'width'
    | 'height'
    | 'creator_id'
    | 'category_id'
    | 'stack_id'
    | 'rendition_file'
    | 'renditions_token'
    | 'source_id'
    | 'source_path'
  >;

type ChunksWithMedia = SelectQueryBuilder<Database, 'chunks' | 'media_items', object>;

/**
 * The chunks of a workspace that pass a filter, joined with their items. Those of items in the trash are left out.
 * @param onlyNumbers only chunks with these numbers
 */
export function filteredChunks(
  db: Catalog,
  workspaceId: string,
  filter: MediaFilter,
  onlyNumbers: number[] | null = null,
): ChunksWithMedia {
  let query: ChunksWithMedia =
    !onlyNumbers && !isUnfiltered(filter)
      ? // Reads the items that pass first, then their chunks. SQLite keeps the order of a cross join.
        db
          .selectFrom('media_items')
          .crossJoin('chunks')
          .where('media_items.workspace_id', '=', workspaceId)
          .whereRef('chunks.workspace_id', '=', 'media_items.workspace_id')
          .whereRef('chunks.media_id', '=', 'media_items.id')
      : db
          .selectFrom('chunks')
          .innerJoin('media_items', (join) =>
            join
              .onRef('media_items.workspace_id', '=', 'chunks.workspace_id')
              .onRef('media_items.id', '=', 'chunks.media_id'),
          )
          // Numbers are looked up by their key, not among all chunks of the workspace.
          .where(
            onlyNumbers ? dialectOf(db).withoutIndex<string>('chunks.workspace_id') : 'chunks.workspace_id',
            '=',
            workspaceId,
          );
  if (onlyNumbers) query = query.where('chunks.number', 'in', dialectOf(db).numbersIn(onlyNumbers));
  for (const condition of [notInTrash, ...filterConditions(db, workspaceId, filter, onlyNumbers !== null)])
    query = query.where(condition);
  return query;
}

const foundColumns = [
  'chunks.number',
  'chunks.id',
  'chunks.media_id',
  'chunks.position',
  'chunks.start_time',
  'chunks.end_time',
  'chunks.thumbnail_file',
  'media_items.filename',
  'media_items.type',
  'media_items.mime_type',
  'media_items.width',
  'media_items.height',
  'media_items.creator_id',
  'media_items.category_id',
  'media_items.stack_id',
  'media_items.rendition_file',
  'media_items.renditions_token',
  'media_items.source_id',
  'media_items.source_path',
] as const;

/** The chunks with these identifiers that exist, in no particular order. */
export function findChunksById(db: Catalog, workspaceId: string, ids: string[]): Promise<FoundChunk[]> {
  return filteredChunks(db, workspaceId, {}).where('chunks.id', 'in', ids).select(foundColumns).execute();
}

/** Those of the chunks with these numbers that exist and pass a filter, in no particular order. */
export function findChunks(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
  filter: MediaFilter = {},
): Promise<FoundChunk[]> {
  return filteredChunks(db, workspaceId, filter, numbers).select(foundColumns).execute();
}

/** The texts by which a chunk is found: what is said and written in it, and file name and tags of its item. */
export type ChunkTexts = { segments: ChunkSegment[]; filename: string; tags: string };

/**
 * Those of the chunks with these numbers that exist and pass a filter, and their texts, in no particular order; with the state of the workspace at that moment, by which
 * a search knows whether it has to rank again. Each search reads its hits by it, so these are statements that need not be built from parts.
 * @param read the numbers of those whose texts are read; the others have none
 */
export async function findChunksWithTexts(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
  filter: MediaFilter,
  read: number[] = numbers,
): Promise<{ found: { chunk: FoundChunk; texts: ChunkTexts }[]; state: WorkspaceState }> {
  const { rows } = await sql<FoundChunk & StateColumns & { tags: string }>`
    select ${stateColumns(db, workspaceId)}, chunks.number, chunks.id, chunks.media_id, chunks.position, chunks.start_time, chunks.end_time,
      chunks.thumbnail_file, media_items.filename, media_items.tags, media_items.type, media_items.mime_type, media_items.width, media_items.height,
      media_items.creator_id, media_items.category_id, media_items.stack_id, media_items.rendition_file, media_items.renditions_token,
      media_items.source_id, media_items.source_path
    from chunks
    join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where ${dialectOf(db).withoutIndex('chunks.workspace_id')} = ${workspaceId} and chunks.number in ${dialectOf(db).numbersIn(numbers)}
      and ${sql.join([notInTrash, ...filterConditions(db, workspaceId, filter, true)], sql` and `)}
  `.execute(db);
  const segments = read.length > 0 ? await readChunkSegments(db, workspaceId, read) : new Map<number, ChunkSegment[]>();
  const found = rows.map((row) => ({
    chunk: toFoundChunk(row),
    texts: { segments: segments.get(row.number) ?? [], filename: row.filename, tags: row.tags },
  }));
  const [first] = rows;
  return { found, state: first ? toState(first) : await readWorkspaceState(db, workspaceId) };
}

/** The columns of a chunk among others of its row, each named: to copy what is left of an object takes ten times as long. */
const toFoundChunk = (row: FoundChunk): FoundChunk => ({
  number: row.number,
  id: row.id,
  media_id: row.media_id,
  position: row.position,
  start_time: row.start_time,
  end_time: row.end_time,
  thumbnail_file: row.thumbnail_file,
  filename: row.filename,
  type: row.type,
  mime_type: row.mime_type,
  width: row.width,
  height: row.height,
  creator_id: row.creator_id,
  category_id: row.category_id,
  stack_id: row.stack_id,
  rendition_file: row.rendition_file,
  renditions_token: row.renditions_token,
  source_id: row.source_id,
  source_path: row.source_path,
});

/** One page of an item's chunks in order of time, with what is said and written in each. */
export async function listChunks(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  page: { page: number; per_page: number },
): Promise<(Selectable<Database['chunks']> & { segments: ChunkSegment[] })[]> {
  const rows = await db
    .selectFrom('chunks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .orderBy('position')
    .limit(page.per_page)
    .offset((page.page - 1) * page.per_page)
    .execute();
  const segments = await readChunkSegments(
    db,
    workspaceId,
    rows.map(({ number }) => number),
  );
  return rows.map((row) => ({ ...row, segments: segments.get(row.number) ?? [] }));
}

/** Numbers of an item's chunks. */
export async function listChunkNumbers(db: Catalog, workspaceId: string, mediaId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('chunks')
    .select('number')
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .execute();
  return rows.map((row) => row.number);
}
