import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { packIntegers, unpackNumbers } from '../dialect/binary-arrays.ts';
import { toHalfvecBytes } from '../dialect/halfvec.ts';
import { isUnfiltered } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';
import { allOf, chunkPasses, listedChunks, scopeConditions, trashedChunks } from './chunk-scope.ts';

/**
 * The nearest vectors of a workspace. Who asks knows about how many chunks pass the filter, and whether there is an index, and chooses by that
 * (`chooseScan`): few are compared one by one, and all of their cosines are returned, so that nothing is compared twice in a search; of many, an index
 * finds the nearest. Each is one statement without a transaction of its own: the settings of the index search are made in the statement itself, and the
 * vector and all lists of numbers are sent in binary. They are plain statements over tables of one workspace, which Citus sends to its node as they are.
 */

/** The vectors of a workspace under one embedder, all of so many dimensions. */
export type VectorSpace = { workspaceId: string; embedderId: string; dimensions: number };

/** Chunks of a workspace, those of items in the trash included, and those of items in the trash. `change`: the last change of an item there. */
export type ChunkCounts = { all: number; trashed: number; change: number };

/** Which chunks are searched: those of items that pass a filter, or of one item. None of an item in the trash is. */
export type ChunkScope = { filter: MediaFilter; mediaId?: string | undefined; counts: ChunkCounts };

/** Whether all chunks of the workspace pass, but for those in the trash. */
export const isWhole = ({ filter, mediaId }: Omit<ChunkScope, 'counts'>): boolean =>
  mediaId === undefined && isUnfiltered(filter);

/** Whether a chunk passes depends on its item. */
const mustBeLookedUp = (among: ChunkScope): boolean => among.counts.trashed > 0 || !isWhole(among);

/** What is looked for. `query`: a unit vector. When `signal` aborts, the server stops working on it. */
export type NearQuery = { query: Float32Array; among: ChunkScope; signal?: AbortSignal | undefined };

/** Cosines of chunks' vectors and a query's, both at half precision, by the numbers of chunks. */
export type Similarities = Map<number, number>;

/**
 * So many vectors are compared one by one, within some 20 ms: all are found, and the scores of all are right. An index finds nine of ten, and fewer
 * behind a filter that few pass. So a count decides, not the planner, which prefers the index however few there are.
 */
export const maxCompared = 20_000;

/** pgvector indexes no `halfvec` with more dimensions. */
const maxIndexedDimensions = 4000;

/** Candidates of a search in an index (`hnsw.ef_search`), and the most that pgvector takes. */
const [minCandidates, maxCandidates] = [200, 1000];
/** Candidates for each hit that is wanted of those that pass, so that a second round is rare. */
const candidatesPerHit = 1.3;

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

const cancelledBy = (signal: AbortSignal | undefined) =>
  ({ signal, inflightQueryAbortStrategy: 'cancel query' }) as const;

type Compared = { number: number; distance: number };

/** The distance to a vector without a direction is NaN. */
const toSimilarity = (distance: number): number => (Number.isNaN(distance) ? 0 : 1 - distance);

const toSimilarities = (rows: Compared[]): Similarities =>
  new Map(rows.map(({ number, distance }) => [number, toSimilarity(distance)]));

/** The vector of a chunk as `v`, looked up by its key whatever the planner expects of the number of chunks. */
const vectorOf = ({ workspaceId, embedderId }: VectorSpace, number: RawBuilder<unknown>) => sql`
  lateral (select vector from chunk_vectors
    where workspace_id = ${workspaceId} and embedder_id = ${embedderId} and chunk_number = ${number} offset 0) v`;

/** The cosines of a query and some chunks, whether they pass or not; none for a chunk without a vector. */
export async function compareChunks(
  db: Catalog,
  space: VectorSpace,
  query: Float32Array,
  numbers: number[],
  signal?: AbortSignal,
): Promise<Similarities> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<Compared>`
    select wanted.number, v.vector <=> ${toHalfvecBytes(query)}::halfvec as distance
    from unnest(${packIntegers(numbers)}::bigint[]) wanted (number) cross join ${vectorOf(space, sql`wanted.number`)}
  `.execute(db, cancelledBy(signal));
  return toSimilarities(rows);
}

/**
 * All chunks that pass, where they are few, and the cosines of those with a vector. The numbers of an item's chunks mostly follow each other, and so do their
 * vectors in the table: they are read item by item, in half the time of one by one.
 * @param most chunks that are compared
 * @returns null where more pass
 */
export async function comparePassing(
  db: Catalog,
  space: VectorSpace,
  { query, among, signal }: NearQuery,
  most: number,
): Promise<{ passing: Set<number>; similarities: Similarities } | null> {
  const { rows } = await sql<{ passing: Buffer | null; numbers: Buffer | null; distances: Buffer | null }>`
    with passing as materialized (
      ${listedChunks(db, space.workspaceId, among)} limit ${most + 1}
    ), items as materialized (
      select min(number) as first, max(number) as last, max(number) - min(number) + 1 = count(*) as follow, array_agg(number) as numbers
      from passing group by media_id
    ), compared as (
      select found.chunk_number as number, found.vector <=> ${toHalfvecBytes(query)}::halfvec as distance
      from items cross join lateral (
        select chunk_number, vector from chunk_vectors
        where workspace_id = ${space.workspaceId} and embedder_id = ${space.embedderId}
          and chunk_number between items.first and items.last offset 0) found
      where items.follow
      union all select own.number, v.vector <=> ${toHalfvecBytes(query)}::halfvec
      from items cross join unnest(items.numbers) own (number) cross join ${vectorOf(space, sql`own.number`)}
      where not items.follow
    )
    select (select array_send(array_agg(number)) from passing) as passing,
      array_send(array_agg(number)) as numbers, array_send(array_agg(distance)) as distances from compared
  `.execute(db, cancelledBy(signal));
  const passing = unpackNumbers(rows[0]?.passing ?? null);
  if (passing.length > most) return null;
  const numbers = unpackNumbers(rows[0]?.numbers ?? null);
  const distances = unpackNumbers(rows[0]?.distances ?? null);
  const similarities: Similarities = new Map();
  for (let i = 0; i < numbers.length; i++) similarities.set(numbers[i] as number, toSimilarity(distances[i] as number));
  return { passing: new Set(passing), similarities };
}

