import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { MediaType } from '../../contract/media.ts';
import { foldName } from './labels.ts';
import type { Catalog, Database } from './schema.ts';

export type ChunkFilter = {
  creator_id?: string | undefined;
  category_id?: string | undefined;
  type?: MediaType | undefined;
};

/** A chunk with what a hit shows of its item. */
export type FoundChunk = Pick<
  Selectable<Database['chunks']>,
  'number' | 'id' | 'media_id' | 'position' | 'start_time' | 'end_time' | 'thumbnail_file'
> &
  Pick<
    Selectable<Database['media_items']>,
    'filename' | 'type' | 'mime_type' | 'creator_id' | 'category_id' | 'rendition_file'
  >;

export type StoredVector = { sequence: number; chunk_number: number; vector: Float32Array };

/** A vector with where its chunk stands in its item. */
export type PlacedVector = StoredVector & { media_id: string; position: number };

/** Any number of numbers as one parameter. */
const numbersIn = (numbers: number[]) => sql<number>`(select value from json_each(${JSON.stringify(numbers)}))`;

type ChunksWithMedia = SelectQueryBuilder<Database, 'chunks' | 'media_items', object>;

/**
 * The chunks of a workspace that a filter lets through, joined with their items.
 * @param among only chunks with these numbers
 */
function filteredChunks(
  db: Catalog,
  workspaceId: string,
  filter: ChunkFilter,
  among: number[] | null = null,
): ChunksWithMedia {
  let query: ChunksWithMedia = db
    .selectFrom('chunks')
    .innerJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'chunks.workspace_id')
        .onRef('media_items.id', '=', 'chunks.media_id'),
    )
    // The plus sign keeps SQLite from going through the whole workspace where it is to look some numbers up.
    .where(
      among ? sql<boolean>`+chunks.workspace_id = ${workspaceId}` : sql<boolean>`chunks.workspace_id = ${workspaceId}`,
    );
  if (among) query = query.where('chunks.number', 'in', numbersIn(among));
  if (filter.creator_id) query = query.where('media_items.creator_id', '=', filter.creator_id);
  if (filter.category_id) query = query.where('media_items.category_id', '=', filter.category_id);
  if (filter.type) query = query.where('media_items.type', '=', filter.type);
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
  'media_items.creator_id',
  'media_items.category_id',
  'media_items.rendition_file',
] as const;

/** The chunks with these identifiers that exist, in no particular order. */
export function findChunksById(db: Catalog, workspaceId: string, ids: string[]): Promise<FoundChunk[]> {
  return filteredChunks(db, workspaceId, {}).where('chunks.id', 'in', ids).select(foundColumns).execute();
}

/** The chunks with these numbers that exist and pass the filter, in no particular order. */
export function findChunks(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
  filter: ChunkFilter,
): Promise<FoundChunk[]> {
  return filteredChunks(db, workspaceId, filter, numbers).select(foundColumns).execute();
}

/** Vectors that were stored after `sequence`, the oldest first, at most `limit`. */
export async function readVectorsAfter(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  sequence: number,
  limit: number,
): Promise<StoredVector[]> {
  const rows = await db
    .selectFrom('chunk_vectors')
    .select(['sequence', 'chunk_number', 'vector'])
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, vector: toFloats(row.vector) }));
}

/** The chunks whose vectors were stored up to `sequence`. */
export async function listVectorNumbers(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  sequence: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('chunk_vectors')
    .select('chunk_number')
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .where('sequence', '<=', sequence)
    .execute();
  return rows.map((row) => row.chunk_number);
}

/** The vectors of the chunks that a filter lets through, the newest first, at most `limit`; with `blank: false` only of such as show something. */
export async function readFilteredVectors(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  filter: ChunkFilter & { blank?: false },
  limit: number,
): Promise<PlacedVector[]> {
  let query = filteredChunks(db, workspaceId, filter)
    .innerJoin('chunk_vectors', 'chunk_vectors.chunk_number', 'chunks.number')
    .where('chunk_vectors.embedder_id', '=', embedderId);
  if (filter.blank === false) query = query.where('chunks.blank', '=', 0);
  const rows = await query
    .select([
      'chunk_vectors.sequence',
      'chunk_vectors.chunk_number',
      'chunk_vectors.vector',
      'chunks.media_id',
      'chunks.position',
    ])
    .orderBy('chunk_vectors.sequence', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, vector: toFloats(row.vector) }));
}

