import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '../../contract/media.ts';
import type { Source, SourceFile } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { startServiceProcess } from './campaign/service-process.ts';

/**
 * A source with all that a disk of strangers may hold: farms of links, a folder with very many empty files, names that are no UTF-8, paths longer than
 * the system opens, files that grow, a sparse file of a terabyte, names that differ by case, devices and pipes. The service answers meanwhile, its
 * memory is bounded, each kind has its sentence, and what is good is indexed.
 *
 *     npm run node -- lab/reliability/hostile-tree.ts [--empty n]
 */

const campaign = startCampaign('hostile-tree', { rounds: 1, seconds: 3600, empty: 1_000_000 });
const { count, violation } = campaign;
/** Resident memory of all processes together, bytes. */
const maxMemory = 3 * 2 ** 30;
/** An answer to a request meanwhile, milliseconds. */
const maxWaitMs = 5000;

await using folder = await temporaryFolder();
const root = folder.file('disk');
await mkdir(root);
const photo = folder.file('photo.jpg');
await makePhoto(photo, plain(20, 90, 160), { width: 96, height: 64 });

function fill(): void {
  for (let i = 0; i < 10_000; i++) {
    if (i % 1000 === 0) mkdirSync(path.join(root, `farm-${i / 1000}`));
    symlinkSync(i % 2 === 0 ? '/etc' : root, path.join(root, `farm-${Math.floor(i / 1000)}`, `${i}.jpg`));
  }
  mkdirSync(path.join(root, 'empty'));
  for (let i = 0; i < campaign.option('empty'); i++) closeSync(openSync(path.join(root, 'empty', `${i}.jpg`), 'w'));
  for (let i = 0; i < 20; i++) {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xe0 + i]), Buffer.from('.jpg')]), 'x');
  }
  fillDeep();
  const sparse = openSync(path.join(root, 'sparse.mp4'), 'w');
  ftruncateSync(sparse, 2 ** 40);
  writeSync(sparse, Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'), 0, 24, 0);
  closeSync(sparse);
  for (const name of ['Case.jpg', 'case.jpg', 'CASE.JPG']) writeFileSync(path.join(root, name), name);
}

/** Folders in each other until the path is longer than the system opens, by going into them. */
function fillDeep(): void {
  const before = process.cwd();
  process.chdir(root);
  for (let i = 0; i < 25; i++) {
    const name = 'd'.repeat(200);
    mkdirSync(name);
    process.chdir(name);
    writeFileSync('deep.jpg', 'x');
  }
  process.chdir(before);
}

fill();
await mkdir(path.join(root, 'good'));
for (let i = 0; i < 5; i++)
  await makePhoto(path.join(root, 'good', `${i}.jpg`), plain(40 * i, 90, 200), { width: 96, height: 64 });

for (const _ of campaign.rounds()) {
  const service = await startServiceProcess({
    DATA_DIR: folder.file('data'),
    SOURCES: `Disk=${root}`,
    EMBEDDER: 'descriptors',
    REQUESTS_PER_MINUTE: '0',
  });
  const client = createTestClient(service.url, service.key);
  const growing = openSync(path.join(root, 'growing.jpg'), 'w');
  let [slowest, memory] = [0, 0];
  const source = async () => (await client.get<Source[]>('/sources')).data[0] as Source;
  for (let waited = 0; waited < 1_800_000; waited += 200) {
    writeSync(growing, Buffer.alloc(1000, 7));
    const began = performance.now();
    await client.get('/media?per_page=1');
    slowest = Math.max(slowest, performance.now() - began);
    memory = Math.max(memory, service.memoryBytes());
    const { last_scan, state } = await source();
    if (state === 'offline') violation('offline', JSON.stringify(await source()));
    if (last_scan !== null) break;
    await sleep(200);
  }
  closeSync(growing);
  await rename(path.join(root, 'Case.jpg'), path.join(root, 'cAse.jpg'));
  await writeFile(path.join(root, 'good', 'later.jpg'), await readFile(photo));
  const { id, last_scan } = await source();
  await client.post(`/sources/${id}/scan`, {});
  for (let waited = 0; waited < 1_800_000; waited += 500) {
    const now = await source();
    if (now.last_scan?.ended_at !== last_scan?.ended_at && now.items.pending + now.items.indexing === 0) break;
    await sleep(500);
  }
  const good = (await client.get<MediaItem[]>(`/media?source_id=${id}&folder=good&per_page=100`)).data;
  if (good.length !== 6 || good.some(({ status }) => status !== 'complete')) {
    violation('good files', JSON.stringify(good.map(({ filename, status }) => [filename, status])));
  }
  const failed = new Map<string, string>();
  for (let page = 1; page < 20; page++) {
    const { data, meta } = await client.get<SourceFile[], { has_more: boolean }>(
      `/sources/${id}/files?failed=1&per_page=100&page=${page}`,
    );
    for (const { problem } of data) if (problem) failed.set(problem.code, problem.message);
    if (!meta.has_more) break;
  }
  for (const code of ['empty_file', 'name_not_utf8', 'path_too_long']) {
    if (!failed.has(code)) violation('no sentence', code);
  }
  const items = (await client.get<MediaItem[], { total: number }>('/media?per_page=100')).data;
  if (items.some(({ source: place }) => place?.path.includes('farm-'))) violation('links', 'A link was followed.');
  if (slowest > maxWaitMs) violation('slow', `A request waited ${slowest.toFixed(0)} ms.`);
  if (memory > maxMemory) violation('memory', `${(memory / 2 ** 20).toFixed(0)} MiB.`);
  count('MiB at most', Math.round(memory / 2 ** 20));
  count('ms a request waited at most', Math.round(slowest));
  for (const [code, message] of failed) console.log(`${code}: ${message}`);
  console.log(JSON.stringify((await source()).last_scan));
  await service.stop();
}
// It goes into folders as it deletes: their paths are longer than the system opens.
execFileSync('rm', ['-rf', root]);
campaign.report();
