import path from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { type Corpus, depth, type Filter, portionsOfPlaces, type Query, wanted } from './corpus.ts';
import type { Engine, OpenEngine, ShownHit } from './engine.ts';

/** LanceDB: HNSW with scalar quantisation, full text, fused by its own reciprocal rank fusion. */
export const openLanceDb: OpenEngine = async ({ corpus, folder, isBuilt }): Promise<Engine> => {
  const connection = await lancedb.connect(path.join(folder, 'lancedb'));
  const chunks = isBuilt ? await connection.openTable('chunks') : await build(connection, corpus);
  const reranker = await lancedb.rerankers.RRFReranker.create();
  let effort = { ef: 100, refine: 1 };
  const near = (vector: Float32Array) =>
    chunks.query().nearestTo(Array.from(vector)).distanceType('cosine').ef(effort.ef).refineFactor(effort.refine);
  const where = (query: lancedb.VectorQuery, filter: Filter) => (filter ? query.where(`owner = '${filter}'`) : query);
  const hybrid = async ({ vector, words }: Query, filter: Filter, columns: string[]) => {
    const query = near(vector).select(columns).fullTextSearch(words.join(' ')).rerank(reranker).limit(depth);
    return (await where(query, filter).toArray()).slice(0, wanted) as unknown[];
  };
  const places = (rows: unknown[]) => (rows as { place: number }[]).map(({ place }) => place);
  const added: number[] = [];
  let next = corpus.size;
  return {
    efforts: [
      { ef: 100, refine: 1 },
      { ef: 100, refine: 2 },
      { ef: 150, refine: 2 },
      { ef: 200, refine: 3 },
      { ef: 300, refine: 5 },
      { ef: 500, refine: 5 },
      { ef: 1000, refine: 10 },
    ].map((value) => ({
      name: `ef ${value.ef}, refine ${value.refine}`,
      use: () => {
        effort = value;
      },
    })),
    hybrid: async (query, filter) => places(await hybrid(query, filter, ['place'])),
    async shown(query, filter) {
      const rows = (await hybrid(query, filter, ['place', 'text', 'owner'])) as (ShownHit & { owner: string })[];
      return rows.map(({ place, text, owner }) => ({ place, text, owner }));
    },
    vector: async ({ vector }, filter) =>
      places(await where(near(vector).select(['place']).limit(wanted), filter).toArray()),
    async add(sources) {
      await chunks.add(sources.map((source, i) => rowOf(corpus, next + i, source)));
      added.push(next);
      next += sources.length;
    },
    async removeAdded() {
      const first = added.shift();
      await chunks.delete(`place >= ${first} and place < ${added[0] ?? next}`);
    },
    async close() {
      connection.close();
    },
  };
};

const rowOf = (corpus: Corpus, place: number, source: number) => ({
  place,
  vector: Array.from(corpus.vectorAt(source)),
  text: corpus.textAt(source),
  owner: corpus.ownerAt(source),
});

async function build(connection: lancedb.Connection, corpus: Corpus): Promise<lancedb.Table> {
  const rowsOf = (places: number[]) => places.map((place) => rowOf(corpus, place, place));
  const [first = [], ...others] = portionsOfPlaces(corpus, 20_000);
  const table = await connection.createTable('chunks', rowsOf(first));
  for (const places of others) await table.add(rowsOf(places));
  await table.createIndex('vector', { config: lancedb.Index.hnswSq({ distanceType: 'cosine' }) });
  await table.createIndex('text', { config: lancedb.Index.fts() });
  await table.createIndex('owner', { config: lancedb.Index.bitmap() });
  return table;
}