/** Which vectors a workspace has under an embedder: changes with each that comes or goes. */
export type VectorVersion = { latest: number; count: number };

export async function readVectorVersion(db: Catalog, workspaceId: string, embedderId: string): Promise<VectorVersion> {
  const row = await db
    .selectFrom('chunk_vectors')
    .select((e) => [e.fn.max('sequence').as('latest'), e.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .executeTakeFirstOrThrow();
  return { latest: row.latest ?? 0, count: row.count };
}

/** How many vectors were stored after `sequence`. */
export async function countVectorsAfter(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  sequence: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('chunk_vectors')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .where('sequence', '>', sequence)
    .executeTakeFirstOrThrow();
  return count;
}

/** All chunks of a workspace that have a vector and show something, with where they stand in their items; the oldest first. */
export function listPlacedChunks(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
): Promise<{ number: number; media_id: string; position: number }[]> {
  return filteredChunks(db, workspaceId, {})
    .innerJoin('chunk_vectors', 'chunk_vectors.chunk_number', 'chunks.number')
    .where('chunk_vectors.embedder_id', '=', embedderId)
    .where('chunks.blank', '=', 0)
    .select(['chunks.number', 'chunks.media_id', 'chunks.position'])
    .orderBy('chunks.number')
    .execute();
}

/** The vectors of these chunks, by chunk number. */
export async function readChunkVectors(
  db: Catalog,
  embedderId: string,
  numbers: number[],
): Promise<Map<number, Float32Array>> {
  const rows = await db
    .selectFrom('chunk_vectors')
    .select(['chunk_number', 'vector'])
    .where('embedder_id', '=', embedderId)
    .where('chunk_number', 'in', numbersIn(numbers))
    .execute();
  return new Map(rows.map((row) => [row.chunk_number, toFloats(row.vector)]));
}

/** The vectors of an item's chunks, or of one of them. */
export async function readItemVectors(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  mediaId: string,
  chunkId: string | undefined,
): Promise<Float32Array[]> {
  let query = db
    .selectFrom('chunks')
    .innerJoin('chunk_vectors', 'chunk_vectors.chunk_number', 'chunks.number')
    .where('chunks.workspace_id', '=', workspaceId)
    .where('chunks.media_id', '=', mediaId)
    .where('chunk_vectors.embedder_id', '=', embedderId);
  if (chunkId !== undefined) query = query.where('chunks.id', '=', chunkId);
  const rows = await query.select('chunk_vectors.vector').execute();
  return rows.map(({ vector }) => toFloats(vector));
}

/** A value that changes whenever a workspace's chunks or their filing change. */
export async function readChunkVersion(db: Catalog, workspaceId: string): Promise<string> {
  const media = await db
    .selectFrom('media_items')
    .where('workspace_id', '=', workspaceId)
    .select((e) => [e.fn.max('updated_at').as('latest'), e.fn.countAll<number>().as('items')])
    .executeTakeFirstOrThrow();
  return `${media.latest}/${media.items}`;
}

/** One page of an item's chunks in order of time. */
export function listChunks(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  page: { page: number; per_page: number },
): Promise<Selectable<Database['chunks']>[]> {
  return db
    .selectFrom('chunks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .orderBy('position')
    .limit(page.per_page)
    .offset((page.page - 1) * page.per_page)
    .execute();
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

/**
 * Full-text search over chunk text, file names and tags (BM25; words in file names and tags count double).
 * @param match an FTS5 expression that is known to be well-formed
 * @returns chunk numbers with their relevance, higher is better, the best first
 */
export async function searchChunkTexts(
  db: Catalog,
  workspaceId: string,
  match: string,
  filter: ChunkFilter,
  limit: number,
): Promise<{ number: number; relevance: number }[]> {
  // FTS5 ranks quickly when it is asked for nothing else, so the filter comes after; what it takes away is made up for by
  // asking for more.
  for (let window = 2 * limit; ; window *= 8) {
    const { rows: ranked } = await sql<{ number: number; rank: number }>`
      select rowid as number, rank from chunk_texts
      where chunk_texts match ${match} and rank match 'bm25(1.0, 2.0, 2.0)' order by rank limit ${window}
    `.execute(db);
    const passing = new Set(
      await passFilter(
        db,
        workspaceId,
        ranked.map(({ number }) => number),
        filter,
      ),
    );
    if (passing.size < limit && ranked.length === window) continue;
    return ranked
      .filter(({ number }) => passing.has(number))
      .toSorted((a, b) => a.rank - b.rank || b.number - a.number)
      .slice(0, limit)
      .map(({ number, rank }) => ({ number, relevance: -rank }));
  }
}

/** Those of some chunks that belong to a workspace and pass a filter. */
async function passFilter(db: Catalog, workspaceId: string, numbers: number[], filter: ChunkFilter): Promise<number[]> {
  const rows = await filteredChunks(db, workspaceId, filter, numbers).select('chunks.number').execute();
  return rows.map(({ number }) => number);
}

/** Those of some chunks whose texts a full-text expression matches. */
export async function matchChunkTexts(db: Catalog, match: string, numbers: number[]): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select rowid as number from chunk_texts
    where chunk_texts match ${match} and rowid in ${numbersIn(numbers)}
  `.execute(db);
  return rows.map(({ number }) => number);
}

/** Chunks of items whose creator or category has a term in its name, the newest first, at most `limit`. */
export async function searchLabels(
  db: Catalog,
  workspaceId: string,
  term: string,
  filter: ChunkFilter,
  limit: number,
): Promise<number[]> {
  // `instr`, not `like`: a term may hold what would be a wildcard there.
  const named = async (table: 'creators' | 'categories') =>
    (
      await db
        .selectFrom(table)
        .where('workspace_id', '=', workspaceId)
        .where(sql<boolean>`instr(folded_name, ${foldName(term)}) > 0`)
        .select('id')
        .execute()
    ).map(({ id }) => id);
  const [creators, categories] = [await named('creators'), await named('categories')];
  // Most words name nobody; then the chunks need not be gone through.
  if (creators.length + categories.length === 0) return [];
  const rows = await filteredChunks(db, workspaceId, filter)
    .where((e) => e.or([e('media_items.creator_id', 'in', creators), e('media_items.category_id', 'in', categories)]))
    .select('chunks.number')
    .orderBy('chunks.number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ number }) => number);
}

/** A piece of text, and whether it is what a search matched. */
export type ExcerptPart = { text: string; matched: boolean };

/** The passages of chunks that a full-text expression matched, about twenty words each, by chunk number. */
export async function readExcerpts(db: Catalog, match: string, numbers: number[]): Promise<Map<number, ExcerptPart[]>> {
  const { rows } = await sql<{ rowid: number; excerpt: string }>`
    select rowid, snippet(chunk_texts, -1, '⟦', '⟧', '…', 20) as excerpt from chunk_texts
    where chunk_texts match ${match} and rowid in ${numbersIn(numbers)}
  `.execute(db);
  return new Map(rows.map(({ rowid, excerpt }) => [rowid, toExcerptParts(excerpt)]));
}

/** Takes the rare brackets away that stand around what matched. */
function toExcerptParts(excerpt: string): ExcerptPart[] {
  return excerpt
    .split(/(⟦[^⟧]*⟧)/)
    .filter((text) => text !== '')
    .map((text) => (text.startsWith('⟦') ? { text: text.slice(1, -1), matched: true } : { text, matched: false }));
}

function toFloats(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  // Floats must begin at a multiple of four; where they do not they are copied.
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(new Uint8Array(bytes).buffer);
}
