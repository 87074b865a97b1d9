import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Demuxer, Muxer } from 'node-av/api';
import { describe, expect, test } from 'vitest';
import type { MediaLimits } from '../media/media-limits.ts';
import { limitsFor } from '../media/media-limits.ts';
import { probeVideo } from '../media/probe-video.ts';
import { checkers, drawImage, encodeVideo, makeVideo, plain } from '../media/samples/draw-media.ts';
import { drawGif } from '../media/testing/draw-gif.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { UnreadableMediaError } from '../media/unreadable-media-error.ts';
import { indexFile } from './testing/index-file.ts';

const patient = new AbortController().signal;

const index = (
  file: string,
  outputDirectory: string,
  limits: MediaLimits = { maxSeconds: 86_400, maxFrames: 1_000_000 },
) => indexFile(file, outputDirectory, { limits, signal: patient });

/** Two frames, hours apart. */
async function makeGap(file: string): Promise<void> {
  const frames = [0, 50_000].map((place, i) => ({ image: drawImage(plain(200 * i, 20, 90)), pts: place }));
  await encodeVideo(file, frames, { fps: 1, codec: 'mpeg4' });
}

describe('what a file claims costs nothing', () => {
  test('two frames hours apart are two chunks', async () => {
    await using folder = await temporaryFolder();
    await makeGap(folder.file('gap.mkv'));
    const { chunks, duration } = await index(folder.file('gap.mkv'), folder.path);
    expect(duration).toBe(50_001);
    expect(chunks).toHaveLength(2);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('chunk-'))).toHaveLength(2);
  });

  test('audio hours after the audio before it adds no silence', async () => {
    await using folder = await temporaryFolder();
    await makeVideo(folder.file('whole.mkv'), { scenes: [{ paint: checkers(0.3), seconds: 2 }], audio: true });
    {
      await using input = await Demuxer.open(folder.file('whole.mkv'));
      await using output = await Muxer.open(folder.file('gap.mkv'), { maxInterleaveDelta: 0 } as object);
      const places = input.streams.map((stream) => output.addStream(stream));
      for await (using packet of input.packets()) {
        if (!packet) continue;
        const late = packet.pts > 1000n ? 50_000_000n : 0n;
        packet.pts += late;
        packet.dts += late;
        await output.writePacket(packet, places[packet.streamIndex] as number);
      }
    }
    const { rendition } = await index(folder.file('gap.mkv'), folder.path);
    // Silence for all of it would be 100 MB.
    expect((await stat(folder.file(rendition?.file ?? ''))).size).toBeLessThan(200_000);
  });

  test('rates, lengths and sizes in an AVI that make no sense are read or refused, never an attempt that breaks off', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('clip.avi');
    await makeVideo(file, { scenes: [{ paint: checkers(0.3), seconds: 0.4 }], codec: 'mpeg4', audio: true });
    const whole = await readFile(file);
    const [main, video, audio] = ['avih', 'vids', 'auds'].map((name) => whole.indexOf(name)) as [
      number,
      number,
      number,
    ];
    const places = [main + 8, main + 40, video + 20, video + 24, video + 28, video + 32, audio + 20, audio + 24];
    const outcomes: unknown[] = [];
    for (const place of places) {
      for (const value of [0, 1, 0x7fffffff, 0xffffffff]) {
        const bytes = Buffer.from(whole);
        bytes.writeUInt32LE(value, place);
        await writeFile(file, bytes);
        const outcome = await index(file, folder.path).catch((error: unknown) => error);
        outcomes.push(outcome instanceof Error && !(outcome instanceof UnreadableMediaError) ? outcome : 'settled');
      }
    }
    expect(outcomes).toEqual(outcomes.map(() => 'settled'));
  });
});

describe('limits', () => {
  test('of time and of frames end in a sentence', async () => {
    await using folder = await temporaryFolder();
    await makeGap(folder.file('gap.mkv'));
    await expect(
      index(folder.file('gap.mkv'), folder.path, { maxSeconds: 36_000, maxFrames: 100 }),
    ).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('longer than 10 hours') as string,
    });
    await makeVideo(folder.file('clip.mp4'), { scenes: [{ paint: checkers(0.3), seconds: 2 }] });
    await expect(index(folder.file('clip.mp4'), folder.path, { maxSeconds: 60, maxFrames: 49 })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('more than 49 frames') as string,
    });
    await expect(index(folder.file('clip.mp4'), folder.path, { maxSeconds: 60, maxFrames: 50 })).resolves.toBeDefined();
  });

  test('of an animation are narrower, and its size has one', async () => {
    await using folder = await temporaryFolder();
    await writeFile(folder.file('long.gif'), drawGif(10_001));
    await expect(index(folder.file('long.gif'), folder.path)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('more than 10,000 frames') as string,
    });
    await writeFile(folder.file('huge.gif'), drawGif(2, 9000));
    await expect(probeVideo(folder.file('huge.gif'), patient)).rejects.toMatchObject({ code: 'too_large' });
    await writeFile(folder.file('short.gif'), drawGif(100));
    await expect(index(folder.file('short.gif'), folder.path)).resolves.toMatchObject({ duration: 1 });
  });

  test('of an animation count its pixels: frames of a few bytes may have 64 million pixels each', () => {
    const limits: MediaLimits = { maxSeconds: 60, maxFrames: 1_000_000 };
    const frames = (type: string, framePixels: number, bytes = 200_000) =>
      limitsFor(type, { framePixels, bytes }, limits).maxFrames;
    expect(frames('image/gif', 64 * 64)).toBe(10_000);
    expect(frames('image/gif', 8000 * 8000)).toBe(156);
    expect(limitsFor('image/webp', { framePixels: 1920 * 1080, bytes: 9 }, { maxSeconds: 60, maxFrames: 100 })).toEqual(
      {
        maxSeconds: 60,
        maxFrames: 100,
      },
    );
    // A film has room for all its frames; a small file of large frames that show nothing new has not.
    expect(frames('video/mp4', 3840 * 2160, 2e9)).toBe(1_000_000);
    expect(frames('video/mp4', 8000 * 8000)).toBe(15_687);
  });
});
