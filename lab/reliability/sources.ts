import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '../../contract/media.ts';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient, type TestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { type ServiceProcess, startServiceProcess } from './campaign/service-process.ts';

/**
 * Kills the service with `kill -9` while it scans a source in which files are added, renamed, moved, overwritten and deleted all the time. At the end
 * each file has exactly one item, which is indexed, if necessary after a retry; no item is left without a file, labels are where they were put, and the
 * service wrote nothing into the source.
 *
 *     npm run node -- lab/reliability/sources.ts [--seed n] [--rounds n] [--seconds n]
 */

const campaign = startCampaign('sources', { rounds: 100, seconds: 3600 });
const { chance, count, integer, pick, violation } = campaign;

await using folder = await temporaryFolder();
const root = folder.file('nas');
await mkdir(root);
const photo = folder.file('photo.jpg');
await makePhoto(photo, plain(20, 90, 160), { width: 96, height: 64 });
const bytes = await readFile(photo);
/** What we wrote at each path. */
const files = new Map<string, string>();
let written = 0;
/** What was rated, by the path of its file. */
const ratings = new Map<string, number>();
/** Files since the last scan that others took the place of, and that were moved: of one of which both is true, nothing tells which it was. */
const replaced = new Set<string>();
const moved = new Set<string>();

async function write(file: string): Promise<void> {
  written += 1;
  const content = Buffer.concat([bytes, Buffer.from(String(written))]);
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  // As programs do that lose nothing: another file, which takes the place of the earlier one.
  await writeFile(path.join(root, `.${written}`), content);
  await rename(path.join(root, `.${written}`), path.join(root, file));
  if (files.has(file)) replaced.add(file);
  if (moved.has(file)) ratings.delete(file);
  files.set(file, createHash('sha256').update(content).digest('hex'));
}

const newName = () => `${chance(0.5) ? '' : `folder ${integer(6)}/`}IMG_${integer(100_000)}.jpg`;

async function change(): Promise<void> {
  const known = [...files.keys()];
  if (known.length < 40 || chance(0.4)) return write(newName());
  const file = pick(known);
  if (chance(0.25)) return write(file);
  if (chance(0.3)) {
    files.delete(file);
    ratings.delete(file);
    replaced.delete(file);
    moved.delete(file);
    return rm(path.join(root, file));
  }
  const to = newName();
  if (files.has(to)) return;
  files.set(to, files.get(file) ?? '');
  files.delete(file);
  const rating = ratings.get(file);
  ratings.delete(file);
  if (rating !== undefined && !replaced.has(file)) ratings.set(to, rating);
  if (replaced.delete(file)) replaced.add(to);
  moved.delete(file);
  moved.add(to);
  await mkdir(path.dirname(path.join(root, to)), { recursive: true });
  await rename(path.join(root, file), path.join(root, to));
}

/** Rates some items. To be called while nothing changes. */
async function rate(client: TestClient): Promise<void> {
  await scan(client);
  replaced.clear();
  moved.clear();
  for (const item of (await listAll(client)).filter(({ rating }) => rating === 0).slice(0, 8)) {
    const rating = 1 + integer(5);
    await client.patch(`/media/${item.id}`, { rating });
    ratings.set(item.source?.path ?? '', rating);
    count('ratings');
  }
}

const start = (): Promise<ServiceProcess> =>
  startServiceProcess({
    DATA_DIR: folder.file('data'),
    SOURCES: `NAS=${root}`,
    EMBEDDER: 'descriptors',
    WORKERS: '1',
    REQUESTS_PER_MINUTE: '0',
  });

async function listAll(client: TestClient): Promise<MediaItem[]> {
  const items: MediaItem[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await client.get<MediaItem[], { has_more: boolean }>(
      `/media?per_page=100&page=${page}&sort=created_at`,
    );
    items.push(...data);
    if (!meta.has_more) return items;
  }
}

async function scan(client: TestClient): Promise<void> {
  const { data } = await client.get<Source[]>('/sources');
  const [source] = data;
  if (!source) return;
  await client.post(`/sources/${source.id}/scan`, { accept_missing: true });
  for (let waited = 0; waited < 60_000; waited += 100) {
    const { data: now } = await client.get<Source>(`/sources/${source.id}`);
    if (now.last_scan !== null && now.last_scan.ended_at !== source.last_scan?.ended_at && now.scan === null) return;
    await sleep(100);
  }
  violation('scan', 'A scan did not end within a minute.');
}

async function waitUntilIndexed(client: TestClient): Promise<void> {
  for (let waited = 0; waited < 600_000; waited += 500) {
    if ((await listAll(client)).every(({ status }) => status === 'complete' || status === 'error')) return;
    await sleep(500);
  }
}

for (let i = 0; i < 60; i++) await change();
for (const _ of campaign.rounds()) {
  const service = await start();
  const client = createTestClient(service.url, service.key);
  if (chance(0.2)) await rate(client);
  const until = performance.now() + 200 + integer(2500);
  while (performance.now() < until) {
    await change();
    if (chance(0.1))
      void client
        .get<Source[]>('/sources')
        .then(
          ({ data }) => client.post(`/sources/${data[0]?.id}/scan`, {}),
          () => undefined,
        )
        .catch(() => undefined);
    await sleep(integer(40));
  }
  service.signalAll('SIGKILL');
  await service.waitUntilGone();
  count('kills');
}

const service = await start();
const client = createTestClient(service.url, service.key);
for (let i = 0; i < 3; i++) await scan(client);
await waitUntilIndexed(client);
// An item whose indexing was killed three times is given up, since the file may be the cause. A retry must index it.
for (const { id, error } of await listAll(client)) {
  if (error?.code !== 'indexing_failed') continue;
  count('retried');
  await client.post(`/media/${id}/retry`, {});
}
await waitUntilIndexed(client);
const items = await listAll(client);
const byPath = Map.groupBy(items, ({ source }) => source?.path ?? '');
for (const [file, sum] of files) {
  const found = byPath.get(file) ?? [];
  if (found.length !== 1) violation(found.length === 0 ? 'lost' : 'double', `${file} has ${found.length} items.`);
  const content = createHash('sha256')
    .update(await readFile(path.join(root, file)))
    .digest('hex');
  if (content !== sum) violation('written', `${file} is not what was written.`);
  const [item] = found;
  const rating = ratings.get(file);
  if (rating !== undefined && item?.rating !== rating)
    violation('label', `${file} is rated ${item?.rating}, not ${rating}.`);
  if (item?.status !== 'complete') violation('not indexed', `${file} is ${item?.status}: ${item?.error?.message}`);
  else if (item.size !== (await stat(path.join(root, file))).size)
    violation('old', `${file} has the size of an earlier one.`);
}
for (const [file] of byPath) if (!files.has(file)) violation('left over', `${file} has an item and no file.`);
const there = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
if (there.length !== files.size) violation('written', `The source has ${there.length} files instead of ${files.size}.`);
count('files at the end', files.size);
await service.stop();
campaign.report();
