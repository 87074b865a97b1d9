import type { ChunkEmbedding } from '../indexing/indexed-media.ts';
import { dialectOf } from './dialect/dialect.ts';
import type { Catalog } from './schema.ts';

/** The vectors that are stored of a chunk under one embedder. */
export type StoredEmbedding = {
  vector: Float32Array;
  /** Vectors of its moments or crops; null where it was indexed before these were stored. */
  views: Float32Array[] | null;
};

/** Stores the vector and views of a chunk under an embedder. An existing vector is not replaced; missing views are added. */
export async function storeEmbedding(
  db: Catalog,
  chunk: { workspaceId: string; number: number },
  embedderId: string,
  { vector, views }: ChunkEmbedding,
): Promise<void> {
  await db
    .insertInto('chunk_vectors')
    .values({
      workspace_id: chunk.workspaceId,
      chunk_number: chunk.number,
      embedder_id: embedderId,
      vector: dialectOf(db).vector(vector),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('chunk_views')
    .values({ chunk_number: chunk.number, embedder_id: embedderId, vectors: quantize(views) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The vectors and views of these chunks under an embedder, by chunk number. */
export async function readEmbeddings(
  db: Catalog,
  embedderId: string,
  numbers: number[],
): Promise<Map<number, StoredEmbedding>> {
  const { numbersIn, vectorBytes, decodeVector } = dialectOf(db);
  const rows = await db
    .selectFrom('chunk_vectors')
    .leftJoin('chunk_views', (join) =>
      join
        .onRef('chunk_views.chunk_number', '=', 'chunk_vectors.chunk_number')
        .onRef('chunk_views.embedder_id', '=', 'chunk_vectors.embedder_id'),
    )
    .select([
      'chunk_vectors.chunk_number',
      vectorBytes('chunk_vectors.vector').as('vector'),
      'chunk_views.vectors as views',
    ])
    .where('chunk_vectors.embedder_id', '=', embedderId)
    .where('chunk_vectors.chunk_number', 'in', numbersIn(numbers))
    .execute();
  return new Map(
    rows.map((row) => {
      const vector = decodeVector(row.vector);
      return [row.chunk_number, { vector, views: row.views && dequantize(row.views, vector.length) }];
    }),
  );
}

const scaleBytes = 4;

/**
 * Scalar quantisation: of each vector a scale (little-endian float32), then a signed byte for each dimension. A quarter of the
 * size of float32, and order and recall of hits stay the same (`bench/rerank.ts`).
 */
function quantize(vectors: Float32Array[]): Buffer {
  return Buffer.concat(
    vectors.flatMap((vector) => {
      const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const scale = Buffer.alloc(scaleBytes);
      scale.writeFloatLE(largest / 127);
      return [scale, Buffer.from(Int8Array.from(vector, (value) => Math.round((127 * value) / (largest || 1))).buffer)];
    }),
  );
}

function dequantize(bytes: Uint8Array, dimensions: number): Float32Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = scaleBytes + dimensions;
  return Array.from({ length: Math.floor(bytes.byteLength / size) }, (_, i) => {
    const scale = view.getFloat32(i * size, true);
    return Float32Array.from({ length: dimensions }, (_, j) => scale * view.getInt8(i * size + scaleBytes + j));
  });
}
