import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { makeNumbered, readNumber } from '../../../packages/media/testing/numbered-frames.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
/** 2 s of 25 frames a second, which show their number; 160 by 90 pixels. */
let film: string;
/** 640 by 360 pixels, in a format that browsers do not show. */
let photo: string;

beforeAll(async () => {
  service = await startTestService();
  const file = (name: string) => `${service.folder}/${name}`;
  await makeNumbered(file('film.mp4'), 50);
  await makePhoto(file('photo.tiff'), plain(20, 90, 200), { width: 640, height: 360 });
  film = (await service.client.upload(file('film.mp4'))).data.id;
  photo = (await service.client.upload(file('photo.tiff'))).data.id;
  for (const id of [film, photo]) await service.client.waitUntilIndexed(id);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Asks for a frame. */
async function get(id: string, query = '', headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/api/v1/media/${id}/frame${query}`, {
    headers: { Authorization: `Bearer ${service.key}`, 'Cache-Control': 'max-age=0', ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The number that a frame of the film shows. */
const readFrame = async (bytes: Buffer) =>
  readNumber(await sharp(bytes).resize(64, 1, { fit: 'fill' }).greyscale().raw().toBuffer());

test('a frame is what the video shows at that time, as JPEG, never enlarged', async () => {
  for (const [at, shown] of [
    ['0', 0],
    ['0.48', 12],
    ['1.27', 31],
    ['2', 49],
  ] as const) {
    const { status, bytes } = await get(film, `?at=${at}&width=1920`);
    expect([status, await readFrame(bytes)]).toEqual([200, shown]);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 160, height: 90 });
  }
  const small = await get(film, '?width=80');
  expect(await sharp(small.bytes).metadata()).toMatchObject({ width: 80, height: 45 });
  expect(await readFrame(small.bytes)).toBe(0);
});

test('the frame of an image is the image, scaled down', async () => {
  const { status, headers, bytes } = await get(photo, '?at=99&width=320');
  expect(status).toBe(200);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 180 });
  const [red, green, blue] = (await sharp(bytes).stats()).channels.map(({ mean }) => Math.round(mean));
  expect(blue).toBeGreaterThan(190);
  expect([red, green].every((value) => (value as number) < 100)).toBe(true);
});

test('a frame that the client has is not sent again', async () => {
  const first = await get(film, '?at=0.48');
  const tag = first.headers.get('ETag') ?? '';
  const again = await get(film, '?at=0.480', { 'If-None-Match': tag });
  expect([again.status, again.bytes.length, again.headers.get('ETag')]).toEqual([304, 0, tag]);
  expect((await get(film, '?at=0.52', { 'If-None-Match': tag })).status).toBe(200);
});

test.each([
  ['after the end', '?at=2.5'],
  ['no time', '?at=soon'],
  ['before the start', '?at=-1'],
  ['beyond numbers', '?at=1e9'],
  ['too wide', '?width=1921'],
  ['too narrow', '?width=15'],
])('%s: 400', async (_, query) => {
  expect((await get(film, query)).status).toBe(400);
});

test('the item of another workspace has no frame', async () => {
  const { client } = await service.addWorkspace('Elsewhere');
  expect((await client.get(`/media/${film}/frame`)).status).toBe(404);
});
