import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import type { MediaItem } from '../../contract/media.ts';
import { makePolyglots } from '../../packages/media/testing/polyglots.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { makeBombs } from './campaign/bombs.ts';
import { startCampaign } from './campaign/campaign.ts';
import { makeCanaryImage, makeGapFiles, makeSeeds, type Seed } from './campaign/hostile-seeds.ts';
import { findInternals } from './campaign/internals.ts';
import { mutate } from './campaign/mutate-file.ts';
import { campaignSettings, createWorkspaceKey, startServiceProcess } from './campaign/service-process.ts';

/**
 * Uploads hostile files to the real service and searches by them: mutations of every container from seeds that the project draws,
 * playlists and scripts that reference other files behind the first bytes of media, bombs, and frames far apart in time.
 *
 *     npm run node -- lab/reliability/hostile-files.ts [--seed n] [--rounds n] [--seconds n] [--bound s] [--memory MiB]
 *
 * Violations: a file that is neither `complete` nor in `error` after `--bound` seconds, a message with a path or a stack, a file that is
 * retried although no decoder crashed, more chunks than frames, renditions much larger than the file, content of a file of this machine,
 * light requests that take more than 5 s, memory above `--memory` MiB.
 */

const campaign = startCampaign('hostile-files', { rounds: 400, seconds: 1800, bound: 120, memory: 6144 });
const { chance, count, pick, violation } = campaign;
const timeoutMs = campaign.option('bound') * 1000;
/** Files processed at once. */
const batch = 6;
/** Bytes that an item may occupy in addition to 20 times the size of its original. */
const maxExtraBytes = 20 * 2 ** 20;

