import * as lancedb from '@lancedb/lancedb';
import { type Corpus, type Engine, wanted } from './corpus.ts';

/** LanceDB: HNSW with scalar quantisation, full text, fused by reciprocal rank. */
export async function openLanceDb({ vectors, texts, owners }: Corpus, folder: string): Promise<Engine> {
  const began = performance.now();
  const connection = await lancedb.connect(folder);
  const rows = vectors.map((vector, place) => ({
    place,
    vector: Array.from(vector),
    text: texts[place] as string,
    owner: owners[place] as string,
  }));
  const table = await connection.createTable('chunks', rows);
  await table.createIndex('vector', { config: lancedb.Index.hnswSq({ distanceType: 'cosine' }) });
  await table.createIndex('text', { config: lancedb.Index.fts() });
  await table.createIndex('owner', { config: lancedb.Index.bitmap() });
  const reranker = await lancedb.rerankers.RRFReranker.create();
  const near = (vector: Float32Array) => table.query().nearestTo(Array.from(vector)).distanceType('cosine');
  const places = (rows: unknown[]) => (rows as { place: number }[]).map(({ place }) => place);
  return {
    name: 'LanceDB',
    buildSeconds: (performance.now() - began) / 1000,
    async hybrid({ vector, text }, owner) {
      const query = near(vector).fullTextSearch(text).rerank(reranker).select(['place']).limit(wanted);
      return places(await (owner ? query.where(`owner = '${owner}'`) : query).toArray());
    },
    vector: async ({ vector }) => places(await near(vector).select(['place']).limit(wanted).toArray()),
    async close() {
      connection.close();
    },
  };
}
