import { readFile } from 'node:fs/promises';
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
const chunksPerItem = 10;
/** Words occur as in a language: the k-th most frequent one k times as seldom as the first (Zipf). */
const vocabulary = 5000;

const base = await readVectors(values.vectors);
let state = 1;
/** Numbers in 0..1 that look random and come the same each time. */
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

function vectorLike(vector: Float32Array, noise: number): Float32Array {
  const moved = vector.map((value) => value + (noise * gauss()) / Math.sqrt(dimensions));
  const length = Math.hypot(...moved);
  return moved.map((value) => value / length);
}

const vectors = Array.from({ length: count }, (_, i) => vectorLike(base[i % base.length] as Float32Array, 0.55));
const word = () => `w${Math.floor(vocabulary ** random())}`;
const texts = vectors.map(() => Array.from({ length: 8 }, word).join(' '));
const queries = Array.from({ length: rounds }, (_, i) => ({
  vector: vectorLike(base[(i * 37) % base.length] as Float32Array, 0.4),
  text: `w${20 + ((i * 13) % 480)}`,
}));

// Ours.
await using service = await startTestService();
await seed();
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

/** Writes items, chunks, vectors and texts as indexing would. Chunk numbers begin at 1. */
async function seed(): Promise<void> {
  const { db, workspaceId } = service;
  const now = new Date().toISOString();
  for (let first = 0; first < count; first += 5000) {
    await db.transaction().execute(async (transaction) => {
      for (let i = first; i < Math.min(count, first + 5000); i++) {
        const item = Math.floor(i / chunksPerItem);
        const mediaId = `00000000-0000-7000-8000-${String(item).padStart(12, '0')}`;
        if (i % chunksPerItem === 0) {
          await transaction
            .insertInto('media_items')
            .values({
              workspace_id: workspaceId,
              id: mediaId,
              filename: `clip ${item}.mp4`,
              type: 'video',
              status: 'complete',
              size: 1,
              mime_type: 'video/mp4',
              sha256: String(item).padStart(64, '0'),
              chunk_count: chunksPerItem,
              created_at: now,
              updated_at: now,
            })
            .execute();
        }
        await transaction
          .insertInto('chunks')
          .values({
            number: i + 1,
            workspace_id: workspaceId,
            id: `00000000-0000-7000-9000-${String(i).padStart(12, '0')}`,
            media_id: mediaId,
            position: i % chunksPerItem,
            start_time: i % chunksPerItem,
            end_time: (i % chunksPerItem) + 1,
            thumbnail_file: 'none.webp',
            text: texts[i] as string,
          })
          .execute();
        const vector = new Uint8Array((vectors[i] as Float32Array).buffer);
        await transaction
          .insertInto('chunk_vectors')
          .values({ workspace_id: workspaceId, chunk_number: i + 1, embedder_id: 'bench@1', vector })
          .execute();
        await transaction
          .insertInto('chunk_texts')
          .values({ rowid: i + 1, text: texts[i] as string, filename: `clip ${item}`, tags: '' })
          .execute();
      }
    });
  }
}

async function readVectors(file: string | undefined): Promise<Float32Array[]> {
  if (file === undefined) throw new Error('Name a file of vectors: --vectors <file>');
  const bytes = await readFile(path.resolve(file));
  const all = new Float32Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: all.length / dimensions }, (_, i) => all.slice(i * dimensions, (i + 1) * dimensions));
}
