import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { median } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { checkers, makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestBrowser, createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { type FloodKind, floodKinds, type FloodOptions } from './campaign/flood-kinds.ts';
import { campaignSettings, createWorkspaceKey, startServiceProcess } from './campaign/service-process.ts';

/**
 * One key floods the service while another sends light requests: how much longer do these take than without load? Each kind of flood is
 * measured separately. Measurements with and without it alternate, and their medians are compared.
 *
 *     npm run node -- lab/reliability/flood.ts [--seed n] [--rounds n] [--seconds n] [--ratio hundredths] [--memory MiB] [--kind n] [--thread 1]
 *
 * Violations: light requests that take more than `--ratio` hundredths of their time without load (300: three times) or that fail, memory
 * above `--memory` MiB. `--kind`: one kind of flood alone, counted from 1 in the order of `floodKinds`.
 * `--thread 1` compares what the thread that answers computes between a request and its answer, in place of the time that passes: on a machine
 * that other work shares, this is what the service causes.
 */

const campaign = startCampaign('flood', { rounds: 33, seconds: 600, ratio: 300, memory: 3072, kind: 0, thread: 0 });
const { count, violation } = campaign;
/** Concurrent requests of the flooding key. */
const concurrency = 16;
/** Light requests of one measurement. */
const requestsPerMeasurement = 25;
/** Shorter times are dominated by the clock and the scheduler, so they count as this. */
const minBaselineMs = 5;
/** The same of what the thread that answers computes meanwhile. */
const minThreadMs = 2;
/** How long a request took, and what the thread that answers computed meanwhile, for it and for others, ms. */
type Taken = { ms: number; threadMs: number };

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
const service = await startServiceProcess({ ...campaignSettings, DATA_DIR: dataDirectory });
const floodingKey = await createWorkspaceKey(dataDirectory);
const flooding = createTestClient(service.url, floodingKey);
const lightKey = await createWorkspaceKey(dataDirectory, 'Light');
const light = createTestClient(service.url, lightKey);
await makePhoto(folder.file('photo.png'), plain(200, 30, 30));
await makePhoto(folder.file('checkers.png'), checkers(0), { width: 1200, height: 800 });
await makeVideo(folder.file('film.mp4'), { scenes: [{ paint: checkers(0.3), seconds: 6 }], width: 320, height: 180 });
const photo = await light.waitUntilIndexed((await light.upload(folder.file('photo.png'))).data.id);
const film = await flooding.waitUntilIndexed((await flooding.upload(folder.file('film.mp4'))).data.id);
await flooding.waitUntilIndexed((await flooding.upload(folder.file('photo.png'))).data.id);
// Noise, which no format makes smaller.
const [width, height] = [5000, 4000];
await sharp({
  create: { width, height, channels: 3, background: '#888888', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
})
  .png({ compressionLevel: 0 })
  .toFile(folder.file('large.png'));
const large = await flooding.waitUntilIndexed((await flooding.upload(folder.file('large.png'))).data.id);
const photoBytes = folder.file('checkers.png');
let peakMemory = service.memoryBytes();
const watch = setInterval(() => void (peakMemory = Math.max(peakMemory, service.memoryBytes())), 200);
const requests = {
  'read an item': () => light.get(`/media/${photo.id}`),
  'search by words': () => light.search('red'),
};
for (const request of Object.values(requests)) for (let i = 0; i < 20; i++) await request();

const only = campaign.option('kind');
const byThread = campaign.option('thread') === 1;
const kinds = only === 0 ? floodKinds : floodKinds.slice(only - 1, only);
const times = new Map<string, { alone: Taken[]; beside: Taken[] }>();
for (const round of campaign.rounds()) {
  const kind = kinds[round % kinds.length] as FloodKind;
  count(`rounds of ${kind}`);
  for (const [name, request] of Object.entries(requests)) {
    const own = times.get(`${name} beside ${kind}`) ?? { alone: [], beside: [] };
    times.set(`${name} beside ${kind}`, own);
    own.alone.push(...(await measure(request, round)));
    const stop = await startFlood(kind);
    own.beside.push(...(await measure(request, round)));
    await stop();
  }
}
clearInterval(watch);

for (const [what, { alone, beside }] of times) {
  const ratio = ratioOf(alone, beside, byThread ? 'threadMs' : 'ms', byThread ? minThreadMs : minBaselineMs);
  const [wall, wallAlone] = [beside, alone].map((taken) => taken.map(({ ms }) => ms)) as [number[], number[]];
  console.log(
    `${ratio.toFixed(1).padStart(6)} times: ${what} (${median(wallAlone).toFixed(1)} ms alone, ${median(wall).toFixed(1)} ms, at most ` +
      `${Math.max(...wall).toFixed(0)} ms; of the thread ${describeThread(alone)} alone, ${describeThread(beside)})`,
  );
  if (100 * ratio > campaign.option('ratio')) violation('starved', `${what}: ${ratio.toFixed(1)} times`);
}
count('MiB of memory at most', Math.round(peakMemory / 2 ** 20));
if (peakMemory > campaign.option('memory') * 2 ** 20) violation('memory', `${Math.round(peakMemory / 2 ** 20)} MiB`);
// Uploads of the flood still wait for indexing, which must not block the dashboard.
const signedIn = await createTestBrowser(service.url).get('/auth/session');
if (signedIn.status !== 200) violation('health', `GET /auth/session gives ${signedIn.status}`);
const status = await service.stop();
if (status !== '0') violation('end', `The service ended with ${status}.`);
campaign.report();

/** What the thread that answers has computed since it began, ms. Another load of the machine does not change it. */
function readThreadMs(): number {
  return Number(readFileSync(`/proc/${service.pid}/task/${service.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function ratioOf(alone: Taken[], beside: Taken[], unit: keyof Taken, least: number): number {
  const [before, after] = [alone, beside].map((taken) => median(taken.map((each) => each[unit]))) as [number, number];
  return after / Math.max(least, before);
}

function describeThread(taken: Taken[]): string {
  return `${median(taken.map(({ threadMs }) => threadMs)).toFixed(1)} ms`;
}

/** Sends light requests one after the other. Returns how long each took. */
async function measure(request: () => Promise<{ status: number }>, round: number): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (let i = 0; i < requestsPerMeasurement; i++) {
    const [began, threadBefore] = [performance.now(), readThreadMs()];
    const { status } = await request();
    taken.push({ ms: performance.now() - began, threadMs: readThreadMs() - threadBefore });
    count('light requests');
    if (status !== 200) violation('light request', `${status} in round ${round}`);
  }
  return taken;
}

/** Floods from a separate process, so that creating large bodies does not delay the measured requests. */
async function startFlood(kind: FloodKind): Promise<() => Promise<void>> {
  const options: FloodOptions = {
    url: service.url,
    key: floodingKey,
    kind,
    concurrency: concurrency,
    mediaId: film.id,
    largeId: large.id,
    photo: photoBytes,
  };
  const program = path.join(import.meta.dirname, 'campaign', 'flood-client.ts');
  const child = fork(program, [JSON.stringify(options)]);
  // Wait for the start, which can take longer than a measurement.
  await once(child, 'message');
  return async () => {
    child.send('stop');
    const [statuses] = (await once(child, 'message')) as [Record<string, number>];
    for (const [status, times] of Object.entries(statuses)) {
      count(`${kind}: ${status}`, times);
      if (status.startsWith('5') && status !== '503') violation('flood', `${kind}: ${status}`);
    }
    child.disconnect();
  };
}
