import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkers, makePhoto, makeVideo } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { exchange, openConnection, type RawRequest, serializeRequest } from './campaign/raw-http.ts';
import { campaignSettings, createWorkspaceKey, startServiceProcess } from './campaign/service-process.ts';

/**
 * Clients disconnect at random times during requests of every kind: while they send, right after, or while they receive.
 *
 *     npm run node -- lab/reliability/hang-up.ts [--seed n] [--rounds n] [--seconds n]
 *
 * Violations: an `Idempotency-Key` that stays locked, files left in `uploads/`, leaked descriptors or memory, a service that is not
 * healthy afterwards.
 */

const campaign = startCampaign('hang-up', { rounds: 500, seconds: 300 });
const { chance, count, integer, pick, violation } = campaign;
/** Memory growth, bytes, that is not a leak: caches and the reserve of the heap. */
const maxMemoryGrowth = 400 * 2 ** 20;

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
const service = await startServiceProcess({ ...campaignSettings, DATA_DIR: dataDirectory });
const key = await createWorkspaceKey(dataDirectory);
const client = createTestClient(service.url, key);
await makePhoto(folder.file('photo.png'), checkers(0), { width: 640, height: 400 });
await makeVideo(folder.file('film.mp4'), { scenes: [{ paint: checkers(0.3), seconds: 4 }], width: 320, height: 180 });
const photo = await readFile(folder.file('photo.png'));
const film = await client.waitUntilIndexed((await client.upload(folder.file('film.mp4'))).data.id);
const playable = new URL(film.url ?? film.download_url);
const authorization: [string, string] = ['Authorization', `Bearer ${key}`];

/** Aborted requests that had an `Idempotency-Key`. */
const idempotentRequests: RawRequest[] = [];
// Warm up first: memory and descriptors are compared with those of a warm service.
await Promise.all(Array.from({ length: 20 }, () => client.post('/media/search/image', { media_id: film.id, at: 1 })));
await client.search('red', '&rerank=1');
const before = { memory: service.memoryBytes(), descriptors: service.descriptors() };

for (const round of campaign.rounds()) {
  // Several at once, as when a network fails.
  await Promise.all(Array.from({ length: 1 + integer(4) }, () => hangUp(round)));
  if (service.exitStatus() !== null)
    throw new Error(`The service ended with ${service.exitStatus()}: ${service.log().slice(-4000)}`);
}

await waitUntil(
  'uploads/ is empty',
  async () => (await readdir(path.join(dataDirectory, 'uploads'))).length === 0,
  async () => (await readdir(path.join(dataDirectory, 'uploads'))).join(', '),
);
await waitUntil(
  'descriptors are back',
  () => Promise.resolve(leakedDescriptors().length <= 2),
  () => Promise.resolve(leakedDescriptors().join(', ')),
);
await waitUntil(
  'memory is back',
  () => Promise.resolve(service.memoryBytes() < before.memory + maxMemoryGrowth),
  () =>
    Promise.resolve(
      `${Math.round(service.memoryBytes() / 2 ** 20)} MiB after ${Math.round(before.memory / 2 ** 20)} MiB`,
    ),
);
for (const request of idempotentRequests) {
  count('keys sent again');
  const response = await exchange(service.port, serializeRequest(request, service.port));
  // Either the first request or this one was carried out.
  if (![200, 201, 202].includes(response.status))
    violation('locked key', `${response.status} ${response.body.toString('utf8', 0, 200)}`);
}
const health = await client.search('red');
if (health.status !== 200) violation('health', `A search gives ${health.status}.`);
const status = await service.stop();
if (status !== '0') violation('end', `The service ended with ${status}.`);
if (service.log().includes('"level":50'))
  violation(
    'error in the log',
    service
      .log()
      .split('\n')
      .find((line) => line.includes('"level":50')) ?? '',
  );
campaign.report();

