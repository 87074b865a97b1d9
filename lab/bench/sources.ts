import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MediaItem } from '../../contract/media.ts';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readGreeting, spawnProgram } from '../../server/testing/programs.ts';
import { createTestClient, type TestClient } from '../../server/testing/running-service.ts';

/**
 * A library that is indexed where it lies: when its names and its first pictures are found, what 5,000 renames and moves cost, a tenth of them
 * while the service is stopped, and whether a byte of it was written. It fails where an item was lost, embedded again or doubled, a label went,
 * or a file differs from before.
 *
 *     npm run node -- lab/bench/sources.ts [files] [moves]
 */

const count = Number(process.argv[2] ?? 20_000);
const moveCount = Number(process.argv[3] ?? 5000);
/** Names are to be found within so many seconds, and the first pictures. */
const gates = { names: 10, pictures: 60 };

await using folder = await temporaryFolder();
const root = folder.file('nas');
const settings = {
  DATA_DIR: folder.file('data'),
  PORT: '0',
  SOURCE_ROOTS: root,
  // What is embedded again costs more with another one, and is counted all the same.
  EMBEDDER: 'descriptors',
  REQUESTS_PER_MINUTE: '0',
};

/** Small photographs, each of other bytes, in folders of 200. */
async function fill(): Promise<void> {
  const photo = folder.file('photo.jpg');
  await makePhoto(photo, plain(90, 120, 200), { width: 160, height: 120 });
  const bytes = await readFile(photo);
  for (let i = 0; i < count; i++) {
    const place = path.join(root, `year ${i % 5}`, `folder-${Math.floor(i / 200)}`);
    if (i % 200 < 5) await mkdir(place, { recursive: true });
    // Behind the end of the picture.
    await writeFile(
      path.join(place, `IMG_${String(i).padStart(5, '0')}.jpg`),
      Buffer.concat([bytes, Buffer.from(`${i}`)]),
    );
  }
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** The checksums of all files, sorted: the same after any number of moves. */
async function checksums(): Promise<string[]> {
  const sums: string[] = [];
  for (const file of await listFiles()) {
    const hash = createHash('sha256');
    for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
    sums.push(hash.digest('hex'));
  }
  return sums.toSorted();
}

async function start() {
  const child = spawnProgram('main', [], settings);
  process.once('exit', () => child.kill('SIGKILL'));
  const { url, key } = await readGreeting(child);
  return {
    client: createTestClient(url, key),
    async stop() {
      child.kill('SIGTERM');
      while (child.exitCode === null && child.signalCode === null) await delay(50);
    },
  };
}

const totalOf = async (client: TestClient, query: string): Promise<number> =>
  (await client.get<MediaItem[], { total: number }>(`/media?per_page=1&${query}`)).meta.total;

async function until(what: string, limitSeconds: number, isDone: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isDone())) {
    if (performance.now() - began > limitSeconds * 1000) throw new Error(`${what} took more than ${limitSeconds} s.`);
    await delay(100);
  }
  return (performance.now() - began) / 1000;
}

async function listAll(client: TestClient): Promise<Map<string, MediaItem>> {
  const items = new Map<string, MediaItem>();
  for (let page = 1; ; page++) {
    const { data, meta } = await client.get<MediaItem[], { has_more: boolean }>(
      `/media?per_page=100&page=${page}&sort=created_at`,
    );
    for (const item of data) items.set(item.id, item);
    if (!meta.has_more) return items;
  }
}

async function scan(client: TestClient, id: string): Promise<Source> {
  const before = (await client.get<Source>(`/sources/${id}`)).data.last_scan?.ended_at;
  await client.post(`/sources/${id}/scan`, {});
  await until('A scan', 300, async () => {
    const { data } = await client.get<Source>(`/sources/${id}`);
    return data.last_scan?.ended_at !== before && data.scan === null;
  });
  return (await client.get<Source>(`/sources/${id}`)).data;
}

/** Renames files, or moves them to other folders. */
async function moveSome(files: string[], offset: number): Promise<void> {
  for (const [i, file] of files.entries()) {
    const to = path.join(root, 'moved', `${(offset + i) % 37}`);
    await mkdir(to, { recursive: true });
    await rename(
      file,
      i % 2 === 0 ? path.join(to, path.basename(file)) : path.join(path.dirname(file), `renamed ${offset + i}.jpg`),
    );
  }
}

await fill();
const before = await checksums();
let service = await start();
const began = performance.now();
const { id } = (await service.client.post<Source>('/sources', { name: 'NAS', location: root })).data;
const names = await until('Finding names', 120, async () => (await totalOf(service.client, 'q=IMG_')) === count);
const first = await until(
  'The first pictures',
  300,
  async () => (await totalOf(service.client, 'status=complete')) > 0,
);
const pictures = (performance.now() - began) / 1000;
process.stdout.write(
  `names of ${count} files are found after ${names.toFixed(1)} s, the first pictures after ${(names + first).toFixed(1)} s\n`,
);
if (names > gates.names || pictures > gates.pictures) {
  process.stderr.write(`Names are to be found after ${gates.names} s, pictures after ${gates.pictures} s.\n`);
  process.exitCode = 1;
}

// As many as are to be moved are indexed and labelled.
await until(
  'Indexing',
  3600,
  async () => (await totalOf(service.client, 'status=complete')) >= Math.min(count, moveCount),
);
const known = await listAll(service.client);
const indexed = [...known.values()].filter(({ status }) => status === 'complete').slice(0, moveCount);
await service.client.patch(`/sources/${id}`, { paused: true });
const labelled = indexed.slice(0, 300).map((item) => item.id);
const { data: tag } = await service.client.post<{ id: string }>('/tags', { name: 'keep' });
await service.client.post(`/tags/${tag.id}/items`, { add: labelled });
await service.client.patch(`/sources/${id}`, { paused: false });

const moving = indexed.map(({ source }) => path.join(root, source?.path ?? ''));
const running = moving.slice(0, Math.floor(moving.length * 0.9));
await moveSome(running, 0);
await scan(service.client, id);
await service.stop();
await moveSome(moving.slice(running.length), running.length);
service = await start();
const scanBegan = performance.now();
await scan(service.client, id);
process.stdout.write(
  `a scan that finds ${moving.length - running.length} moves among ${count} files takes ${((performance.now() - scanBegan) / 1000).toFixed(1)} s\n`,
);
await scan(service.client, id);

const after = await listAll(service.client);
const lost = [...known.keys()].filter((each) => !after.has(each)).length;
const double = after.size - known.size;
const again = indexed.filter((item) => after.get(item.id)?.indexed_at !== item.indexed_at).length;
const unlabelled = labelled.filter((each) => !after.get(each)?.tag_ids.includes(tag.id)).length;
const there = new Set((await listFiles()).map((file) => path.relative(root, file)));
const misplaced = [...after.values()].filter(({ source }) => !there.has(source?.path ?? '')).length;
const same = JSON.stringify(before) === JSON.stringify(await checksums());
process.stdout.write(
  `${moving.length} renames and moves: ${lost} items lost, ${double} double, ${again} embedded again, ${unlabelled} labels lost, ${misplaced} at another path; originals ${same ? 'unchanged' : 'CHANGED'}\n`,
);
await service.stop();
await rm(root, { recursive: true });
if (lost + double + again + unlabelled + misplaced > 0 || !same) process.exitCode = 1;
