import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { decodeImage } from '@media-search/media/decode-image';
import { writeSizes } from '@media-search/media/encode-image';
import { posterSizes, previewSide, previewSize } from '@media-search/media/picture-sizes';
import { sampleFile } from '@media-search/media/samples/samples';
import { readPosterFrame } from '@media-search/media/write-still';
import { median } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import type { MediaItem } from '../../contract/media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { seedItems } from '../../server/testing/seed-items.ts';
import { startSeededService } from './seeded-service.ts';

/**
 * How long the 40 thumbnails of a screen take after a jump past 400 others in a library of 6,000 items, over the six connections of a browser: as 0.2.0 did it (cut to
 * 16:9 on request, two at a time, first in, first out, what was scrolled past never dropped), of items that 0.2.0 indexed (made on request, the newest
 * first, what was scrolled past dropped), and of items indexed today (files). And what the pictures of a photograph and of a film cost at indexing.
 * Fails when an answer is not the picture that was asked for, or a screen of files takes more than a second.
 *
 *     npm run bench:install && npm run node -- lab/bench/thumbnails.ts
 */

const items = 6000;
const passed = 400;
const visible = 40;
const rounds = 5;
const connections = 6;
const goalMs = 1000;

await using folder = await temporaryFolder();
const photo = sampleFile('bison.jpg');
const poster = await sharp(photo).resize(640).webp({ quality: 80 }).toBuffer();
const small = await sharp(poster).resize(320).webp({ quality: 80 }).toBuffer();

