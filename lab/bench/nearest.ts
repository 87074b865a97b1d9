import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOf } from '@media-search/search-engine/index/index-memory';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import {
  type BuiltIndex,
  createBuiltIndex,
  putItem,
  takeSnapshot,
} from '../../packages/search-engine/builder/built-index.ts';
import { loadIndex, saveIndex } from '../../packages/search-engine/builder/index-file.ts';
import { linkInParallel } from '../../packages/search-engine/builder/link-in-parallel.ts';
import { findNearest } from '../../packages/search-engine/graph/find-nearest.ts';
import { createGraphScratch } from '../../packages/search-engine/graph/search-graph.ts';
import { addRange, wordsFor } from '../../packages/search-engine/index/slot-set.ts';
import { readIndex } from '../../packages/search-engine/ranking/index-reader.ts';
import { itemOf } from '../../packages/search-engine/testing/built-index.ts';
import { buildTextSegment, runToEnd } from '../../packages/search-engine/text/build-segment.ts';
import { dot } from '../../packages/search-engine/vectors.ts';
import { expectQuality } from './expected-quality.ts';
import { type Corpus, type Material, openCorpus, perItem, writeVectors } from './search/corpus.ts';
import { openVectors, quantile } from './vectors.ts';

/**
 * The nearest vectors alone, in this thread: no texts, no service, no other thread. Shows how building, searching, memory and loading grow with the
 * number of chunks, up to five million and more.
 *
 *     npm run node -- lab/bench/nearest.ts --vectors <file of float32> --chunks 100000 [--chunks 1000000 …] [--keep <folder>] [--zvec]
 *
 * For each number: build from nothing by all cores, with the processor time of all threads; save; load; own index memory to the vectors at half
 * precision; p50 and p99 of a search behind each of some filters, and the share of the exact first ten that it finds, in full precision. Exits with 1
 * below what is expected. With `--zvec` (`npm run bench:install`) zvec is asked the same queries by turns, at the
 * least of its settings that finds as much. Five million chunks take 16 GB of disk and 6 GB of memory.
 */

const { values } = parseArgs({
  options: {
    vectors: { type: 'string' },
    chunks: { type: 'string', multiple: true, default: ['100000'] },
    keep: { type: 'string' },
    zvec: { type: 'boolean', default: false },
  },
});

const dimensions = 512;
const queryCount = 100;
const rounds = 5;
const wanted = 20;
/** Vectors of the source; each chunk is near to one, as a frame is to the others of its scene. */
type Scenes = { count: number; of: (place: number) => number };
type Filter = {
  name: string;
  passes: (place: number, size: number, scenes: Scenes) => boolean;
  least: number;
};

/** The share of the exact first ten that is found at least where no scene is left out. */
const least = 0.98;

const itemAt = (place: number): number => Math.floor(place / perItem);
const filters: Filter[] = [
  { name: 'none', passes: () => true, least },
  { name: 'every other item', passes: (place) => itemAt(place) % 2 === 0, least },
  { name: 'one item of 31', passes: (place) => itemAt(place) % 31 === 0, least },
  { name: 'the late half', passes: (place, size) => place >= size / 2, least },
  { name: 'half of the scenes', passes: (place, _, { count, of }) => of(place) < count / 2, least: 0.94 },
  { name: 'a tenth of the scenes', passes: (place, _, { count, of }) => of(place) < count / 10, least: 0.9 },
];
const key = { workspaceId: 'bench', embedder: { id: 'bench@1', dimensions } };
const scratch = createGraphScratch();

await using temporary = await temporaryFolder();
const folder = path.resolve(values.keep ?? temporary.path);

