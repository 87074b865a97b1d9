import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createTestClient, startTestService } from '../../server/testing/running-service.ts';

/**
 * What `rerank=1` gives under load, by our HTTP API: eight clients re-rank while photographs and clips are being indexed. How many of the
 * searches were re-ranked in full, in part or not at all, and how long they took; of it the re-ranking. With `--vision` a stand-in for a
 * vision-language model is asked, which looks at nothing and answers after so many milliseconds.
 *
 *     npm run node -- lab/bench/rerank-load.ts --photos <folder> --clips <folder> [--embedder <builtin|descriptors|preset|folder>] [--searches 150] [--vision 300]
 */

const clients = 8;

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    embedder: { type: 'string', default: 'descriptors' },
    searches: { type: 'string', default: '150' },
    vision: { type: 'string' },
  },
});
const searches = Number(values.searches);
const list = async (folder: string) =>
  (await readdir(folder))
    .filter((name) => /\.(jpe?g|png|webp|mp4|mkv|webm|avi)$/i.test(name))
    .map((name) => path.join(folder, name));
const [photos, clips] = [await list(values.photos), await list(values.clips)];
// Half of the material is there, the other half is indexed meanwhile, again and again.
const there = [...photos, ...clips].filter((_, i) => i % 2 === 0);
const coming = [...clips, ...photos].filter((file) => !there.includes(file));

const vision = createServer((request, response) => {
  request.resume();
  const answer = JSON.stringify({ choices: [{ message: { content: 'Yes' } }] });
  setTimeout(() => response.end(answer), Number(values.vision));
});
await once(vision.listen(0, '127.0.0.1'), 'listening');
const { port } = vision.address() as AddressInfo;
await using service = await startTestService({
  embedder: values.embedder,
  workers: 1,
  logLevel: 'silent',
  visionModel:
    values.vision === undefined ? null : { url: `http://127.0.0.1:${port}/v1`, model: 'stand-in', key: null },
});
const { client } = service;
const ids = [];
for (const file of there) ids.push((await client.upload(file)).data.id);
for (const id of ids) await client.waitUntilIndexed(id);

const done = new AbortController();
let indexed = 0;
async function index(): Promise<void> {
  for (let i = 0; !done.signal.aborted; i = (i + 1) % coming.length) {
    const { data } = await client.upload(coming[i] as string);
    await client.waitUntilIndexed(data.id);
    await client.delete(`/media/${data.id}`);
    indexed += 1;
  }
}

const words = photos.map((file) => path.parse(file).name.replaceAll(/[_-]+/g, ' ').toLowerCase());
const counts = { full: 0, part: 0, none: 0 };
const times: number[] = [];
const rerankTimes: number[] = [];
const waiting = Array.from({ length: searches }, (_, i) => words[(7 * i) % words.length] as string);
async function search(): Promise<void> {
  const own = createTestClient(service.url, service.key);
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const began = performance.now();
    const { data, meta, headers } = await own.search(word, '&rerank=1');
    times.push(performance.now() - began);
    rerankTimes.push(Number(/rerank;dur=([\d.]+)/.exec(headers.get('Server-Timing') ?? '')?.[1]));
    const judged = data.filter(({ signals }) => signals.rerank !== undefined).length;
    counts[!meta.reranked ? 'none' : judged === data.length ? 'full' : 'part'] += 1;
  }
}

const indexing = index();
await Promise.all(Array.from({ length: clients }, search));
done.abort();
await indexing;
vision.close();
vision.closeAllConnections();
const describe = (all: number[]) => {
  const at = (share: number) => (all.toSorted((a, b) => a - b)[Math.floor(share * (all.length - 1))] ?? 0).toFixed(0);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
};
console.log(`${searches} searches by ${clients} clients, ${there.length} items there, ${indexed} indexed meanwhile`);
console.log(`in full ${counts.full}, in part ${counts.part}, not at all ${counts.none}`);
console.log(`a search: ${describe(times)}`);
console.log(`of it re-ranking: ${describe(rerankTimes)}`);