/** Asks for addresses over the connections of a browser; the first of them are of cards that were scrolled past before they were answered. */
async function jump(addresses: string[], dropsPassed: boolean): Promise<{ ms: number; answers: Buffer[] }> {
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: connections }), {
    [Symbol.dispose]: () => agent.destroy(),
  });
  const gone = new AbortController();
  const ask = async (address: string, signal?: AbortSignal): Promise<Buffer> => {
    const request = get(address, { agent, ...(signal ? { signal } : {}) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return buffer(response);
  };
  const begun = performance.now();
  const others = addresses.slice(0, passed).map((each) => ask(each, gone.signal).catch(() => undefined));
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (dropsPassed) gone.abort();
  const answers = await Promise.all(addresses.slice(passed).map((each) => ask(each)));
  const ms = performance.now() - begun;
  gone.abort();
  await Promise.all(others);
  return { ms, answers };
}

/** The service of 0.2.0, as far as it matters here. */
async function startEarlier() {
  const slots = [Promise.resolve(), Promise.resolve()];
  let next = 0;
  const server = createServer((_request, response) => {
    const slot = next++ % slots.length;
    const before = slots[slot];
    slots[slot] = (async () => {
      await before;
      const size = { width: 320, height: 180, fit: 'cover', position: sharp.strategy.attention } as const;
      response.end(await sharp(poster).resize(size).webp({ quality: 80 }).toBuffer());
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() };
}

async function check(answers: Buffer[], height: number): Promise<void> {
  for (const answer of answers) {
    const { width, height: found } = await sharp(answer).metadata();
    if (width !== 320 || found !== height) throw new Error(`A thumbnail has ${width}×${found} pixels.`);
  }
}

await using service = await startSeededService(10, { LOG_LEVEL: 'silent' });
await seedItems(service.db, items);
const size = { width: 3000, height: 2250 };
await service.db
  .updateTable('media_items')
  .set({ type: 'image', poster_file: 'poster.webp', renditions_token: 1, ...size })
  .execute();
const rows = await service.db.selectFrom('media_items').select('id').orderBy('id').execute();
for (const [i, { id }] of rows.entries()) {
  const renditions = path.join(service.dataDirectory, 'assets', service.workspaceId, id, 'renditions', '1');
  await mkdir(renditions, { recursive: true });
  await writeFile(path.join(renditions, 'poster.webp'), poster);
  // Every second has what indexing makes today.
  if (i % 2 === 0) await writeFile(path.join(renditions, 'poster-320.webp'), small);
}
const addresses: { earlier: string[]; today: string[] } = { earlier: [], today: [] };
const places = new Map(rows.map(({ id }, i) => [id, i]));
const headers = { Authorization: `Bearer ${service.key}` };
for (let page = 1; page <= Math.ceil(rows.length / 100); page++) {
  const answer = await fetch(`${service.url}/api/v1/media?per_page=100&page=${page}`, { headers });
  const { data } = (await answer.json()) as { data: MediaItem[] };
  for (const { id, thumbnails } of data) {
    addresses[(places.get(id) ?? 0) % 2 === 0 ? 'today' : 'earlier'].push(thumbnails[0]?.url ?? '');
  }
}

using earlier = await startEarlier();
const times: Record<string, number[]> = { 'as 0.2.0 did it': [], 'items of 0.2.0': [], 'items of today': [] };
for (let round = 0; round < rounds; round++) {
  const part = <Each>(list: Each[]) => list.slice(round * (passed + visible), (round + 1) * (passed + visible));
  const old = await jump(
    Array.from({ length: passed + visible }, () => earlier.address),
    false,
  );
  await check(old.answers, 180);
  times['as 0.2.0 did it']?.push(old.ms);
  for (const [name, list] of [
    ['items of 0.2.0', addresses.earlier],
    ['items of today', addresses.today],
  ] as const) {
    const now = await jump(part(list), true);
    await check(now.answers, 240);
    if (now.answers.length !== visible) throw new Error('Answers are missing.');
    times[name]?.push(now.ms);
  }
}
for (const [name, each] of Object.entries(times)) {
  const [least, most] = [Math.min(...each), Math.max(...each)].map(Math.round);
  console.log(`${visible} thumbnails after a jump, ${name}: ${Math.round(median(each))} ms (${least} to ${most})`);
}

/** Prints what pictures take that are written to an empty folder. */
async function cost(what: string, write: (to: string) => Promise<void>): Promise<void> {
  const each: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    const to = folder.file(`${what}-${round}`);
    await mkdir(to);
    const begun = performance.now();
    await write(to);
    each.push(performance.now() - begun);
    const sizes = await Promise.all((await readdir(to)).map(async (name) => (await stat(path.join(to, name))).size));
    bytes = sizes.reduce((sum, one) => sum + one, 0);
  }
  console.log(`${what}: ${Math.round(median(each))} ms, ${Math.round(bytes / 1000)} kB`);
}

// A photograph of 12 megapixels with noise, as a camera's has it.
const camera = folder.file('camera.jpg');
const noise = {
  create: {
    width: 4000,
    height: 3000,
    channels: 3,
    background: '#808080',
    noise: { type: 'gaussian', mean: 128, sigma: 6 },
  },
} as const;
await sharp(await readFile(photo))
  .resize(4000, 3000, { fit: 'fill' })
  .composite([{ input: await sharp(noise).png().toBuffer(), blend: 'soft-light' }])
  .jpeg({ quality: 90 })
  .toFile(camera);
const decoded = await decodeImage(camera, 'image/jpeg');
const within = (to: string, sizes: { side: number; file: string }[]) =>
  writeSizes(
    decoded,
    sizes.map(({ side, file }) => ({ side, file: path.join(to, file) })),
  );
await cost('a photograph, 480 and 640 pixels', (to) =>
  within(
    to,
    [480, 640].map((side) => ({ side, file: `${side}.webp` })),
  ),
);
await cost('a photograph, all sizes', (to) => {
  const preview = previewSize(decoded.full);
  return within(to, [...posterSizes(decoded.full), ...(preview ? [{ side: previewSide, file: preview.file }] : [])]);
});
await cost('a film of 720p, its poster', async (to) => {
  const frame = await readPosterFrame(
    sampleFile('ancient-walls.mp4'),
    { origin: 0, at: 7.5 },
    1280,
    AbortSignal.timeout(60_000),
  );
  if (frame?.width !== 1280) throw new Error('The poster is not that of the film.');
  await writeSizes(
    { ...frame, channels: 3 },
    posterSizes(frame).map(({ side, file }) => ({ side, file: path.join(to, file) })),
  );
});

if (median(times['items of today'] ?? []) > goalMs) process.exitCode = 1;