async function measure(size: number): Promise<void> {
  const sourceFile = path.resolve(values.vectors ?? '');
  const vectorFile = path.join(folder, `vectors-${size}`);
  const material: Material = { sourceFile, vectorFile, size, dimensions, queries: queryCount };
  await writeVectors(material);
  const corpus = openCorpus(material);
  const file = path.join(folder, `nearest-${size}.index`);
  const built = existsSync(file) ? undefined : await build(corpus, file);
  const began = performance.now();
  const loaded = await loadIndex(file, key);
  if (!loaded) throw new Error(`${file} cannot be loaded.`);
  const loadSeconds = (performance.now() - began) / 1000;
  const { near } = await openVectors(sourceFile, dimensions);
  const queries = Array.from({ length: queryCount }, (_, i) => near(37 * i));
  const sceneCount = (await stat(sourceFile)).size / (Float32Array.BYTES_PER_ELEMENT * dimensions);
  const scenes: Scenes = { count: sceneCount, of: (place) => place % sceneCount };
  const passing = filters.map(
    ({ passes }) =>
      (place: number) =>
        passes(place, size, scenes),
  );
  const exact = findExactly(corpus, queries, passing);
  const cells = [
    size.toLocaleString('en'),
    built ? built.seconds.toFixed(0) : 'kept',
    built ? built.processorSeconds.toFixed(0) : 'kept',
    loadSeconds.toFixed(2),
    (memoryOf(takeSnapshot(loaded.index)) / (2 * dimensions * size)).toFixed(3),
  ];
  console.log(`\n| chunks | build, s | its processor time, s | load, s | memory, of half precision |`);
  console.log(`| --- | --- | --- | --- | --- |\n| ${cells.join(' | ')} |`);
  console.log('\n| filter | search, p50 / p99 ms | share of the exact first ten |\n| --- | --- | --- |');
  const found = ask(loaded.index, queries, passing, exact);
  for (const [f, { name }] of filters.entries()) {
    console.log(`| ${name} | ${spread(found[f]?.times ?? [])} | ${found[f]?.share.toFixed(3)} |`);
  }
  expectQuality(
    filters.map(({ name, least }, f) => ({
      name: `${size} chunks, filter ${name}: the share of the exact first ten`,
      value: found[f]?.share ?? NaN,
      least,
    })),
  );
  if (values.zvec) await compareWithZvec(corpus, queries, exact[0] ?? [], loaded.index);
}

const spread = (times: number[]) => `${quantile(times, 0.5).toFixed(3)} / ${quantile(times, 0.99).toFixed(3)}`;

/** Builds an index and saves it, as the builder does: slots are linked while others are added. */
async function build(corpus: Corpus, file: string): Promise<{ seconds: number; processorSeconds: number }> {
  const index = createBuiltIndex(key);
  const { signal } = new AbortController();
  const began = performance.now();
  const used = process.cpuUsage();
  let isGrowing = true;
  let linking: Promise<void> | undefined;
  for (let first = 0; first < corpus.size; first += perItem) {
    const numbers = Array.from({ length: perItem }, (_, i) => first + i);
    const vectors = new Map(numbers.map((number) => [number, corpus.vectorAt(number)]));
    await putItem(index, itemOf(`item-${first}`, numbers), () => Promise.resolve(vectors));
    const isLast = first + perItem >= corpus.size;
    if (index.pendingTexts.length >= 100_000 || isLast) {
      const segment = runToEnd(buildTextSegment(index.slotCount - index.pendingTexts.length, index.pendingTexts));
      index.textSegments.push(segment);
      index.pendingTexts = [];
    }
    if (first % 1000 > 0) continue;
    await nextTurn();
    if (index.slotCount > 5000) linking ??= linkInParallel(index, signal, { isGrowing: () => isGrowing });
  }
  isGrowing = false;
  await (linking ?? linkInParallel(index, signal));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  await saveIndex(file, index, { timeline: 'bench', change: 1 });
  return { seconds, processorSeconds: (user + system) / 1e6 };
}

