import path from 'node:path';
import { parseArgs } from 'node:util';
import { openCatalog } from '../server/catalog/open-catalog.ts';
import { listWorkspaces } from '../server/catalog/workspaces.ts';
import { createTextEmbedders } from '../server/embedding/text-embedders.ts';
import { descriptorsEmbedder } from '../server/models/descriptors/descriptors-embedder.ts';
import { descriptorsReference } from '../server/models/load-embedder.ts';
import { createLocalIndexes } from '../server/search/local-indexes.ts';
import { createSearchEngine } from '../server/search/search-engine.ts';
import { createStageTimer } from '../server/search/stage-timer.ts';
import { catalogFile } from '../server/storage/data-directory.ts';
import { readGreeting, spawnProgram } from '../server/testing/programs.ts';
import { createTestClient, temporaryFolder } from '../server/testing/running-service.ts';
import { seedChunks } from '../server/testing/seed-chunks.ts';
import { toUnit } from '../server/vectors.ts';
import { quantile } from './vectors.ts';

/**
 * What HTTP adds to a hybrid search: the service in a process of its own beside the engine alone over the same database, queries by turns;
 * and how many a second 16 clients get.
 *
 *     node bench/http.ts [--chunks 100000] [--rounds 300]
 */

const { values } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '300' } },
});
const rounds = Number(values.rounds);
const colours = ['red', 'green', 'blue', 'yellow', 'dark', 'bright', 'striped'];
await using folder = await temporaryFolder();
const settings = { DATA_DIR: folder.file('data'), PORT: '0', WORKERS: '1', EMBEDDER: 'descriptors' };
const first = spawnProgram('main', [], settings);
await readGreeting(first);
const ended = new Promise((resolve) => first.once('exit', resolve));
first.kill('SIGINT');
await ended;

const db = await openCatalog(catalogFile(settings.DATA_DIR));
const workspaceId = (await listWorkspaces(db))[0]?.id ?? '';
let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
await seedChunks(db, workspaceId, descriptorsEmbedder.id, { count: Number(values.chunks), perItem: 10 }, () => {
  const raw = Float32Array.from({ length: descriptorsEmbedder.dimensions }, () => random() - 0.5);
  return {
    vector: toUnit(raw),
    text: Array.from({ length: 8 }, () => `w${Math.floor(5000 ** random())}`).join(' '),
  };
});
const embedder = createTextEmbedders().createQueryEmbedder(descriptorsReference);
const engine = createSearchEngine({
  db,
  ...createLocalIndexes(db, path.join(folder.path, 'indexes')),
  getEmbedder: () => Promise.resolve(embedder),
});
await engine.warm(workspaceId);
const service = spawnProgram('main', [], settings);
const { url, key } = await readGreeting(service);
service.stdout?.resume();
service.stderr?.resume();
const client = createTestClient(url, key);
const queryAt = (i: number) => `${colours[i % colours.length]} w${20 + ((i * 13) % 480)}`;
const overHttp = async (i: number) => {
  const response = await fetch(`${url}/api/v1/media/search?q=${encodeURIComponent(queryAt(i))}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
};
const alone = (i: number) =>
  engine.searchByText(workspaceId, queryAt(i), {}, { count: 20, dedupe: false, timer: createStageTimer() });

// Until its index is built.
await client.search('red');
const times: { http: number[]; alone: number[]; added: number[] } = { http: [], alone: [], added: [] };
for (let i = 0; i < rounds; i++) {
  let began = performance.now();
  await alone(i);
  const engineTime = performance.now() - began;
  began = performance.now();
  await overHttp(i);
  const httpTime = performance.now() - began;
  times.alone.push(engineTime);
  times.http.push(httpTime);
  times.added.push(httpTime - engineTime);
}
const until = performance.now() + 5000;
let asked = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (performance.now() < until) await overHttp(asked++);
  }),
);
service.kill('SIGINT');
await db.destroy();

console.log('| | p50, ms | p99, ms |');
console.log('| --- | --- | --- |');
for (const [name, all] of Object.entries({
  'engine alone': times.alone,
  'over HTTP': times.http,
  added: times.added,
})) {
  console.log(`| ${name} | ${quantile(all, 0.5).toFixed(2)} | ${quantile(all, 0.99).toFixed(2)} |`);
}
console.log(`\n16 clients: ${(asked / 5).toFixed(0)} searches a second`);
