import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as lancedb from '@lancedb/lancedb';
import type { QueryEmbedder } from '../server/embedding/text-embedding.ts';
import { builtinReference } from '../server/models/load-embedder.ts';
import { createSearchEngine } from '../server/search/search-engine.ts';
import { createStageTimer } from '../server/search/stage-timer.ts';
import { dot } from '../server/search/vector-index.ts';
import { startTestService, temporaryFolder } from '../server/testing/running-service.ts';
import { seedChunks } from '../server/testing/seed-chunks.ts';
import { openVectors } from './vectors.ts';

/**
 * Hybrid search over many chunks, by our engine and by LanceDB (HNSW with scalar quantisation, full text, reciprocal rank fusion)
 * in one run, queries by turns: median and 99th percentile, recall at 10 of the vector part against exact, time to build, memory.
 * Vectors are spread as those in a file of real ones are: each is one of them, moved by noise.
 *
 *     (cd bench && npm install) && node bench/search.ts --vectors <file of float32> [--chunks 100000] [--rounds 200]
 */

const { values } = parseArgs({
  options: {
    vectors: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '200' },
  },
});
const dimensions = 512;
const count = Number(values.chunks);
const rounds = Number(values.rounds);
/** Words occur as in a language: the k-th most frequent one k times as seldom as the first (Zipf). */
const vocabulary = 5000;

const { random, vectorAt, near } = await openVectors(values.vectors, dimensions);
const vectors = Array.from({ length: count }, (_, place) => vectorAt(place));
const word = () => `w${Math.floor(vocabulary ** random())}`;
const texts = vectors.map(() => Array.from({ length: 8 }, word).join(' '));
const queries = Array.from({ length: rounds }, (_, i) => ({
  vector: near(i * 37),
  text: `w${20 + ((i * 13) % 480)}`,
}));

// Ours.
await using service = await startTestService();
await seedChunks(service.db, service.workspaceId, 'bench@1', { count, perItem: 10 }, (place) => ({
  vector: vectors[place] as Float32Array,
  text: texts[place] as string,
}));
let current = queries[0] as (typeof queries)[number];
const embedder: QueryEmbedder = {
  id: 'bench@1',
  kind: 'semantic',
  dimensions,
  duplicates: { copy: 0.95, continuation: 0.9 },
  spread: 0.04,
  weakBelow: 2,
  photoSide: 1024,
  reference: builtinReference,
  embedText: () => Promise.resolve({ vector: current.vector, unknown: [] }),
};
const newEngine = () =>
  createSearchEngine({
    db: service.db,
    indexDirectory: path.join(service.folder, 'bench-indexes'),
    embedderOf: () => Promise.resolve(embedder),
  });
const engine = newEngine();
const memoryBefore = process.memoryUsage.rss();
let began = performance.now();
await engine.warm(service.workspaceId);
const ourBuild = performance.now() - began;
const ourMemory = process.memoryUsage.rss() - memoryBefore;

await engine.save();
began = performance.now();
await newEngine().warm(service.workspaceId);
const ourRestart = performance.now() - began;

// LanceDB's.
await using folder = await temporaryFolder();
const connection = await lancedb.connect(folder.path);
began = performance.now();
const table = await connection.createTable(
  'chunks',
  vectors.map((vector, number) => ({ number, vector: Array.from(vector), text: texts[number] as string })),
);
await table.createIndex('vector', { config: lancedb.Index.hnswSq({ distanceType: 'cosine' }) });
await table.createIndex('text', { config: lancedb.Index.fts() });
const theirBuild = performance.now() - began;

const filter = {};
const runs: Record<string, () => Promise<number[]>> = {
  'ours, hybrid': async () => {
    const options = { count: 20, dedupe: false, timer: createStageTimer() };
    const { hits } = await engine.searchByText(service.workspaceId, current.text, filter, options);
    return hits.map(({ chunk }) => chunk.number);
  },
  'ours, vector': async () => {
    const options = { count: 20, dedupe: false, timer: createStageTimer() };
    const found = await engine.searchByVector(
      service.workspaceId,
      { vector: current.vector, embedder },
      filter,
      options,
    );
    return (found ?? []).map(({ chunk }) => chunk.number - 1);
  },
  'LanceDB, hybrid': async () => {
    const reranker = await lancedb.rerankers.RRFReranker.create();
    const rows = (await table
      .query()
      .nearestTo(Array.from(current.vector))
      .distanceType('cosine')
      .fullTextSearch(current.text)
      .rerank(reranker)
      .select(['number'])
      .limit(20)
      .toArray()) as { number: number }[];
    return rows.map(({ number }) => number);
  },
  'LanceDB, vector': async () => {
    const rows = (await table
      .query()
      .nearestTo(Array.from(current.vector))
      .distanceType('cosine')
      .select(['number'])
      .limit(20)
      .toArray()) as { number: number }[];
    return rows.map(({ number }) => number);
  },
};
const times = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
const recalls = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
for (const [i, query] of queries.entries()) {
  current = query;
  const exact = i < 50 ? exactTop(query.vector, 10) : null;
  for (const [name, run] of Object.entries(runs)) {
    began = performance.now();
    const found = await run();
    times.get(name)?.push(performance.now() - began);
    if (exact && name.endsWith('vector')) {
      recalls.get(name)?.push(exact.filter((number) => found.slice(0, 10).includes(number)).length / 10);
    }
  }
}

console.log(`${count} chunks of ${dimensions} dimensions, ${cpus()[0]?.model}, ${availableParallelism()} cores\n`);
console.log('| | p50 ms | p99 ms | recall at 10 |');
console.log('| --- | --- | --- | --- |');
for (const [name, all] of times) {
  const sorted = all.toSorted((a, b) => a - b);
  const recall = recalls.get(name) ?? [];
  const mean = recall.length > 0 ? (recall.reduce((sum, each) => sum + each, 0) / recall.length).toFixed(3) : '';
  console.log(`| ${name} | ${at(sorted, 0.5)} | ${at(sorted, 0.99)} | ${mean} |`);
}
const half = (2 * dimensions * count) / 2 ** 20;
console.log(
  `\nbuild: ours ${(ourBuild / 1000).toFixed(1)} s (from the database), LanceDB ${(theirBuild / 1000).toFixed(1)} s`,
);
console.log(`restart: ours ${(ourRestart / 1000).toFixed(1)} s, with the saved index`);
console.log(
  `memory grown by our index: ${(ourMemory / 2 ** 20).toFixed(0)} MiB; the vectors at half precision are ${half.toFixed(0)} MiB`,
);

function at(sorted: number[], share: number): string {
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
}

function exactTop(query: Float32Array, wanted: number): number[] {
  return vectors
    .map((vector, number) => ({ number, similarity: dot(vector, query) }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, wanted)
    .map(({ number }) => number);
}
