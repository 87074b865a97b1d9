import sharp from 'sharp';
import { expect, test } from 'vitest';
import { soundSecondsFor } from './media-limits.ts';
import { readSound } from './read-sound.ts';
import { readSparseFrames } from './sparse-frames.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { jpegTrack, opusTrack, silentOpus, silentOpusMilliseconds, writeMatroska } from './testing/write-matroska.ts';

const size = { width: 64, height: 48 };
const patient = new AbortController().signal;

const drawJpeg = (): Promise<Buffer> =>
  sharp({ create: { ...size, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer();

/** One picture, and then blocks from which none comes. */
async function writeBrokenBlocks(file: string, count: number): Promise<void> {
  const picture = { track: 1, at: 0, data: await drawJpeg() };
  const broken = Array.from({ length: count }, (_, i) => ({ track: 1, at: i + 1, data: Buffer.from([0]) }));
  await writeMatroska(file, [jpegTrack(size.width, size.height)], [picture, ...broken]);
}

test('a reading of frames ends between packets that give none', async () => {
  await using folder = await temporaryFolder();
  await writeBrokenBlocks(folder.file('broken.mkv'), 2000);
  const stopping = new AbortController();
  let advances = 0;
  let frames = 0;
  const reading = {
    signal: stopping.signal,
    onAdvance() {
      advances += 1;
      if (advances === 1000) stopping.abort(new Error('It is not awaited.'));
    },
  };
  const options = { from: 0, interval: 0.5, smallSide: 64, fullSide: 64 };
  const read = async () => {
    for await (const _ of readSparseFrames(folder.file('broken.mkv'), options, reading)) frames += 1;
  };
  await expect(read()).rejects.toThrow('It is not awaited.');
  expect(frames).toBe(0);
  expect(advances).toBe(1000);
});

test('sound is read as far as the bytes of its file can hold it', async () => {
  await using folder = await temporaryFolder();
  const picture = await drawJpeg();
  const lastHour = 5;
  // A packet of sound every ten seconds.
  const sound = Array.from({ length: lastHour * 360 }, (_, i) => ({ track: 2, at: i * 10_000, data: silentOpus }));
  await writeMatroska(
    folder.file('silence.mkv'),
    [jpegTrack(size.width, size.height), opusTrack],
    [{ track: 1, at: 0, data: picture }, ...sound, { track: 1, at: lastHour * 3_600_000, data: picture }],
  );
  const starts: number[] = [];
  let samples = 0;
  for await (const block of readSound(folder.file('silence.mkv'), {
    from: 0,
    duration: lastHour * 3600,
    signal: patient,
  })) {
    starts.push(block.start);
    samples += block.samples.length;
  }
  const most = soundSecondsFor(25_000);
  expect(starts.at(-1)).toBeGreaterThan(7100);
  expect(starts.at(-1)).toBeLessThan(most);
  // All of it up to there: each packet once.
  expect(samples / 16_000).toBeGreaterThan((7100 / 10) * (silentOpusMilliseconds / 1000) * 0.9);
});
