import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { checkers, makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { createTestBrowser, createTestClient, temporaryFolder } from '../server/testing/running-service.ts';
import { median } from '../server/vectors.ts';
import { startCampaign } from './campaign/campaign.ts';
import { type FloodKind, floodKinds, type FloodOptions } from './campaign/flood-kinds.ts';
import { campaignSettings, createWorkspaceKey, startServiceProcess } from './campaign/service-process.ts';

/**
 * One key floods the service while another sends light requests: how much longer do these take than without load? Each kind of flood is
 * measured separately. Measurements with and without it alternate, and their medians are compared.
 *
 *     npm run node -- reliability/flood.ts [--seed n] [--rounds n] [--seconds n] [--ratio hundredths] [--memory MiB]
 *
 * Violations: light requests that take more than `--ratio` hundredths of their time without load (300: three times) or that fail, memory
 * above `--memory` MiB.
 */

const campaign = startCampaign('flood', { rounds: 30, seconds: 600, ratio: 300, memory: 3072 });
const { count, violation } = campaign;
/** Concurrent requests of the flooding key. */
const concurrency = 16;
/** Light requests of one measurement. */
const requestsPerMeasurement = 25;
/** Shorter times are dominated by the clock and the scheduler, so they count as this. */
const minBaselineMs = 5;

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
const photoBytes = folder.file('checkers.png');
let peakMemory = service.memoryBytes();
const watch = setInterval(() => void (peakMemory = Math.max(peakMemory, service.memoryBytes())), 200);
const requests = {
  'read an item': () => light.get(`/media/${photo.id}`),
  'search by words': () => light.search('red'),
};
for (const request of Object.values(requests)) for (let i = 0; i < 20; i++) await request();

const times = new Map<string, { alone: number[]; beside: number[] }>();
for (const round of campaign.rounds()) {
  const kind = floodKinds[round % floodKinds.length] as FloodKind;
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
  const ratio = median(beside) / Math.max(minBaselineMs, median(alone));
  console.log(
    `${ratio.toFixed(1).padStart(6)} times: ${what} (${median(alone).toFixed(1)} ms alone, ${median(beside).toFixed(1)} ms, ` +
      `at most ${Math.max(...beside).toFixed(0)} ms)`,
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

/** Sends light requests one after the other. Returns the duration of each in milliseconds. */
async function measure(request: () => Promise<{ status: number }>, round: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < requestsPerMeasurement; i++) {
    const began = performance.now();
    const { status } = await request();
    taken.push(performance.now() - began);
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