/** Sends all or part of a request, then closes or resets the connection. */
async function hangUp(round: number): Promise<void> {
  const { kind, request } = drawRequest(round);
  if (request.headers?.some(([name]) => name === 'Idempotency-Key')) idempotentRequests.push(request);
  const bytes = serializeRequest(request, service.port);
  // Often right after the head, when the handler has started and the body has not arrived.
  const head = bytes.indexOf('\r\n\r\n') + 4;
  const sent = pick([
    bytes.length,
    bytes.length,
    head,
    Math.min(bytes.length, head + integer(400)),
    integer(bytes.length + 1),
  ]);
  const socket = openConnection(service.port);
  await new Promise<void>((resolve) => {
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('connect', () => {
      socket.write(bytes.subarray(0, sent), () => {
        const wait = pick([0, 0, 1, 2, 5, 10, integer(100), integer(400)]);
        const reset = chance(0.5);
        setTimeout(() => (reset ? socket.resetAndDestroy() : socket.destroy()), wait);
      });
    });
  });
  count(`aborted: ${kind}`);
  count(sent === bytes.length ? 'after sending' : 'while sending');
}

function drawRequest(round: number): { kind: string; request: RawRequest } {
  const form = (bytes: Buffer) => {
    const type: [string, string] = ['Content-Type', 'multipart/form-data; boundary=b'];
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    return { type, body: Buffer.concat([Buffer.from(part), bytes, Buffer.from('\r\n--b--\r\n')]) };
  };
  const json = (target: string, value: unknown, more: [string, string][] = []): RawRequest => ({
    method: 'POST',
    target: `/api/v1${target}`,
    headers: [authorization, ['Content-Type', 'application/json'], ...more],
    body: Buffer.from(JSON.stringify(value)),
  });
  const get = (target: string, more: [string, string][] = []): RawRequest => ({
    method: 'GET',
    target,
    headers: [authorization, ...more],
  });
  const { type, body } = form(photo);
  const kinds: Record<string, () => RawRequest> = {
    // Trailing bytes give each image another checksum.
    upload: () => {
      const own = form(Buffer.concat([photo, Buffer.from(`${round} ${integer(1e9)}`)]));
      const headers: [string, string][] = [
        authorization,
        own.type,
        ['Idempotency-Key', `hang-up-${round}-${integer(1e9)}`],
      ];
      return { method: 'POST', target: '/api/v1/media/upload', headers, body: own.body };
    },
    creator: () =>
      json('/creators', { name: `Creator ${round} ${integer(1e9)}` }, [
        ['Idempotency-Key', `creator-${round}-${integer(1e9)}`],
      ]),
    'image search by a form': () => ({
      method: 'POST',
      target: '/api/v1/media/search/image',
      headers: [authorization, type],
      body,
    }),
    'image search by base64': () => json('/media/search/image', { image: photo.toString('base64') }),
    'image search by a moment': () => json('/media/search/image', { media_id: film.id, at: integer(4) }),
    search: () => get(`/api/v1/media/search?q=${pick(['red', 'checkers', 'blue+sky'])}`),
    'search with rerank': () => get('/api/v1/media/search?q=red&rerank=1'),
    highlights: () => get('/api/v1/media/highlights?method=lof'),
    map: () => get('/api/v1/media/highlights/map?layout=umap'),
    download: () => get(`${playable.pathname}${playable.search}`),
    'download of a range': () => get(`${playable.pathname}${playable.search}`, [['Range', `bytes=${integer(1000)}-`]]),
  };
  const kind = chance(0.4) ? 'upload' : pick(Object.keys(kinds));
  const request = kinds[kind]?.();
  if (!request) throw new Error(`There is no ${kind}.`);
  return { kind, request };
}

/** Descriptors that were not open before: sockets and files below the data folder. */
function leakedDescriptors(): string[] {
  const ofInterest = (target: string) => target.startsWith('socket:') || target.startsWith(dataDirectory);
  const now = service.descriptors().filter(ofInterest);
  const then = before.descriptors.filter(ofInterest);
  return now.length > then.length ? now.filter((target) => !then.includes(target)) : [];
}

/** Waits up to 60 s for a condition; a timeout is a violation. */
async function waitUntil(what: string, isTrue: () => Promise<boolean>, detail: () => Promise<string>): Promise<void> {
  for (let i = 0; i < 120; i++) {
    if (await isTrue()) return;
    await sleep(500);
  }
  violation(`not so: ${what}`, (await detail()).slice(0, 600));
}
