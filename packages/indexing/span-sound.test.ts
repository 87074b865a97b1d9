import { writeFile } from 'node:fs/promises';
import type { ChunkSound, Embedder } from '@media-search/models/embedder';
import { expect, test } from 'vitest';
import { makeVideo, plain } from '../media/samples/draw-media.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { descriptorsEmbedder } from '../models/descriptors/descriptors-embedder.ts';
import { reembedItem } from './reembed-item.ts';
import { openSpanSound } from './span-sound.ts';
import { indexFile } from './testing/index-file.ts';

const { signal } = new AbortController();
/** Three shots of two seconds, each with a sound of its own volume. */
const scenes = [plain(200, 20, 20), plain(20, 40, 200), plain(30, 150, 40)].map((paint) => ({ paint, seconds: 2 }));
const volumes = [0.1, 0.3, 0.6];
const audio = Float32Array.from({ length: 6 * 16_000 }, (_, i) => volumes[Math.floor(i / 32_000)] ?? 0);

async function setUp() {
  const folder = await temporaryFolder();
  const file = folder.file('sounds.mkv');
  await makeVideo(file, { scenes, audio, audioCodec: 'pcm' });
  return { folder, file, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const inside = (sound: ChunkSound): number => sound?.[Math.floor(sound.length / 2)] ?? Number.NaN;

test('each span has its own sound, also behind spans that nobody asked for, and as long as it is', async () => {
  await using t = await setUp();
  await using sound = openSpanSound(t.file, { isWanted: true, duration: 6, signal });
  const first = await sound.take({ start: 0.5, end: 1.5 });
  const last = await sound.take({ start: 4, end: 5.5 });
  expect([first, last].map((each) => each?.length)).toEqual([16_000, 24_000]);
  for (const [each, volume] of [
    [first, 0.1],
    [last, 0.6],
  ] as const) {
    for (const sample of [each?.[0], each?.at(-1)]) expect(sample).toBeCloseTo(volume, 2);
  }
  expect(await sound.take({ start: 7, end: 8 })).toBeNull();
});

test('nothing is read where nobody takes it, and a file without sound or without sense has none', async () => {
  await using t = await setUp();
  await using unwanted = openSpanSound('/nowhere.mkv', { isWanted: false, duration: 6, signal });
  expect(await unwanted.take({ start: 0, end: 2 })).toBeNull();
  const silent = t.folder.file('silent.mkv');
  await makeVideo(silent, { scenes });
  await using without = openSpanSound(silent, { isWanted: true, duration: 6, signal });
  expect(await without.take({ start: 0, end: 2 })).toBeNull();
  const broken = t.folder.file('broken.mkv');
  await writeFile(broken, 'no video');
  await using damaged = openSpanSound(broken, { isWanted: true, duration: 6, signal });
  expect(await damaged.take({ start: 0, end: 2 })).toBeNull();
});

test('an embedder that hears gets the sound of each chunk, when it is indexed and when it is embedded again', async () => {
  await using t = await setUp();
  const heard: number[] = [];
  const hearing: Embedder = {
    ...descriptorsEmbedder,
    hears: true,
    embedChunks(chunks, sounds = []) {
      heard.push(inside(sounds[0] ?? null));
      return descriptorsEmbedder.embedChunks(chunks);
    },
  };
  const { chunks } = await indexFile(t.file, t.folder.path, { embedders: [hearing] });
  expect(chunks).toHaveLength(3);
  expect(heard.map((volume) => Math.round(10 * volume) / 10)).toEqual(volumes);
  heard.length = 0;
  const file = { path: t.file, type: 'video' as const, mimeType: 'video/x-matroska' };
  await reembedItem(file, chunks, hearing, { signal });
  expect(heard.map((volume) => Math.round(10 * volume) / 10)).toEqual(volumes);
});
