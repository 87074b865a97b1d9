import { expect, test } from 'vitest';
import { readSound } from './read-sound.ts';
import { makeVideo, plain } from './samples/draw-media.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const { signal } = new AbortController();

async function hear(file: string): Promise<number[]> {
  const heard: number[] = [];
  for await (const { samples } of readSound(file, { from: 0, duration: 1, signal })) heard.push(...samples);
  return heard;
}

test('samples that are no numbers are silent, and others within -1..1', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('broken.mkv');
  const audio = new Float32Array(16_000).fill(0.25);
  audio.set([NaN, Infinity, -Infinity, 8], 6000);
  await makeVideo(file, { scenes: [{ paint: plain(200, 20, 20), seconds: 1 }], audio, audioCodec: 'pcm' });
  const heard = await hear(file);
  expect(heard.slice(5999, 6005)).toEqual([0.25, 0, 1, -1, 1, 0.25]);
});

test('of surround sound the centre counts most, where people speak, and loud channels together are not cut off', async () => {
  await using folder = await temporaryFolder();
  // A second in which one channel after the other is heard, and then all as loudly as can be.
  const loud = [0, 1, 2, 3, 4, 5].map((channel) => [channel]).concat([[0, 1, 2, 4, 5]]);
  const audio = new Float32Array(6 * 16_000);
  for (let i = 0; i < 16_000; i++) for (const channel of loud[Math.floor(i / 2000)] ?? []) audio[6 * i + channel] = 1;
  const file = folder.file('surround.mkv');
  const scenes = [{ paint: plain(200, 20, 20), seconds: 1 }];
  await makeVideo(file, { scenes, audio, audioCodec: 'pcm', isSurround: true });
  const heard = await hear(file);
  const [left, right, centre, low, ...behind] = loud.map((_, i) => heard[2000 * i + 1000] as number);
  const all = behind.pop();
  expect(centre).toBeCloseTo(4 * (left as number), 2);
  expect(right).toBeCloseTo(left as number, 3);
  expect(low).toBeCloseTo(0, 3);
  for (const each of behind) expect(each).toBeCloseTo((left as number) / 2, 2);
  expect(all).toBeCloseTo(1, 2);
});
