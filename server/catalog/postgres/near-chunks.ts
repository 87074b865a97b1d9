import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { toHalfvec } from '../dialect/halfvec.ts';
import { filterConditions, isUnfiltered, notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';

/** The vectors of a workspace under one embedder, all of so many dimensions. */
export type VectorSpace = { workspaceId: string; embedderId: string; dimensions: number };

/** Chunks of a workspace, those of items in the trash included, and those of items in the trash. `change`: the last change of an item there. */
export type ChunkCounts = { all: number; trashed: number; change: number };

/** Which chunks are searched: those of items that pass a filter, of one item, or with some numbers. None of an item in the trash is. */
export type ChunkScope = {
  filter: MediaFilter;
  mediaId?: string | undefined;
  numbers?: number[] | undefined;
  counts: ChunkCounts;
};

/** What is looked for. `query`: a unit vector. `count`: chunks that are returned at most. When `signal` aborts, the server stops working on it. */
export type NearQuery = { query: Float32Array; among: ChunkScope; count: number; signal?: AbortSignal | undefined };

/** A chunk and the cosine of its vector and the query's, both at half precision. */
export type NearChunk = { number: number; similarity: number };

/**
 * So many vectors are compared one by one, within some 20 ms: all are found, and the scores of all are right. An index finds nine of ten, and fewer
 * behind a filter that few pass. So a count decides, not the planner, which prefers the index however few there are.
 */
export const maxCompared = 20_000;

/** pgvector indexes no `halfvec` with more dimensions. */
const maxIndexedDimensions = 4000;

/** Candidates of a search in an index (`hnsw.ef_search`), and the most that pgvector takes. */
const [minCandidates, maxCandidates] = [200, 1000];

/** Whether vectors are compared one by one, or found by an index. */
export const chooseScan = (count: number, dimensions: number, most = maxCompared): 'exact' | 'index' =>
  count <= most || dimensions > maxIndexedDimensions ? 'exact' : 'index';

export async function readChunkCounts(db: Catalog, workspaceId: string): Promise<ChunkCounts> {
  const { rows } = await sql<ChunkCounts>`
    select
      (select coalesce(sum(chunks), 0)::bigint from media_totals where workspace_id = ${workspaceId}) as "all",
      (select coalesce(sum(chunks), 0)::bigint from trash_totals where workspace_id = ${workspaceId}) as trashed,
      (select coalesce(max(sequence), 0) from item_changes where workspace_id = ${workspaceId}) as change
  `.execute(db);
  return rows[0] as ChunkCounts;
}

/**
 * The chunks whose vectors are nearest to a query, the nearest first. Where an index finds too few behind a filter, all that pass are compared after
 * all. A workspace whose index is not made yet is compared as a whole.
 * @param most vectors that are compared without an index
 */
export async function findNearChunks(
  db: Catalog,
  space: VectorSpace,
  asked: NearQuery,
  most = maxCompared,
): Promise<NearChunk[]> {
  if (chooseScan(await countSearched(db, space, asked, most), space.dimensions, most) === 'index') {
    const found = await searchIndex(db, space, asked);
    if (found.length === asked.count) return found;
  }
  return compareAll(db, space, asked);
}

/** The cosines of a query and some chunks, by their numbers; none for a chunk without a vector. */
export async function compareChunks(
  db: Catalog,
  { workspaceId, embedderId }: VectorSpace,
  query: Float32Array,
  numbers: number[],
  signal?: AbortSignal,
): Promise<Map<number, number>> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<Compared>`
    select chunk_number as number, vector <=> ${toHalfvec(query)}::halfvec as distance
    from chunk_vectors
    where workspace_id = ${workspaceId} and embedder_id = ${embedderId} and chunk_number = any(${numbers}::bigint[])
  `.execute(db, cancelledBy(signal));
  return new Map(rows.map((row) => [row.number, toNearChunk(row).similarity]));
}

const cancelledBy = (signal: AbortSignal | undefined) =>
  ({ signal, inflightQueryAbortStrategy: 'cancel query' }) as const;

type Compared = { number: number; distance: number };

/** The distance to a vector without a direction is NaN. */
const toNearChunk = ({ number, distance }: Compared): NearChunk => ({
  number,
  similarity: Number.isNaN(distance) ? 0 : 1 - distance,
});

