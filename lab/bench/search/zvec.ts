import path from 'node:path';
import {
  type ZVecCollection,
  ZVecCollectionSchema,
  ZVecCreateAndOpen,
  ZVecDataType,
  type ZVecDocInput,
  type ZVecHnswQueryParams,
  ZVecIndexType,
  ZVecMetricType,
  ZVecOpen,
  ZVecQuantizeType,
} from '@zvec/zvec';
import { type Corpus, depth, type Filter, perItem, portionsOfPlaces, type Query, wanted } from './corpus.ts';
import type { Engine, OpenEngine } from './engine.ts';

/** zvec: HNSW, full text and filters in process, fused by its own reciprocal rank fusion. */
export const openZvec: OpenEngine = async ({ corpus, folder, isBuilt }): Promise<Engine> => {
  const file = path.join(folder, 'zvec');
  const collection = isBuilt ? ZVecOpen(file) : ZVecCreateAndOpen(file, schemaOf(corpus.dimensions));
  if (!isBuilt) {
    for (const places of portionsOfPlaces(corpus, 1000)) {
      collection.insertSync(places.map((place) => rowOf(corpus, place, place)));
    }
    await collection.optimize();
  }
  let effort = { ef: 100, isUsingRefiner: false };
  const params = (): ZVecHnswQueryParams => ({ indexType: ZVecIndexType.HNSW, ...effort });
  const filterOf = (filter: Filter) => (filter ? { filter: `owner = '${filter}'` } : {});
  const hybrid = (query: Query, filter: Filter, outputFields: string[]) =>
    fuse(collection, { ...query, ...filterOf(filter), params: params() }, outputFields);
  const places = (found: { id: string }[]) => found.map(({ id }) => Number(id));
  const added: number[] = [];
  let next = corpus.size;
  return {
    efforts: [false, true].flatMap((isUsingRefiner) =>
      [20, 40, 70, 100, 200, 300].map((ef) => ({
        name: `ef ${ef}${isUsingRefiner ? ', refined' : ''}`,
        use: () => {
          effort = { ef, isUsingRefiner };
        },
      })),
    ),
    hybrid: async (query, filter) => places(await hybrid(query, filter, [])),
    async shown(query, filter) {
      const found = await hybrid(query, filter, ['text', 'owner']);
      return found.map(({ id, fields }) => ({ place: Number(id), ...(fields as { text: string; owner: string }) }));
    },
    vector: async ({ vector }, filter) =>
      places(
        await collection.query({
          fieldName: 'vector',
          vector,
          topk: wanted,
          outputFields: [],
          params: params(),
          ...filterOf(filter),
        }),
      ),
    async add(sources) {
      collection.insertSync(sources.map((source, i) => rowOf(corpus, next + i, source)));
      for (const [i] of sources.entries()) added.push(next + i);
      next += sources.length;
    },
    async removeAdded() {
      collection.deleteSync(added.splice(0, perItem).map(String));
    },
    close: async () => collection.closeSync(),
  };
};

/** Both parts, fused by rank. */
const fuse = (
  collection: ZVecCollection,
  { vector, words, params, ...filter }: Query & { params: ZVecHnswQueryParams; filter?: string },
  outputFields: string[],
) =>
  collection.multiQuery({
    queries: [
      { fieldName: 'vector', vector, numCandidates: depth, params },
      { fieldName: 'text', fts: { matchString: words.join(' ') }, numCandidates: depth },
    ],
    topk: wanted,
    outputFields,
    ...filter,
  });

const rowOf = (corpus: Corpus, place: number, source: number): ZVecDocInput => ({
  id: String(place),
  vectors: { vector: corpus.vectorAt(source) },
  fields: { text: corpus.textAt(source), owner: corpus.ownerAt(source) },
});

const schemaOf = (dimension: number): ZVecCollectionSchema =>
  new ZVecCollectionSchema({
    name: 'chunks',
    vectors: [
      {
        name: 'vector',
        dataType: ZVecDataType.VECTOR_FP32,
        dimension,
        // 8 bits a dimension are quicker and lose little. As many links and as much care as the other graphs: with its own 50 and 500 building
        // takes three times as long, and searches are no quicker at the same recall.
        indexParams: {
          indexType: ZVecIndexType.HNSW,
          metricType: ZVecMetricType.COSINE,
          quantizeType: ZVecQuantizeType.INT8,
          m: 16,
          efConstruction: 200,
        },
      },
    ],
    fields: [
      { name: 'owner', dataType: ZVecDataType.STRING, indexParams: { indexType: ZVecIndexType.INVERT } },
      { name: 'text', dataType: ZVecDataType.STRING, indexParams: { indexType: ZVecIndexType.FTS } },
    ],
  });
