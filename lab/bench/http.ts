import path from 'node:path';
import { parseArgs } from 'node:util';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { median } from '@media-search/search-engine/vectors';
import { createStageTimer } from '../../server/platform/metrics/stage-timer.ts';
import { createTextEmbedders } from '../../server/search/embedding/text-embedders.ts';
import { startEmbeddedSearch } from '../../server/testing/memory-search.ts';
import { expectQuality } from './expected-quality.ts';
import { startSearching } from './search-clients.ts';
import { leastSaved, queryAt, startSeededService, waitForIndex } from './seeded-service.ts';
import { quantile } from './vectors.ts';

/**
 * What HTTP adds to a hybrid search: the service in a process of its own beside the engine alone over the same database, each query by turns,
 * which of both first by turns too; and how many a second 16 clients get from either, by turns. The clients of HTTP are in a third process.
 *
 * Exits with 1 when both do not give the same hits.
 *
 *     npm run node -- lab/bench/http.ts [--chunks 100000] [--rounds 300] [--seconds 4]
 */

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '4' },
  },
});
const rounds = Number(values.rounds);
await using service = await startSeededService(Number(values.chunks));
const { url, key, db, workspaceId } = service;
const embedder = createTextEmbedders().createQueryEmbedder(descriptorsReference);
const engine = startEmbeddedSearch({
  db,
  catalogFile: service.catalogFile,
  indexDirectory: path.join(service.folder, 'indexes'),
  onProblem: (error) => console.error(error),
  getEmbedder: () => Promise.resolve(embedder),
});
await engine.warm(workspaceId);
if (Number(values.chunks) >= leastSaved) await waitForIndex(path.join(service.folder, 'indexes'));
const ways = {
  'over HTTP': async (i: number) => {
    const response = await fetch(`${url}/api/v1/media/search?q=${encodeURIComponent(queryAt(i))}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data: { chunk_id: string }[] };
    return data.map((hit) => hit.chunk_id);
  },
  'engine alone': async (i: number) => {
    const options = { count: 20, dedupe: false, timer: createStageTimer() };
    const { hits } = await engine.searchByText(workspaceId, queryAt(i), {}, options);
    return hits.map(({ chunk }) => chunk.id);
  },
};
type Way = keyof typeof ways;

const times: Record<Way, number[]> = { 'over HTTP': [], 'engine alone': [] };
let same = 0;
for (let i = 0; i < rounds; i++) {
  const order: Way[] = i % 2 === 0 ? ['over HTTP', 'engine alone'] : ['engine alone', 'over HTTP'];
  const answers: string[][] = [];
  for (const way of order) {
    const began = performance.now();
    answers.push(await ways[way](i));
    times[way].push(performance.now() - began);
  }
  const [first = [], second = []] = answers;
  if (first.length > 0 && first.join() === second.join()) same += 1;
}
expectQuality([{ name: 'the share of searches with the same hits over HTTP', value: same / rounds, least: 1 }]);
const added = times['over HTTP'].map((time, i) => time - (times['engine alone'][i] as number));

const seconds = Number(values.seconds);
const rates: Record<Way, number[]> = { 'over HTTP': [], 'engine alone': [] };
for (let turn = 0; turn < 3; turn++) {
  const stop = await startSearching(url, key, 16);
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const searched = await stop();
  rates['over HTTP'].push(searched.answered / searched.seconds);
  rates['engine alone'].push(await rateAlone());
}

/** Searches per second by 16 callers in this process. */
async function rateAlone(): Promise<number> {
  const until = performance.now() + 1000 * seconds;
  let asked = 0;
  const caller = async () => {
    while (performance.now() < until) await ways['engine alone'](asked++);
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return asked / seconds;
}

console.log('| | p50, ms | p99, ms | 16 at once, a second |');
console.log('| --- | --- | --- | --- |');
for (const way of ['engine alone', 'over HTTP'] satisfies Way[]) {
  const rate = median(rates[way]).toFixed(0);
  console.log(
    `| ${way} | ${quantile(times[way], 0.5).toFixed(2)} | ${quantile(times[way], 0.99).toFixed(2)} | ${rate} |`,
  );
}
console.log(`| added | ${quantile(added, 0.5).toFixed(2)} | ${quantile(added, 0.99).toFixed(2)} | |`);
