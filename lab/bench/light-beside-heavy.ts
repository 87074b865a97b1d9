import path from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '@media-search/search-engine/vectors';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { startSearching } from './search-clients.ts';
import { startSeededService } from './seeded-service.ts';
import { quantile } from './vectors.ts';

/**
 * How much slower light requests get while heavy ones are under way: reading an item and searching by words, alone, beside 16 clients that
 * search by words without a pause, and beside 16 that search by moments of a video. Rounds alternate, the medians are compared. The
 * service, the clients that search by words and the light requests each have a process.
 *
 *     npm run node -- lab/bench/light-beside-heavy.ts [--chunks 100000]
 */

const { values } = parseArgs({ options: { chunks: { type: 'string', default: '100000' } } });
const rounds = 5;
const requestsPerRound = 60;

await using service = await startSeededService(Number(values.chunks));
const { client, folder, url, key } = service;
await makePhoto(path.join(folder, 'red.png'), plain(200, 30, 30));
await makeVideo(path.join(folder, 'film.mp4'), {
  scenes: [{ paint: plain(30, 30, 200), seconds: 10 }],
  width: 640,
  height: 360,
});
const photo = await client.waitUntilIndexed((await client.upload(path.join(folder, 'red.png'))).data.id);
const film = await client.waitUntilIndexed((await client.upload(path.join(folder, 'film.mp4'))).data.id);

const light = {
  'read an item': () => client.get(`/media/${photo.id}`),
  'search by words': () => client.search('red'),
};

/** What goes on meanwhile: begins, and returns what ends it and gives the number of answers. */
const heavy: Record<string, () => Promise<() => Promise<number>>> = {
  'searches by words': async () => {
    const stop = await startSearching(url, key, 16);
    return async () => (await stop()).answered;
  },
  'searches by moments of a video': async () => searchByMoments(),
};

async function measure(request: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < requestsPerRound; i++) {
    const began = performance.now();
    await request();
    times.push(performance.now() - began);
  }
  return times;
}

/** Sends 16 concurrent image searches until it is stopped. */
function searchByMoments(): () => Promise<number> {
  const stopping = new AbortController();
  let answered = 0;
  const streams = Array.from({ length: 16 }, async (_, i) => {
    while (!stopping.signal.aborted) {
      const { status } = await client.post('/media/search/image', { media_id: film.id, at: (i * 0.6) % 9 });
      if (status === 200) answered += 1;
    }
  });
  return async () => {
    stopping.abort();
    await Promise.all(streams);
    return answered;
  };
}

console.log(
  '| request | beside 16 | alone, p50 / p99 ms | beside, p50 / p99 ms | ratio of p50 | heavy answers meanwhile |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [name, request] of Object.entries(light)) {
  for (const [load, begin] of Object.entries(heavy)) {
    await measure(request);
    const alone: number[] = [];
    const beside: number[] = [];
    let answers = 0;
    for (let round = 0; round < rounds; round++) {
      alone.push(...(await measure(request)));
      const stop = await begin();
      beside.push(...(await measure(request)));
      answers += await stop();
    }
    const spread = (times: number[]) => `${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.99).toFixed(2)}`;
    const ratio = (median(beside) / median(alone)).toFixed(1);
    console.log(`| ${name} | ${load} | ${spread(alone)} | ${spread(beside)} | ${ratio} | ${answers} |`);
  }
}
