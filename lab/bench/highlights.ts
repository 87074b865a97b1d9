import { rm } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { catalogFile } from '../../server/platform/storage/data-directory.ts';
import { createConceptVectors } from '../../server/search/highlights/concept-vectors.ts';
import { createHighlights } from '../../server/search/highlights/highlights.ts';
import { updateRankings } from '../../server/search/highlights/rank-chunks.ts';
import { startEmbeddedSearch } from '../../server/testing/memory-search.ts';
import { queryEmbedderOf } from '../../server/testing/query-embedder.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { seedChunks } from '../../server/testing/seed-chunks.ts';
import { expectQuality } from './expected-quality.ts';
import { openVectors, quantile } from './vectors.ts';

/**
 * Highlights of many chunks: how long a request takes by each method, and what updating the rankings costs for each added or deleted chunk,
 * compared with computing everything. Exits with 1 when the updated rankings are not those that computing everything gives.
 *
 *     npm run node -- lab/bench/highlights.ts --vectors <file of float32> [--chunks 100000]
 */

const { values } = parseArgs({
  options: { vectors: { type: 'string' }, chunks: { type: 'string', default: '100000' } },
});
const count = Number(values.chunks);
const rounds = 21;
const embedderId = 'bench@1';
const { dimensions, vectorAt } = await openVectors(values.vectors, 512);

await using service = await startTestService();
const { db, workspaceId } = service;
let next = 0;
const add = (more: number) =>
  seedChunks(db, workspaceId, embedderId, { count: more, perItem: 10 }, () => ({ vector: vectorAt(next++) }));
await add(count);

const embedder = queryEmbedderOf(embedderId, dimensions, () => Promise.reject(new Error('Nothing is searched for.')));
const directory = path.join(service.folder, 'bench-indexes');
const search = startEmbeddedSearch({
  db,
  catalogFile: catalogFile(path.join(service.folder, 'data')),
  indexDirectory: directory,
  onProblem: (error) => console.error(error),
  getEmbedder: () => Promise.resolve(embedder),
});
const notAsked = () => Promise.reject(new Error('Only all chunks are asked for.'));
const start = () =>
  createHighlights({
    db,
    search,
    directory,
    updateRankings: (workspace, embedder, file) => updateRankings(db, workspace, embedder, file),
    computeOutliers: notAsked,
    computeMap: notAsked,
    computeMapAhead: notAsked,
    conceptVectors: createConceptVectors(directory),
    computeConcepts: notAsked,
    onProblem: (error) => console.error(error),
  });
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
const methods = ['centroid', 'knn', 'lof'] as const;
const never = new AbortController().signal;
const ask = (highlights: ReturnType<typeof start>, method: (typeof methods)[number]) =>
  highlights.find(workspaceId, method, {}, { count: 20, dedupe: false, perItem: 2 }, never);

const highlights = start();
const whole = await timed(() => highlights.refreshRankings(workspaceId));
console.log(`${count} chunks of ${dimensions} dimensions, ${cpus()[0]?.model}, ${availableParallelism()} cores\n`);
console.log(`all from nothing: ${(whole / 1000).toFixed(1)} s\n`);

console.log('| asking | first after a start, ms | p50 ms | p99 ms |');
console.log('| --- | --- | --- | --- |');
for (const method of methods) {
  const firsts: number[] = [];
  for (let i = 0; i < 5; i++) firsts.push(await timed(() => ask(start(), method)));
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await timed(() => ask(highlights, method)));
  const [first, half, most] = [quantile(firsts, 0.5), quantile(times, 0.5), quantile(times, 0.99)];
  console.log(`| ${method} | ${first.toFixed(1)} | ${half.toFixed(1)} | ${most.toFixed(1)} |`);
}

/** Updated step by step, each ranking is the one that is computed from nothing. */
async function checkRankings(): Promise<void> {
  const updated = await Promise.all(methods.map((method) => ask(highlights, method)));
  await rm(directory, { recursive: true, force: true });
  const again = start();
  await again.refreshRankings(workspaceId);
  const computed = await Promise.all(methods.map((method) => ask(again, method)));
  const figures = methods.map((method, i) => {
    const wanted = computed[i]?.hits.map(({ chunk }) => chunk.id) ?? [];
    const found = new Set(updated[i]?.hits.map(({ chunk }) => chunk.id));
    const value = wanted.filter((id) => found.has(id)).length / wanted.length;
    return { name: `${method}: hits in common with a ranking from nothing`, value, least: 0.95 };
  });
  expectQuality(figures);
}

console.log('\n| updating | ms | a chunk, ms | of all from nothing |');
console.log('| --- | --- | --- | --- |');
for (const size of [1, 10, 100, 1000]) {
  const came: number[] = [];
  const went: number[] = [];
  for (let i = 0; i < (size < 1000 ? 3 : 1); i++) {
    const numbers = await add(size);
    came.push(await timed(() => highlights.refreshRankings(workspaceId)));
    await db.deleteFrom('chunks').where('number', 'in', numbers).execute();
    went.push(await timed(() => highlights.refreshRankings(workspaceId)));
  }
  for (const [name, times] of [
    ['more', came],
    ['fewer', went],
  ] as const) {
    const time = quantile(times, 0.5);
    console.log(
      `| ${size} ${name} | ${time.toFixed(0)} | ${(time / size).toFixed(1)} | ${((100 * time) / whole).toFixed(2)} % |`,
    );
  }
}
await checkRankings();