/**
 * The chunks nearest to a query of those that pass, compared one by one.
 * @param most chunks that are compared, the newest
 * @returns `isCut`: there are more chunks than were compared
 */
export async function compareNewest(
  db: Catalog,
  space: VectorSpace,
  { query, among, signal }: NearQuery,
  count: number,
  most: number,
): Promise<{ found: Similarities; isCut: boolean }> {
  const distance = sql`vector <=> ${toHalfvecBytes(query)}::halfvec as distance`;
  const newest = isWhole(among)
    ? sql`select chunk_number as number, ${distance} from chunk_vectors
        where workspace_id = ${space.workspaceId} and embedder_id = ${space.embedderId} ${among.counts.trashed > 0 ? sql`and chunk_number not in (${trashedChunks(space.workspaceId)})` : sql``}
        order by chunk_number desc limit ${most + 1}`
    : sql`select passing.number, ${distance}
        from (${listedChunks(db, space.workspaceId, among)} order by number desc limit ${most + 1}) passing
        cross join ${vectorOf(space, sql`passing.number`)}`;
  const { rows } = await sql<Compared & { compared: number }>`
    select number, distance, count(*) over () as compared from (${newest}) newest
    order by distance, number desc limit ${count}
  `.execute(db, cancelledBy(signal));
  return { found: toSimilarities(rows), isCut: (rows[0]?.compared ?? 0) > most };
}

/**
 * The nearest of some chunks that pass. Whether they pass is looked up for the nearest, one after the other, until there are enough.
 */
export async function compareSome(
  db: Catalog,
  space: VectorSpace,
  { query, among, signal }: NearQuery,
  count: number,
  numbers: number[],
): Promise<Similarities> {
  if (numbers.length === 0) return new Map();
  const passes = mustBeLookedUp(among)
    ? sql`where ${chunkPasses(db, space.workspaceId, among, sql`ordered.number`)}`
    : sql``;
  const { rows } = await sql<Compared>`
    select number, distance from (
      select wanted.number, v.vector <=> ${toHalfvecBytes(query)}::halfvec as distance
      from unnest(${packIntegers(numbers)}::bigint[]) wanted (number) cross join ${vectorOf(space, sql`wanted.number`)}
      order by distance, number desc offset 0
    ) ordered ${passes} limit ${count}
  `.execute(db, cancelledBy(signal));
  return toSimilarities(rows);
}

/**
 * Searches the index of the workspace (`vector-indexes.ts`), which must be there. What its condition names is given as literals, because a plan for any
 * parameter would not use it. Items are looked up one by one, nearest first, until enough pass.
 * @param share about which share of the chunks passes: so many more candidates are looked at from the beginning
 * @param numbers the only chunks that are searched
 */
export async function searchIndex(
  db: Catalog,
  { workspaceId, embedderId, dimensions }: VectorSpace,
  { query, among, signal }: NearQuery,
  count: number,
  share: number,
  numbers?: number[],
): Promise<Similarities> {
  const distance = sql`vector::halfvec(${sql.lit(dimensions)}) <=> ${toHalfvecBytes(query)}::halfvec(${sql.lit(dimensions)})`;
  const conditions = [
    sql<SqlBool>`workspace_id = ${sql.lit(workspaceId)} and embedder_id = ${sql.lit(embedderId)}`,
    ...(numbers ? [sql<SqlBool>`chunk_number = any(${packIntegers(numbers)}::bigint[])`] : []),
  ];
  if (mustBeLookedUp(among)) conditions.push(chunkPasses(db, workspaceId, among, sql`chunk_vectors.chunk_number`));
  const expected = Math.ceil((candidatesPerHit * count) / Math.max(share, count / maxCandidates));
  const candidates = Math.min(maxCandidates, Math.max(minCandidates, expected));
  // The first condition is one of the whole answer: the settings are made before anything is read, and end with the statement.
  // The comment keeps it from being prepared: there would be a statement for each workspace.
  const { rows } = await sql<Compared>`
    /* once */ select number, distance from (
      select chunk_number as number, ${distance} as distance from chunk_vectors
      where ${allOf(conditions)}
      order by ${distance} limit ${count}
    ) near
    where (select set_config('hnsw.ef_search', ${String(candidates)}, true) || set_config('hnsw.iterative_scan', 'relaxed_order', true)) is not null
    order by distance, number desc
  `.execute(db, cancelledBy(signal));
  return toSimilarities(rows);
}

/**
 * About which share of the chunks passes: that of a sample.
 * @param items those of the sampled chunks, one for each chunk
 * @returns 0..1
 */
export async function estimateShare(
  db: Catalog,
  workspaceId: string,
  among: ChunkScope,
  items: string[],
): Promise<number> {
  if (items.length === 0) return 1;
  const { rows } = await sql<{ passing: number }>`
    select count(*) as passing from unnest(${items}::text[]) sampled (id)
    where (select true from media_items where workspace_id = ${workspaceId} and media_items.id = sampled.id
      and ${allOf(scopeConditions(db, workspaceId, among))})
  `.execute(db);
  return (rows[0]?.passing ?? 0) / items.length;
}
