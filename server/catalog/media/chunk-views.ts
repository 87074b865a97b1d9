import type { ChunkEmbedding } from '@media-search/indexing/indexed-media';
import { sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { dequantize, quantize } from './vector-bytes.ts';

/** The vectors that are stored of a chunk under one embedder. */
export type StoredEmbedding = {
  vector: Float32Array;
  /** Vectors of its moments or crops; null where it was indexed before these were stored. */
  views: Float32Array[] | null;
  /** What the detector saw; empty where that is not known. */
  things: Uint8Array;
};

const nothingSeen = new Uint8Array(0);

/** Chunks whose vectors go into one statement: some megabytes. */
const batchSize = 1000;

/**
 * Stores the vectors and views of chunks of a workspace. An existing vector is not replaced; missing views are added.
 * @param chunks `new`: they have none yet, so that the database need not look
 */
export async function storeEmbeddings(
  db: Catalog,
  workspaceId: string,
  embeddings: (ChunkEmbedding & { chunkNumber: number; embedderId: string })[],
  chunks: 'new' | 'present' = 'present',
): Promise<void> {
  const { rowsIn } = dialectOf(db);
  const otherwise = chunks === 'new' ? sql`` : sql`on conflict do nothing`;
  for (let first = 0; first < embeddings.length; first += batchSize) {
    const batch = embeddings.slice(first, first + batchSize);
    const keys = batch.map(({ chunkNumber, embedderId }) => ({
      workspace_id: workspaceId,
      chunk_number: chunkNumber,
      embedder_id: embedderId,
    }));
    const vectors = batch.map(({ vector }, i) => ({ ...(keys[i] as (typeof keys)[0]), vector }));
    const storing = sql`insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector)
      ${rowsIn({ workspace_id: 'text', chunk_number: 'integer', embedder_id: 'text', vector: 'vector' }, vectors)}
      ${otherwise}`.execute(db);
    // While a server stores the vectors.
    const views = batch.map((each, i) => ({
      ...(keys[i] as (typeof keys)[0]),
      vectors: quantize(each.views),
      things: each.things ?? nothingSeen,
    }));
    await storing;
    await sql`insert into chunk_views (workspace_id, chunk_number, embedder_id, vectors, things)
      ${rowsIn({ workspace_id: 'text', chunk_number: 'integer', embedder_id: 'text', vectors: 'bytes', things: 'bytes' }, views)}
      ${otherwise}`.execute(db);
  }
}

/** The vectors and views of these chunks under an embedder, by chunk number. */
export async function readEmbeddings(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  numbers: number[],
): Promise<Map<number, StoredEmbedding>> {
  const { numbersIn, withoutIndex, vectorBytes, decodeVector } = dialectOf(db);
  const rows = await db
    .selectFrom('chunk_vectors')
    .leftJoin('chunk_views', (join) =>
      join
        .onRef('chunk_views.workspace_id', '=', 'chunk_vectors.workspace_id')
        .onRef('chunk_views.chunk_number', '=', 'chunk_vectors.chunk_number')
        .onRef('chunk_views.embedder_id', '=', 'chunk_vectors.embedder_id'),
    )
    .select([
      'chunk_vectors.chunk_number',
      vectorBytes('chunk_vectors.vector').as('vector'),
      'chunk_views.vectors as views',
      'chunk_views.things',
    ])
    .where(withoutIndex('chunk_vectors.workspace_id'), '=', workspaceId)
    .where('chunk_vectors.embedder_id', '=', embedderId)
    .where('chunk_vectors.chunk_number', 'in', numbersIn(numbers))
    .execute();
  return new Map(
    rows.map((row) => {
      const vector = decodeVector(row.vector);
      const views = row.views && dequantize(row.views, vector.length);
      return [row.chunk_number, { vector, views, things: row.things ?? nothingSeen }];
    }),
  );
}
