import { expect, test } from 'vitest';
import { makeVideo, plain } from '../samples/draw-media.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { readSound } from './read-sound.ts';

test('samples that are no numbers are silent, and others within -1..1', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('broken.mkv');
  const audio = new Float32Array(16_000).fill(0.25);
  audio.set([NaN, Infinity, -Infinity, 8], 6000);
  await makeVideo(file, { scenes: [{ paint: plain(200, 20, 20), seconds: 1 }], audio, audioCodec: 'pcm' });
  const heard: number[] = [];
  const { signal } = new AbortController();
  for await (const { samples } of readSound(file, { from: 0, duration: 1, signal })) heard.push(...samples);
  expect(heard.slice(5999, 6005)).toEqual([0.25, 0, 1, -1, 1, 0.25]);
});