/** Of each filter and each query the places of the exact first ten among those that pass, in full precision. */
function findExactly(
  corpus: Corpus,
  queries: Float32Array[],
  passing: ((place: number) => boolean)[],
): Set<number>[][] {
  const best = passing.map(() => queries.map((): { place: number; similarity: number }[] => []));
  for (let place = 0; place < corpus.size; place++) {
    const vector = corpus.vectorAt(place);
    const passed = best.filter((_, f) => passing[f]?.(place));
    for (const [i, query] of queries.entries()) {
      const similarity = dot(vector, query);
      for (const ofQueries of passed) {
        const ten = ofQueries[i] as { place: number; similarity: number }[];
        if (ten.length === 10 && similarity <= (ten[9]?.similarity ?? 0)) continue;
        ten.push({ place, similarity });
        ten.sort((a, b) => b.similarity - a.similarity);
        ten.splice(10);
      }
    }
  }
  return best.map((ofQueries) => ofQueries.map((ten) => new Set(ten.map(({ place }) => place))));
}

const shareOf = (found: number[], exact: Set<number> | undefined): number =>
  found.slice(0, 10).filter((place) => exact?.has(place)).length / (exact?.size ?? 0);

const average = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** What searches by the graph as a search thread does: the sample of the background, then the nearest of those that pass. */
function openSearch(index: BuiltIndex, passes: (place: number) => boolean) {
  const reader = readIndex(takeSnapshot(index), 1);
  const selected = { words: new Uint32Array(wordsFor(index.slotCount)), size: 0 };
  for (let slot = 0; slot < index.slotCount; slot++) {
    if (!passes(slot)) continue;
    addRange(selected.words, slot, slot + 1);
    selected.size += 1;
  }
  return (query: Float32Array): number[] => {
    reader.compare(query, reader.sample());
    const parts = { selected, slotCount: index.slotCount, count: wanted };
    return findNearest(reader.index, scratch, query, parts).map(({ slot }) => slot);
  };
}

/** Asks each query behind each filter by turns. */
function ask(
  index: BuiltIndex,
  queries: Float32Array[],
  passing: ((place: number) => boolean)[],
  exact: Set<number>[][],
): { times: number[]; share: number }[] {
  const searches = passing.map((passes) => openSearch(index, passes));
  const times = searches.map((): number[] => []);
  const shares = searches.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, query] of queries.entries()) {
      for (const [f, search] of searches.entries()) {
        const began = performance.now();
        const found = search(query);
        // The first round is that of the compiler.
        if (round > 0) times[f]?.push(performance.now() - began);
        else shares[f]?.push(shareOf(found, exact[f]?.[i]));
      }
    }
  }
  return times.map((ofFilter, f) => ({ times: ofFilter, share: average(shares[f] ?? []) }));
}

/** Asks zvec the same by turns, both in this thread. */
async function compareWithZvec(corpus: Corpus, queries: Float32Array[], exact: Set<number>[], index: BuiltIndex) {
  const { openZvec } = await import('./search/zvec.ts');
  const place = path.join(folder, `zvec-${corpus.size}`);
  const isBuilt = existsSync(place);
  await mkdir(place, { recursive: true });
  const engine = await openZvec({ corpus, folder: place, isBuilt });
  const search = openSearch(index, () => true);
  for (const effort of engine.efforts) {
    await effort.use();
    const shares: number[] = [];
    const times = { ours: [] as number[], zvec: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const [i, vector] of queries.entries()) {
        let began = performance.now();
        const found = await engine.vector({ vector, words: [] }, null);
        times.zvec.push(performance.now() - began);
        began = performance.now();
        search(vector);
        times.ours.push(performance.now() - began);
        if (round === 0) shares.push(shareOf(found, exact[i]));
      }
    }
    console.log(
      `zvec, ${effort.name}: ${spread(times.zvec)} ms beside ${spread(times.ours)}, share ${average(shares).toFixed(3)}`,
    );
    if (average(shares) >= least) break;
  }
  await engine.close();
}

await mkdir(folder, { recursive: true });
for (const chunks of values.chunks) await measure(Number(chunks));
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
