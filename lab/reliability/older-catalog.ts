import { createHash } from 'node:crypto';
import { cp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import type { MediaItem } from '../../contract/media.ts';
import { checkers, makePhoto } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient, type TestClient } from '../../server/testing/running-service.ts';
import { createTusRequests } from '../../server/testing/tus-requests.ts';
import { startCampaign } from './campaign/campaign.ts';
import { listAll } from './campaign/check-ledger.ts';
import {
  admin,
  campaignSettings,
  createWorkspaceKey,
  type ServiceProcess,
  StartFailure,
  startServiceProcess,
} from './campaign/service-process.ts';

/**
 * Kills the service in the middle of uploads, deletions and the trash, and then damages its catalog: an older copy takes its place, some with
 * uploads that have expired and items that have been in the trash for 31 days, or bits of the log (`catalog.db-wal`) are flipped. After each
 * start the bytes of every acknowledged upload that no request deleted must still be there: listed, in the trash, or in lost+found, from where
 * they are restored.
 *
 *     npm run node -- lab/reliability/older-catalog.ts [--seed n] [--rounds n] [--seconds n]
 */

const campaign = startCampaign('older-catalog', { rounds: 100, seconds: 3600 });
const { chance, count, integer, pick, violation } = campaign;

await using folder = await temporaryFolder();
const data = folder.file('data');
const catalog = path.join(data, 'catalog.db');
const note = path.join(data, 'assets', 'catalog-history.json');
await makePhoto(folder.file('photo.png'), checkers(0), { width: 96, height: 64 });
const photo = await readFile(folder.file('photo.png'));

/** Acknowledged, and never asked to be deleted: by checksum. */
const kept = new Set<string>();
/** Where the items of checksums are, as far as is known. */
const idOf = new Map<string, string>();
const copies: string[] = [];
/** Resumable uploads that others may go on with. */
const unfinished: { at: string; bytes: Buffer; offset: number }[] = [];

let service = await start();
const key = await createWorkspaceKey(data);
for (const round of campaign.rounds()) {
  await loadUntilKilled(service);
  await damage(round);
  service = await start();
  await checkKept(service);
}
await service.stop();
count('acknowledged uploads that are kept', kept.size);
campaign.report();

async function start(): Promise<ServiceProcess> {
  try {
    return await startServiceProcess({ DATA_DIR: data, ...campaignSettings });
  } catch (error) {
    if (error instanceof StartFailure) violation('start', error.message.slice(0, 1000));
    throw error;
  }
}

/** Sends requests, keeps a copy of the catalog now and then, and kills the service. */
async function loadUntilKilled(running: ServiceProcess): Promise<void> {
  const client = createTestClient(running.url, key);
  const ending = new AbortController();
  const clients = Array.from({ length: 2 }, async () => {
    while (!ending.signal.aborted) {
      await sendRequest(client, running).catch((error: unknown) => {
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) violation('answer', String(error));
      });
    }
  });
  for (let copied = 0; copied < 2; copied++) {
    await sleep(200 + integer(1200));
    await copyCatalog();
  }
  await sleep(integer(1500));
  running.signalAll('SIGKILL');
  ending.abort();
  await Promise.all(clients);
  await running.waitForExit();
  await running.waitUntilGone();
}

/** A copy as `VACUUM INTO` makes it, beside the running service. */
async function copyCatalog(): Promise<void> {
  const copy = folder.file(`copy-${copies.length}.db`);
  const db = new SQLite(catalog, { readonly: true });
  db.prepare('vacuum into ?').run(copy);
  db.close();
  copies.push(copy);
  // Older ones have little in common with the files.
  const old = copies.length > 8 ? copies[copies.length - 9] : undefined;
  if (old !== undefined) await rm(old, { force: true });
}

async function sendRequest(client: TestClient, { url }: ServiceProcess): Promise<void> {
  const known = [...kept].filter((sha256) => idOf.has(sha256));
  const kind = pick(['form', 'tus', 'tus', 'tus', 'tus', 'trash', 'restore', 'delete']);
  if (kind === 'form') {
    const bytes = makeFile();
    const form = new FormData();
    form.set('file', new Blob([bytes]), 'file.png');
    const { status, data: item } = await client.call<MediaItem>('/media/upload', { method: 'POST', body: form });
    if (status === 202) acknowledge(bytes, item.id, 'form');
  } else if (kind === 'tus') await sendUpload(url);
  else if (known.length > 6) {
    const sha256 = pick(known);
    const id = idOf.get(sha256) ?? '';
    if (kind === 'delete') {
      if (chance(0.6)) return;
      // The request counts, with or without an answer.
      kept.delete(sha256);
      if ((await client.delete(`/media/${id}`)).status === 200) count('acknowledged deletions');
    } else if ((await client.post(kind === 'trash' ? '/trash' : '/trash/restore', { ids: [id] })).status === 200)
      count(kind === 'trash' ? 'acknowledged moves to the trash' : 'acknowledged restores');
  }
}

function makeFile(): Buffer<ArrayBuffer> {
  // Decoders ignore bytes after the end of an image.
  return Buffer.concat([photo, Buffer.from(crypto.randomUUID())]);
}

