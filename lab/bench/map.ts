import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { toUnit } from '@media-search/search-engine/vectors';
import type { FoundConcept } from '../../contract/concepts.ts';
import type { MapPoint } from '../../contract/highlights.ts';
import { expectQuality } from './expected-quality.ts';
import { startSeededService, type VectorAt } from './seeded-service.ts';
import { createRandom } from './vectors.ts';

/**
 * The map of the highlights of many chunks: how long until there is something to see, until it is whole, when it is asked for again, and how long concepts
 * take. Exits with 1 when chunks that are alike do not lie together, or when the map lacks some.
 *
 *     npm run node -- lab/bench/map.ts [--chunks 7000]
 */

const { values } = parseArgs({ options: { chunks: { type: 'string', default: '7000' } } });
const count = Number(values.chunks);
const heaps = 40;

/** A chunk of one of forty heaps; each seeded item is of one heap. */
const heapOf = (place: number): number => Math.floor(place / 10) % heaps;

const vectorAt: VectorAt = (place, dimensions) => {
  const [centre, own] = [createRandom('query', heapOf(place)), createRandom('vector', place)];
  return toUnit(Float32Array.from({ length: dimensions }, () => centre() - 0.5 + 1.2 * (own() - 0.5)));
};

await using service = await startSeededService(count, { EMBEDDER: 'builtin' }, vectorAt);
console.log(`${count} chunks, ${cpus()[0]?.model}, ${availableParallelism()} cores\n`);

type MapAnswer = { data: MapPoint[]; meta: { complete: boolean; layout: string; population: number } };

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(2)} s`;

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${service.key}` } });
  if (!response.ok) throw new Error(`${path} answers with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const began = performance.now();
let answer = await ask<MapAnswer>('/media/highlights/map?layout=umap&partial=1');
console.log(`something to see: ${seconds(began)} (${answer.data.length} points, ${answer.meta.layout})`);
while (!answer.meta.complete) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  answer = await ask<MapAnswer>('/media/highlights/map?layout=umap&partial=1');
}
console.log(`whole: ${seconds(began)} (${answer.meta.layout})`);
let again = performance.now();
const whole = await ask<MapAnswer>('/media/highlights/map?layout=umap&partial=1');
console.log(`again: ${seconds(again)}`);
for (const name of ['first', 'again']) {
  again = performance.now();
  const { data } = await ask<{ data: FoundConcept[] }>('/media/concepts');
  console.log(`concepts, ${name}: ${seconds(again)} (${data.length})`);
}

/** The share of points whose nearest other is of the same heap. */
function shareTogether(): number {
  const numbers = new Map<string, number>();
  for (const { id } of whole.data) if (!numbers.has(id)) numbers.set(id, 0);
  const step = Math.ceil(whole.data.length / 500);
  const sample = whole.data.filter((_, i) => i % step === 0);
  const same = sample.filter((point) => {
    let [best, least] = [point, Infinity];
    for (const other of whole.data) {
      const gap = (point.x - other.x) ** 2 + (point.y - other.y) ** 2;
      if (other.id !== point.id && gap < least) [best, least] = [other, gap];
    }
    return heapByItem.get(best.id) === heapByItem.get(point.id);
  });
  return same.length / sample.length;
}

const rows = await service.db.selectFrom('chunks').select(['media_id', 'number']).orderBy('number').execute();
const heapByItem = new Map(rows.map(({ media_id: id }, place) => [id, heapOf(place)]));
expectQuality([
  { name: 'points of the whole map', value: whole.data.length / count, least: 1 },
  { name: 'points whose nearest of another item is of their heap', value: shareTogether(), least: 0.95 },
]);
