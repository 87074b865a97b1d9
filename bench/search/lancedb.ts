import * as lancedb from '@lancedb/lancedb';
import { type Corpus, type Engine, portionsOfPlaces, wanted } from './corpus.ts';

/** LanceDB: HNSW with scalar quantisation, full text, fused by reciprocal rank. */
export async function openLanceDb(corpus: Corpus, folder: string): Promise<Engine> {
  const began = performance.now();
  const connection = await lancedb.connect(folder);
  const rowOf = (place: number) => ({
    place,
    vector: Array.from(corpus.vectorAt(place)),
    text: corpus.textAt(place),
    owner: corpus.ownerAt(place),
  });
  let table: lancedb.Table | undefined;
  for (const places of portionsOfPlaces(corpus, 20_000)) {
    const rows = places.map(rowOf);
    if (table) await table.add(rows);
    else table = await connection.createTable('chunks', rows);
  }
  if (!table) throw new Error('A corpus of nothing cannot be searched.');
  const chunks = table;
  await chunks.createIndex('vector', { config: lancedb.Index.hnswSq({ distanceType: 'cosine' }) });
  await chunks.createIndex('text', { config: lancedb.Index.fts() });
  await chunks.createIndex('owner', { config: lancedb.Index.bitmap() });
  const reranker = await lancedb.rerankers.RRFReranker.create();
  const near = (vector: Float32Array) => chunks.query().nearestTo(Array.from(vector)).distanceType('cosine');
  const places = (rows: unknown[]) => (rows as { place: number }[]).map(({ place }) => place);
  return {
    name: 'LanceDB',
    corpus,
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
