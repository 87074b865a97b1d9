import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import {
  checkers,
  drawImage,
  encodeVideo,
  makeAnimation,
  makePhoto,
  makeVideo,
  plain,
  square,
  type VideoOptions,
} from '../../../packages/media/samples/draw-media.ts';

/** A file to mutate. `frames`: the number of its frames, and so the most chunks that it may have. */
export type Seed = { name: string; bytes: Buffer; frames: number };

const size = { width: 64, height: 48 };

/** Every container with a codec that it usually holds, as far as the project can write them. */
const videos: [ending: string, options: Omit<VideoOptions, 'scenes'>][] = [
  ['mp4', { ...size, audio: true }],
  ['mov', size],
  ['3gp', size],
  ['mkv', { ...size, subtitles: [{ start: 0, end: 1, text: '{\\b1}A boat' }] }],
  ['webm', { ...size, codec: 'vp9' }],
  ['avi', { ...size, codec: 'mpeg4' }],
  ['mpg', { ...size, codec: 'mpeg1' }],
  ['m2v', { ...size, codec: 'mpeg2' }],
  ['ts', size],
  ['m2ts', { ...size, codec: 'mpeg2' }],
  ['flv', { ...size, codec: 'flv' }],
  ['wmv', { ...size, codec: 'wmv' }],
  ['ogv', { ...size, codec: 'theora' }],
  ['mxf', { ...size, codec: 'mpeg2' }],
  ['rm', { codec: 'realvideo', width: 176, height: 144 }],
  ['apng', { ...size, codec: 'apng' }],
];

const photos = ['jpg', 'png', 'webp', 'tiff', 'avif', 'gif'];

const seconds = 0.6;
const fps = 25;

/** Draws and encodes one small file of each kind in a folder. */
export async function makeSeeds(folder: string): Promise<Seed[]> {
  const seeds: Seed[] = [];
  const add = async (name: string, frames: number) =>
    void seeds.push({ name, frames, bytes: await readFile(path.join(folder, name)) });
  const scenes = [
    { paint: checkers(0.3), seconds },
    { paint: square([200, 30, 30], [20, 20, 90]), seconds },
  ];
  for (const [ending, options] of videos) {
    await makeVideo(path.join(folder, `film.${ending}`), { scenes, fps, ...options });
    await add(`film.${ending}`, Math.round(2 * seconds * fps));
  }
  for (const ending of ['gif', 'webp']) {
    const name = `animation.${ending}`;
    await makeAnimation(path.join(folder, name), [plain(200, 30, 30), checkers(0.1), plain(20, 90, 20)]);
    await add(name, 3);
  }
  for (const ending of photos) {
    await makePhoto(path.join(folder, `photo.${ending}`), square([200, 30, 30], [20, 20, 90]), size);
    await add(`photo.${ending}`, 1);
  }
  await writeFile(path.join(folder, 'photo.bmp'), toBitmap());
  await add('photo.bmp', 1);
  return seeds;
}

/** An uncompressed Windows bitmap, which sharp does not write. */
function toBitmap(): Buffer {
  const { data } = drawImage(checkers(0), size.width, size.height);
  const head = Buffer.alloc(54);
  head.write('BM', 'latin1');
  head.writeUInt32LE(54 + data.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(size.width, 18);
  head.writeInt32LE(size.height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, data]);
}

/** Few frames far apart in time, and texts that are slow to process. */
export async function makeGapFiles(folder: string): Promise<Seed[]> {
  const seeds: Seed[] = [];
  const places: [string, number[]][] = [
    ['mkv', [0, 50_000]],
    ['mkv', [0, 1, 2, 1_000_000]],
    ['mp4', [0, 50_000]],
    ['mov', [0, 3600, 7200]],
    ['webm', [0, 40_000]],
    ['ts', [0, 20_000]],
    ['avi', [0, 5000]],
    ['flv', [0, 50_000]],
  ];
  for (const [i, [ending, at]] of places.entries()) {
    const name = `gap-${i}.${ending}`;
    const frames = at.map((pts, n) => ({
      pts,
      image: drawImage(plain(40 * n, 90, 60), size.width, size.height),
    }));
    const codec = ({ webm: 'vp9', avi: 'mpeg4', flv: 'flv' } as const)[ending];
    await encodeVideo(path.join(folder, name), frames, { ...size, fps: 1, ...(codec ? { codec } : {}) });
    seeds.push({ name, frames: at.length, bytes: await readFile(path.join(folder, name)) });
  }
  const texts = [
    '{\\'.repeat(40_000),
    '<'.repeat(100_000),
    '&'.repeat(100_000),
    '{\\a'.repeat(40_000),
    ' \n'.repeat(60_000),
    '<i><b>'.repeat(20_000),
  ];
  for (const [i, text] of texts.entries()) {
    const name = `text-${i}.mkv`;
    const scenes = [{ paint: checkers(0), seconds: 1 }];
    await makeVideo(path.join(folder, name), { scenes, ...size, subtitles: [{ start: 0, end: 1, text }] });
    seeds.push({ name, frames: 25, bytes: await readFile(path.join(folder, name)) });
  }
  return seeds;
}

/** An image that identifies a file that must not be read: nothing else contains its colour. */
export const makeCanaryImage = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: { r: 255, g: 0, b: 255 } } })
    .png()
    .toBuffer();