function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @param id null: it is not known yet which item it is */
function acknowledge(bytes: Uint8Array, id: string | null, how: string): void {
  const sha256 = checksum(bytes);
  if (id !== null) idOf.set(sha256, id);
  if (kept.has(sha256)) return;
  kept.add(sha256);
  count(`acknowledged ${how} uploads`);
}

/** Sends a resumable upload in two parts; some are left open for others to go on with, also after the catalog was damaged, or for good. */
async function sendUpload(url: string): Promise<void> {
  const tus = createTusRequests({ url, key });
  let [upload] = unfinished.splice(0, 1);
  if (upload) {
    const { status, headers } = await tus.head(upload.at);
    // An older catalog knows nothing of it, or its original is in lost+found.
    if (status !== 200) return;
    upload.offset = Number(headers.get('Upload-Offset'));
    count('uploads that others go on with');
  } else {
    const bytes = makeFile();
    const begun = await tus.post(bytes.length, { filename: 'file.png' });
    if (begun.status !== 201) return;
    upload = { at: String(begun.headers.get('Location')), bytes, offset: 0 };
  }
  for (const end of [Math.floor(upload.bytes.length / 2), upload.bytes.length]) {
    if (upload.offset >= end) continue;
    if ((await tus.patch(upload.at, upload.offset, upload.bytes.subarray(upload.offset, end))).status !== 204) return;
    upload.offset = end;
    // The last answer says that it is an item, whether its client asks which one or not.
    if (end === upload.bytes.length) acknowledge(upload.bytes, null, 'tus');
    if (chance(0.15)) return void unfinished.push(upload);
  }
  const { media_id } = await tus.get(upload.at);
  if (media_id !== null) acknowledge(upload.bytes, media_id, 'tus');
}

/** What happens to the catalog while no service runs. */
async function damage(round: number): Promise<void> {
  const how = round % 2 === 0 ? 'an older copy' : 'flipped bits';
  if (how === 'flipped bits') return flipBits();
  const copy = pick(copies.slice(-8));
  const db = new SQLite(copy);
  if (chance(0.5)) db.exec("update uploads set expires_at = '2026-01-01T00:00:00.000Z'");
  if (chance(0.5)) {
    const month = new Date(Date.now() - 31 * 86_400_000).toISOString();
    db.prepare('update media_items set trashed_at = ? where trashed_at is not null').run(month);
    // The service has run for longer.
    const known = JSON.parse(await readFile(note, 'utf8').catch(() => '{}')) as object;
    if ('since' in known) await writeFile(note, JSON.stringify({ ...known, since: '2026-01-01T00:00:00.000Z' }));
  }
  db.close();
  for (const ending of ['-wal', '-shm']) await rm(`${catalog}${ending}`, { force: true });
  await cp(copy, catalog);
  count('older copies put back');
}

async function flipBits(): Promise<void> {
  const log = `${catalog}-wal`;
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size === 0) return count('kills with an empty log');
  const file = await open(log, 'r+');
  for (let flips = 1 + integer(3); flips > 0; flips--) {
    const at = integer(size);
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << integer(8)));
    await file.write(byte, 0, 1, at);
  }
  await file.close();
  count('logs with flipped bits');
}

/** Restores what is in lost+found, and compares all that is kept byte for byte. */
async function checkKept({ url }: ServiceProcess): Promise<void> {
  const client = createTestClient(url, key);
  const lost = (await readdir(path.join(data, 'lost+found'), { recursive: true }).catch(() => [])).filter((name) =>
    name.endsWith('original'),
  );
  count('originals restored from lost+found', lost.length);
  if (lost.length > 0) {
    const { code, err } = await admin(data, ['lost-found', 'restore', 'all']);
    if (code !== 0) violation('restore', err.slice(0, 1000));
  }
  const trashed = [...(await listAll(client, '/trash')).keys()];
  if (trashed.length > 0) await client.post('/trash/restore', { ids: trashed });
  let listed = await listBySum(client);
  // What had arrived whole is ended behind the start.
  for (let tries = 0; tries < 50 && [...kept].some((sha256) => !listed.has(sha256)); tries++) {
    await sleep(200);
    listed = await listBySum(client);
  }
  for (const sha256 of kept) await compare(sha256, listed.get(sha256));
}

async function listBySum(client: TestClient): Promise<Map<string, MediaItem>> {
  const listed = await listAll<MediaItem>(client, '/media');
  return new Map([...listed.values()].map((item) => [item.sha256 ?? item.id, item]));
}

async function compare(sha256: string, item: MediaItem | undefined): Promise<void> {
  count('comparisons');
  const response = item && (await fetch(item.download_url));
  const bytes = response ? Buffer.from(await response.arrayBuffer()) : Buffer.alloc(0);
  if (item && checksum(bytes) === sha256) return void idOf.set(sha256, item.id);
  violation('lost', `${sha256}: ${item ? `its file gives ${response?.status}` : 'no item has these bytes'}`);
  kept.delete(sha256);
}
