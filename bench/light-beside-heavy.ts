import path from 'node:path';
import { makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { createTestClient, startTestService } from '../server/testing/running-service.ts';
import { median } from '../server/vectors.ts';

/**
 * How much slower light requests get while heavy ones are under way: reading an item and searching by words, with and without 16
 * image searches by moments of a video going on. Rounds alternate, the medians are compared.
 *
 *     node bench/light-beside-heavy.ts
 */

const rounds = 7;
const requestsPerRound = 60;

await using service = await startTestService({ workers: 1 });
const { client, folder } = service;
await makePhoto(path.join(folder, 'red.png'), plain(200, 30, 30));
await makeVideo(path.join(folder, 'film.mp4'), {
  scenes: [{ paint: plain(30, 30, 200), seconds: 10 }],
  width: 640,
  height: 360,
});
const photo = await client.waitUntilIndexed((await client.upload(path.join(folder, 'red.png'))).data.id);
const film = await client.waitUntilIndexed((await client.upload(path.join(folder, 'film.mp4'))).data.id);
const other = createTestClient(service.url, service.key);

const light = {
  'read an item': () => client.get(`/media/${photo.id}`),
  'search by words': () => client.search('red'),
};

async function measure(request: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < requestsPerRound; i++) {
    const began = performance.now();
    await request();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Sends 16 concurrent heavy requests until it is stopped; returns how many got a response. */
function loadHeavily(): () => Promise<number> {
  const stopping = new AbortController();
  let answered = 0;
  const streams = Array.from({ length: 16 }, async (_, i) => {
    while (!stopping.signal.aborted) {
      const { status } = await other.post('/media/search/image', { media_id: film.id, at: (i * 0.6) % 9 });
      if (status === 200) answered += 1;
    }
  });
  return async () => {
    stopping.abort();
    await Promise.all(streams);
    return answered;
  };
}

for (const [name, request] of Object.entries(light)) {
  await measure(request);
  const alone: number[] = [];
  const beside: number[] = [];
  let heavy = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(await measure(request));
    const stop = loadHeavily();
    beside.push(await measure(request));
    heavy += await stop();
  }
  const ratio = median(beside) / median(alone);
  console.log(
    `${name}: ${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside heavy requests: ` +
      `${ratio.toFixed(1)} times (${heavy} heavy ones answered meanwhile)`,
  );
}
