import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import { chooseScan, maxCompared, type VectorSpace } from './near-chunks.ts';

/**
 * The indexes of vectors: one for each large workspace and embedder. In an index over all workspaces, most of what is near a query is of others; behind
 * that filter it finds half of what it should (docs/search.md). They are made beside writers, and not in a migration: it takes minutes.
 */

/** An index stays until its workspace has so much less than it takes to make one, so that deletes and uploads do not make it again and again. */
const keptShare = 0.5;

/**
 * Links of a vector, and candidates when it is linked: of 200, twice as slow to build as pgvector's 64, recall at 10 is 0.1 to 0.2 higher. More links
 * gain less, and take memory.
 */
const parameters = sql`m = 16, ef_construction = 200`;

/** Memory of a build for each vector, and the most that is taken where the server's setting is not more. Beyond it, a build is some times as slow. */
const [bytesPerVector, maxBuildBytes] = [2000, 2 ** 30];

const prefix = 'chunk_vectors_near_';

/** The name of an index says of which workspace and embedder it is: texts of any length, of which a name has 63 letters. */
export const indexName = ({ workspaceId, embedderId }: Pick<VectorSpace, 'workspaceId' | 'embedderId'>): string =>
  prefix +
  createHash('sha256')
    .update(JSON.stringify([workspaceId, embedderId]))
    .digest('hex')
    .slice(0, 32);

type LargeSpace = VectorSpace & { chunks: number };

/** Workspaces that are large enough for an index, with the embedders that answer there, or will. */
async function listLargeSpaces(db: Catalog, most: number): Promise<LargeSpace[]> {
  const { rows } = await sql<Omit<LargeSpace, 'dimensions'> & { dimensions: number | null }>`
    with target as (select value as id from service_settings where name = 'target_embedder'),
      large as (
        select workspace_id, sum(chunks)::bigint as chunks from media_totals
        group by workspace_id having sum(chunks) > ${sql.lit(Math.floor(keptShare * most))}
      )
    select large.workspace_id as "workspaceId", embedders.id as "embedderId", large.chunks, (
      select vector_dims(vector) from chunk_vectors
      where chunk_vectors.workspace_id = large.workspace_id and chunk_vectors.embedder_id = embedders.id limit 1
    ) as dimensions
    from large
    join workspaces on workspaces.id = large.workspace_id
    join embedders on embedders.id = workspaces.embedder_id or embedders.id in (select id from target)
  `.execute(db);
  return rows.flatMap(({ dimensions, ...space }) => (dimensions === null ? [] : [{ ...space, dimensions }]));
}

type StoredIndex = { name: string; isValid: boolean; isInProgress: boolean };

async function listStoredIndexes(db: Catalog): Promise<StoredIndex[]> {
  const { rows } = await sql<StoredIndex>`
    select relname::text as name, indisvalid as "isValid",
      exists (select 1 from pg_stat_progress_create_index where index_relid = indexrelid) as "isInProgress"
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = 'chunk_vectors'::regclass and starts_with(relname::text, ${prefix})
  `.execute(db);
  return rows;
}

/** Whether the vectors of a workspace are found by an index. */
export async function hasVectorIndex(
  db: Catalog,
  space: Pick<VectorSpace, 'workspaceId' | 'embedderId'>,
): Promise<boolean> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${indexName(space)})
  `.execute(db);
  return rows[0]?.isValid ?? false;
}

/** How many indexes there are, by their state: wanted and not begun, being built, and there. */
export type VectorIndexStates = { waiting: number; building: number; ready: number };

/**
 * The state of all vector indexes, for metrics. One that is not wanted any more is none.
 * @param most vectors that are compared without an index
 */
export async function countVectorIndexes(db: Catalog, most = maxCompared): Promise<VectorIndexStates> {
  const [spaces, stored] = await Promise.all([listLargeSpaces(db, most), listStoredIndexes(db)]);
  const known = new Map(stored.map((index) => [index.name, index]));
  const states: VectorIndexStates = { waiting: 0, building: 0, ready: 0 };
  for (const space of spaces) {
    const index = known.get(indexName(space));
    if (index?.isInProgress) states.building += 1;
    else if (index?.isValid) states.ready += 1;
    // A smaller one keeps its index, but gets none.
    else if (chooseScan(space.chunks, space.dimensions, most) === 'index') states.waiting += 1;
  }
  return states;
}

/**
 * Makes the indexes that are missing, and removes those of workspaces and embedders that are gone, and those whose build broke off. Others search and
 * write meanwhile. A second caller at the same time does no harm: an index in the making is left alone, and a name is taken once.
 * @param most vectors that are compared without an index
 * @returns the names of the indexes that were made
 */
export async function keepVectorIndexes(db: Catalog, signal: AbortSignal, most = maxCompared): Promise<string[]> {
  const spaces = await listLargeSpaces(db, most);
  const wanted = new Set(spaces.map(indexName));
  const kept = new Set<string>();
  for (const { name, isValid, isInProgress } of await listStoredIndexes(db)) {
    if (isInProgress || (isValid && wanted.has(name))) kept.add(name);
    else await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db);
  }
  const made: string[] = [];
  for (const space of spaces) {
    signal.throwIfAborted();
    const name = indexName(space);
    if (kept.has(name) || chooseScan(space.chunks, space.dimensions, most) === 'exact') continue;
    await makeIndex(db, space, signal);
    made.push(name);
  }
  return made;
}

function makeIndex(db: Catalog, space: LargeSpace, signal: AbortSignal): Promise<void> {
  const { workspaceId, embedderId, dimensions, chunks } = space;
  const kilobytes = Math.ceil(Math.min(maxBuildBytes, Math.max(2 ** 26, chunks * bytesPerVector)) / 1024);
  return db.connection().execute(async (connection) => {
    await sql`
      select set_config('maintenance_work_mem',
        greatest(pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, ${kilobytes}::bigint)::text, false)
    `.execute(connection);
    try {
      await sql`
        create index concurrently if not exists ${sql.id(indexName(space))} on chunk_vectors
        using hnsw ((vector::halfvec(${sql.lit(dimensions)})) halfvec_cosine_ops) with (${parameters})
        where workspace_id = ${sql.lit(workspaceId)} and embedder_id = ${sql.lit(embedderId)}
      `.execute(connection, { signal, inflightQueryAbortStrategy: 'cancel query' });
    } finally {
      await sql`reset maintenance_work_mem`.execute(connection);
    }
  });
}