type HostileFile = { kind: string; name: string; bytes: Buffer; frames: number; mustFail?: boolean };

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
const seeds = await makeSeeds(folder.path);
await writeFile(folder.file('canary.png'), await makeCanaryImage());
let canaryRequests = 0;
const canary = createServer((_, response) => {
  canaryRequests += 1;
  response.end();
}).listen(0, '127.0.0.1');
const address = canary.address();
const canaryUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/canary.png`;

const service = await startServiceProcess({ ...campaignSettings, DATA_DIR: dataDirectory, WORKERS: '2' });
const client = createTestClient(service.url, await createWorkspaceKey(dataDirectory));
let peakMemory = 0;
const watch = setInterval(() => void (peakMemory = Math.max(peakMemory, service.memoryBytes())), 500);

const fixedFiles = shuffled<HostileFile>([
  ...seeds.map((seed) => ({ ...seed, kind: 'seed' })),
  ...(await makeGapFiles(folder.path)).map((seed) => ({ ...seed, kind: 'gap or text' })),
  ...makeBombs().map((seed) => ({ ...seed, kind: 'bomb' })),
]);
const polyglots = shuffled<HostileFile>(
  [folder.file('canary.png'), pathToFileURL(folder.file('canary.png')).href, canaryUrl].flatMap((target) =>
    makePolyglots(target).map((each) => ({ ...each, kind: 'polyglot', frames: 0, mustFail: true })),
  ),
);
// Each round is a file: fixed files and mutations alternate.
let waiting: HostileFile[] = [];
for (const round of campaign.rounds()) {
  const next = round % 2 === 0 ? undefined : ((chance(0.4) ? fixedFiles.pop() : undefined) ?? polyglots.pop());
  waiting.push(next ?? drawMutation(seeds));
  if (waiting.length < batch) continue;
  await uploadAndCheck(waiting);
  waiting = [];
}
await uploadAndCheck(waiting);

clearInterval(watch);
canary.close();
if (canaryRequests > 0) violation('request to this machine', `${canaryRequests} requests reached ${canaryUrl}`);
if (peakMemory > campaign.option('memory') * 2 ** 20) violation('memory', `${Math.round(peakMemory / 2 ** 20)} MiB`);
count('MiB of memory at most', Math.round(peakMemory / 2 ** 20));
const again = [...service.log().matchAll(/"media":"([^"]+)","attempt":(\d).*?"msg":"indexing broke off"/g)];
for (const [line] of again) violation('indexing broke off', line.slice(0, 1500));
count('workers replaced', service.log().split('a worker ended and is replaced').length - 1);
const status = await service.stop();
if (status !== '0') violation('end', `The service ended with ${status}.`);
campaign.report();

function drawMutation(from: Seed[]): HostileFile {
  const seed = pick(from);
  const { bytes, how } = mutate(seed, from, campaign);
  // A range may be doubled three times.
  return { kind: 'mutation', name: `${how}.${seed.name.split('.').at(-1)}`, bytes, frames: 8 * seed.frames + 8 };
}

function shuffled<Value>(values: Value[]): Value[] {
  return values
    .map((value) => ({ value, place: campaign.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

/** Uploads files concurrently, searches by some, and waits for all. */
async function uploadAndCheck(files: HostileFile[]): Promise<void> {
  const results = await Promise.all(files.map(async (file) => ({ file, id: await upload(file) })));
  for (const file of files) if (chance(0.4)) await searchBy(file);
  const began = performance.now();
  for (const { file, id } of results) if (id !== undefined) await waitForItem(file, id, began);
  if (service.exitStatus() !== null)
    throw new Error(`The service ended with ${service.exitStatus()}: ${service.log().slice(-4000)}`);
}

async function send(
  target: string,
  { bytes }: HostileFile,
): Promise<Awaited<ReturnType<typeof client.call<MediaItem>>>> {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(bytes)]), 'Hostile');
  return client.call<MediaItem>(target, {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(timeoutMs + 30_000),
  });
}

async function upload(file: HostileFile): Promise<string | undefined> {
  count(`files: ${file.kind}`);
  const { status, data, error } = await send('/media/upload', file);
  count(`uploads: ${status}`);
  if (status === 202 || status === 200) return data.id;
  if (status !== 415) violation('upload', `${describe(file)}: ${status} ${error.message}`);
  checkMessage(file, error.message);
  return undefined;
}

async function searchBy(file: HostileFile): Promise<void> {
  const began = performance.now();
  const { status, error, data } = await send('/media/search/image', file);
  count(`image searches: ${status}`);
  if (performance.now() - began > timeoutMs) violation('image search takes long', describe(file));
  if (status === 200 && file.mustFail)
    violation('polyglot', `${describe(file)} is accepted as a query image: ${JSON.stringify(data).slice(0, 100)}`);
  if (![200, 413, 422].includes(status)) violation('image search', `${describe(file)}: ${status} ${error.message}`);
  if (status !== 200) checkMessage(file, error.message);
}

/** Waits until an item is indexed, and checks that light requests stay fast meanwhile. */
async function waitForItem(file: HostileFile, id: string, began: number): Promise<void> {
  for (;;) {
    const asked = performance.now();
    const { data: item } = await client.get<MediaItem>(`/media/${id}`);
    if (performance.now() - asked > 5000)
      violation('light request', `took ${Math.round(performance.now() - asked)} ms beside ${describe(file)}`);
    if (item.status === 'complete' || item.status === 'error') return checkItem(file, item);
    if (performance.now() - began > timeoutMs) {
      violation('takes too long', `${describe(file)} is ${item.status} (${JSON.stringify(item.progress)})`);
      await client.delete(`/media/${id}`);
      return;
    }
    await sleep(200);
  }
}

async function checkItem(file: HostileFile, item: MediaItem): Promise<void> {
  count(`items: ${item.status}${item.error ? ` (${item.error.code})` : ''}`);
  if (item.error) checkMessage(file, item.error.message);
  if (file.kind === 'seed' && item.status !== 'complete')
    violation('seed', `${describe(file)}: ${item.error?.message}`);
  if (item.status === 'complete') {
    if (file.mustFail) violation('polyglot', `${describe(file)} is complete`);
    if (item.chunk_count > Math.max(1, file.frames))
      violation('chunks', `${describe(file)}: ${item.chunk_count} chunks of ${file.frames} frames`);
    if (item.chunk_count < 1) violation('chunks', `${describe(file)} is complete without a chunk`);
    await checkThumbnail(file, item);
  }
  const size = await sizeOf(path.join(dataDirectory, 'assets'), item.id);
  if (size > 20 * file.bytes.length + maxExtraBytes) violation('size', `${describe(file)} takes ${size} bytes`);
  if (chance(0.5)) await client.delete(`/media/${item.id}`);
}

/** The canary is magenta, which no seed contains. */
async function checkThumbnail(file: HostileFile, item: MediaItem): Promise<void> {
  const response = await fetch(item.thumbnail ?? '').catch(() => undefined);
  if (response?.status !== 200) return violation('thumbnail', `${describe(file)}: ${response?.status}`);
  const { channels } = await sharp(Buffer.from(await response.arrayBuffer())).stats();
  const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => mean);
  if (red > 235 && green < 20 && blue > 235 && file.kind === 'polyglot')
    violation('canary', `${describe(file)} shows content of a file of this machine`);
}

function checkMessage(file: HostileFile, message: string): void {
  const found = findInternals(message) ?? (message.includes(folder.path) ? folder.path : undefined);
  if (found !== undefined) violation('internals in a message', `${describe(file)}: ${found} in ${message}`);
  if (!/^[A-Z].*[.?]$/s.test(message) || message.length > 400)
    violation('no sentence', `${describe(file)}: ${message.slice(0, 500)}`);
}

function describe({ kind, name, bytes }: HostileFile): string {
  return `${kind} ${name} (${bytes.length} bytes)`;
}

async function sizeOf(root: string, id: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && file.includes(id)) sum += (await stat(file).catch(() => ({ size: 0 }))).size;
  }
  return sum;
}
