import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BuiltIndex, createBuiltIndex, putItem } from '../../packages/search-engine/builder/built-index.ts';
import { inSteps } from '../../packages/search-engine/builder/follow-source.ts';
import { loadIndex, saveIndex } from '../../packages/search-engine/builder/index-file.ts';
import { findNearest } from '../../packages/search-engine/graph/find-nearest.ts';
import { createGraphWriter } from '../../packages/search-engine/graph/link-slot.ts';
import { createGraphScratch } from '../../packages/search-engine/graph/search-graph.ts';
import { readLinked } from '../../packages/search-engine/index/index-memory.ts';
import { itemOf } from '../../packages/search-engine/testing/built-index.ts';
import { buildTextSegment } from '../../packages/search-engine/text/build-segment.ts';
import { dot } from '../../packages/search-engine/vectors.ts';
const { values } = parseArgs({
  options: { vectors: { type: 'string' }, chunks: { type: 'string', default: '100000' }, folder: { type: 'string' } },
});
import { openCorpus, writeVectors } from './search/corpus.ts';
import { openVectors, quantile } from './vectors.ts';
const size = Number(values.chunks);
const folder = path.resolve(values.folder ?? '');
await mkdir(folder, { recursive: true });
const material = {
  sourceFile: path.resolve(values.vectors ?? ''),
  vectorFile: path.join(folder, `vectors-${size}`),
  size,
  dimensions: 512,
  queries: 50,
};
await writeVectors(material);
const corpus = openCorpus(material);
const key = { workspaceId: 'w', embedder: { id: 'bench@1', dimensions: 512 } };
const file = path.join(folder, `index-${size}`);
let index: BuiltIndex;
if (!existsSync(file)) {
  index = createBuiltIndex(key);
  let t = performance.now();
  for (let first = 0; first < size; first += 10) {
    const numbers = Array.from({ length: 10 }, (_, i) => first + i);
    const vectors = new Map(numbers.map((n) => [n, corpus.vectorAt(n)]));
    await putItem(index, itemOf(`item-${first}`, numbers), async () => vectors);
    index.pendingTexts = [];
  }
  console.log('filled', ((performance.now() - t) / 1000).toFixed(1), 's');
  t = performance.now();
  const cpu = process.cpuUsage();
  const writer = createGraphWriter(0);
  while (readLinked(index.open.header) < size) writer.linkNext(index.open);
  console.log('linked', ((performance.now() - t) / 1000).toFixed(1), 's, cpu', process.cpuUsage(cpu).user / 1e6);
  index.textSegments = [
    await inSteps(
      buildTextSegment(
        0,
        Array.from({ length: size }, () => ({ texts: [], filename: '', tags: '' })),
      ),
    ),
  ];
  await saveIndex(file, index, { timeline: 't', change: 1 });
} else {
  const t = performance.now();
  const loaded = await loadIndex(file, key);
  console.log('load', (performance.now() - t).toFixed(0), 'ms');
  if (!loaded) throw new Error('cannot load');
  index = loaded.index;
}
const open = index.open;
const { near } = await openVectors(material.sourceFile, 512);
const queries = Array.from({ length: 50 }, (_, i) => near(i * 37));
const best = queries.map((): { p: number; s: number }[] => []);
for (let p = 0; p < size; p++) {
  const v = corpus.vectorAt(p);
  for (const [q, query] of queries.entries()) {
    const s = dot(v, query);
    const b = best[q] as { p: number; s: number }[];
    if (b.length < 10 || s > (b[9]?.s ?? 0)) {
      b.push({ p, s });
      b.sort((x, y) => y.s - x.s);
      if (b.length > 10) b.pop();
    }
  }
}
const words = new Uint32Array(Math.ceil(size / 32)).fill(0xffffffff);
const scratch = createGraphScratch();
const sample = Array.from({ length: 500 }, (_, i) => Math.floor((i * size) / 500));
let compared = 0,
  calls = 0;
function search(query: Float32Array, count: number) {
  const { vectors } = open;
  vectors.setQuery(query);
  vectors.list.set(sample);
  vectors.compare(500);
  const similarities = Float64Array.from(vectors.products.subarray(0, 500));
  return findNearest(open, scratch, query, {
    selected: { words, size },
    slotCount: size,
    entries: { slots: sample, similarities },
    count,
  });
}
for (const count of [30, 100]) {
  const times: number[] = [];
  let right = 0;
  for (let round = 0; round < 20; round++)
    for (const [q, query] of queries.entries()) {
      const t = performance.now();
      const found = search(query, count);
      times.push(performance.now() - t);
      if (round === 0) {
        const ten = new Set(found.slice(0, 10).map((f) => f.slot));
        right += (best[q] ?? []).filter(({ p }) => ten.has(p)).length;
      }
    }
  console.log(
    `count ${count}: p50 ${quantile(times, 0.5).toFixed(3)} p10 ${quantile(times, 0.1).toFixed(3)} min ${quantile(times, 0).toFixed(3)} recall ${(right / 500).toFixed(4)}`,
  );
}
{
  // kernel alone
  const { vectors } = open;
  const rnd = Array.from({ length: 200 }, () =>
    Int32Array.from({ length: 32 }, () => Math.floor(Math.random() * size)),
  );
  const ts: number[] = [];
  for (let r = 0; r < 50; r++) {
    const t = performance.now();
    for (const l of rnd) {
      vectors.list.set(l);
      vectors.estimate(32);
    }
    ts.push(((performance.now() - t) * 1e6) / 6400);
    for (const l of rnd) for (let i = 0; i < 32; i++) l[i] = Math.floor(Math.random() * size);
  }
  console.log('kernel ns/vector random', quantile(ts, 0.1).toFixed(0), quantile(ts, 0.5).toFixed(0));
  const t2: number[] = [];
  for (let r = 0; r < 50; r++) {
    const l = rnd[0] as Int32Array;
    vectors.list.set(l);
    const t = performance.now();
    for (let k = 0; k < 200; k++) vectors.estimate(32);
    t2.push(((performance.now() - t) * 1e6) / 6400);
  }
  console.log('kernel ns/vector cached', quantile(t2, 0.1).toFixed(0));
}
void compared;
void calls;