/** The chunks that are searched, as far as it matters to `chooseScan`. */
async function countSearched(
  db: Catalog,
  { workspaceId }: VectorSpace,
  { among: { filter, mediaId, numbers, counts }, signal }: NearQuery,
  most: number,
): Promise<number> {
  if (mediaId !== undefined) return 0;
  if (numbers) return numbers.length;
  const live = counts.all - counts.trashed;
  if (live <= most || isUnfiltered(filter)) return live;
  const { rows } = await sql<{ chunks: number }>`
    select coalesce(sum(chunk_count), 0)::bigint as chunks from (
      select chunk_count from media_items
      where workspace_id = ${workspaceId} and chunk_count > 0 and ${allOf(itemConditions(db, workspaceId, filter, false))}
      limit ${sql.lit(most + 1)}
    ) as passing
  `.execute(db, cancelledBy(signal));
  return rows[0]?.chunks ?? 0;
}

/** Compares all vectors that are searched. The inner select is computed first, so that no index is used. */
async function compareAll(
  db: Catalog,
  { workspaceId, embedderId }: VectorSpace,
  { query, among: { filter, mediaId, numbers, counts }, count, signal }: NearQuery,
): Promise<NearChunk[]> {
  const conditions = [
    sql<SqlBool>`chunk_vectors.workspace_id = ${workspaceId} and chunk_vectors.embedder_id = ${embedderId}`,
    ...(numbers ? [sql<SqlBool>`chunk_vectors.chunk_number = any(${numbers}::bigint[])`] : []),
    ...(mediaId === undefined ? [] : [sql<SqlBool>`media_items.id = ${mediaId}`]),
  ];
  const readsItems = mediaId !== undefined || !isUnfiltered(filter) || counts.trashed > 0;
  if (readsItems) conditions.push(...itemConditions(db, workspaceId, filter, numbers !== undefined));
  const { rows } = await sql<Compared>`
    select number, distance from (
      select chunk_vectors.chunk_number as number, chunk_vectors.vector <=> ${toHalfvec(query)}::halfvec as distance
      from chunk_vectors ${readsItems ? itemsOfVectors : sql``}
      where ${allOf(conditions)}
      offset 0
    ) as compared
    order by distance, number desc limit ${count}
  `.execute(db, cancelledBy(signal));
  return rows.map(toNearChunk);
}

const itemsOfVectors = sql`
  join chunks on chunks.workspace_id = chunk_vectors.workspace_id and chunks.number = chunk_vectors.chunk_number
  join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id`;

/**
 * Searches the index of the workspace (`vector-indexes.ts`). What its condition names is given as literals and the settings are those of the
 * transaction, because a plan for any parameter would not use it. Items are looked up one by one, nearest first, until enough pass.
 */
function searchIndex(
  db: Catalog,
  { workspaceId, embedderId, dimensions }: VectorSpace,
  { query, among: { filter, numbers, counts }, count, signal }: NearQuery,
): Promise<NearChunk[]> {
  const distance = sql`vector::halfvec(${sql.lit(dimensions)}) <=> ${toHalfvec(query)}::halfvec(${sql.lit(dimensions)})`;
  const conditions = [
    sql<SqlBool>`chunk_vectors.workspace_id = ${sql.lit(workspaceId)} and chunk_vectors.embedder_id = ${sql.lit(embedderId)}`,
    ...(numbers ? [sql<SqlBool>`chunk_vectors.chunk_number = any(${numbers}::bigint[])`] : []),
  ];
  if (counts.trashed > 0 || !isUnfiltered(filter))
    conditions.push(itemPasses(itemConditions(db, workspaceId, filter, true)));
  return db.transaction().execute(async (transaction) => {
    const candidates = Math.min(maxCandidates, Math.max(minCandidates, count));
    await sql`
      select set_config('hnsw.ef_search', ${String(candidates)}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)
    `.execute(transaction);
    // The comment keeps it from being prepared: there would be a statement for each workspace.
    const { rows } = await sql<Compared>`
      /* once */ with near as materialized (
        select chunk_number as number, ${distance} as distance from chunk_vectors
        where ${allOf(conditions)}
        order by ${distance} limit ${count}
      )
      select number, distance from near order by distance, number desc
    `.execute(transaction, cancelledBy(signal));
    return rows.map(toNearChunk);
  });
}

/** A scalar, so that it is no join whose order the planner chooses. */
const itemPasses = (conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> => sql`
  (select true from chunks
    join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where chunks.workspace_id = chunk_vectors.workspace_id and chunks.number = chunk_vectors.chunk_number
      and ${allOf(conditions)})`;

const itemConditions = (db: Catalog, workspaceId: string, filter: MediaFilter, few: boolean): RawBuilder<SqlBool>[] => [
  notInTrash,
  ...filterConditions(db, workspaceId, filter, few),
];

const allOf = (conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> => sql.join(conditions, sql` and `);
