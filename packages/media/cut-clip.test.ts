import { readFile } from 'node:fs/promises';
import { Demuxer, Muxer } from 'node-av/api';
import { Dictionary } from 'node-av/lib';
import { describe, expect, test } from 'vitest';
import { cutClip } from './cut-clip.ts';
import { probeVideo } from './probe-video.ts';
import { flashTiming, makeFlashAndBeep, measureFlashAndBeep, usualDuration } from './testing/flash-and-beep.ts';
import { makeNumbered, readNumbers } from './testing/numbered-frames.ts';
import { setDisplayMatrix } from './testing/orientations.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const patient = new AbortController().signal;

/** Numbers from `first` to before `end`. */
const range = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);

/** The packets of the video track: what they hold, and when their frames are shown, seconds. */
async function readPackets(file: string) {
  await using demuxer = await Demuxer.open(file);
  const packets: { data: string; time: number; isKeyframe: boolean }[] = [];
  for await (using packet of demuxer.packets(demuxer.video()?.index)) {
    if (!packet?.data) continue;
    const { pts, timeBase, isKeyframe } = packet;
    const time = (Number(pts) * timeBase.num) / timeBase.den;
    packets.push({ data: Buffer.from(packet.data).toString('base64'), time, isKeyframe });
  }
  return packets;
}

describe('a clip holds exactly the frames of its span', () => {
  test.each<[what: string, file: string, span: [number, number], frames: [number, number]]>([
    ['between keyframes', 'a.mp4', [0.52, 1.24], [13, 31]],
    ['ends in the middle of frames', 'a.mp4', [0.535, 1.255], [13, 31]],
    ['long, in Matroska', 'a.mkv', [0.6, 3.4], [15, 85]],
    ['in MPEG-TS', 'a.ts', [1.6, 2.4], [40, 60]],
    // Its muxer writes the second frame a frame late.
    ['in AVI', 'a.avi', [2.2, 3.2], [54, 79]],
    ['past the end', 'a.mp4', [3.6, 9], [90, 100]],
    ['a single frame', 'a.mp4', [0.4, 0.44], [10, 11]],
  ])('%s (%s)', async (_, name, [start, end], [first, behind]) => {
    await using folder = await temporaryFolder();
    await makeNumbered(folder.file(name), 100, { audio: true, codec: name.endsWith('avi') ? 'mpeg4' : 'h264' });
    const clip = await cutClip(folder.file(name), { start, end }, folder.file('clip.mp4'), patient);
    expect(clip.lossless).toBe(false);
    const { numbers, times } = await readNumbers(folder.file('clip.mp4'));
    expect(numbers).toEqual(range(first, behind));
    expect(times[0]).toBeCloseTo(0, 3);
    expect(times.at(-1)).toBeCloseTo((behind - first - 1) / 25, 2);
    expect(clip.end - clip.start).toBeCloseTo(numbers.length / 25, 2);
  });

  test.each([['a.mp4'], ['a.mkv']])('packets are taken over where the cut allows it (%s)', async (name) => {
    await using folder = await temporaryFolder();
    await makeNumbered(folder.file(name), 100, { audio: true });
    const packets = await readPackets(folder.file(name));
    const keyframe = packets.find(({ isKeyframe, time }) => isKeyframe && time > 0.5)?.time ?? 0;
    expect(keyframe).toBeGreaterThan(0.5);
    const number = Math.round(keyframe * 25);
    for (const [start, end, frames] of [
      [keyframe - 0.015, 4, range(number, 100)],
      [0, keyframe, range(0, number)],
    ] as [number, number, number[]][]) {
      const clip = await cutClip(folder.file(name), { start, end }, folder.file('clip.mp4'), patient);
      expect(clip.lossless).toBe(true);
      expect((await readNumbers(folder.file('clip.mp4'))).numbers).toEqual(frames);
      const inside = packets.filter(({ time }) => time > start - 0.01 && time < end - 0.01);
      const copied = await readPackets(folder.file('clip.mp4'));
      expect(copied.map(({ data }) => data)).toEqual(inside.map(({ data }) => data));
      expect(Math.min(...copied.map(({ time }) => time))).toBeCloseTo(0, 3);
    }
  });

  test('of varying rate, also from the middle of a frame that is shown for long', async () => {
    await using folder = await temporaryFolder();
    // A slide of two seconds among frames of 40 ms.
    const places = [...range(0, 10), ...range(60, 90)];
    await makeNumbered(folder.file('a.mp4'), 40, { places });
    await cutClip(folder.file('a.mp4'), { start: 1, end: 2.6 }, folder.file('clip.mp4'), patient);
    const { numbers, times } = await readNumbers(folder.file('clip.mp4'));
    expect(numbers).toEqual([9, ...range(10, 15)]);
    expect(times.map((time) => Math.round(time * 100))).toEqual([0, 140, 144, 148, 152, 156]);
  });
});

describe('audio stays in sync', () => {
  const h264 = { videoCodec: 'libx264', audioCodec: 'aac' };
  test.each<
    [what: string, file: string, options: Parameters<typeof makeFlashAndBeep>[1], start: number, lossless: boolean]
  >([
    ['encoded', 'a.mp4', h264, 1.4, false],
    ['copied', 'a.mp4', { ...h264, encoderOptions: { sc_threshold: 0 } }, 1, true],
    ['whose audio begins late', 'a.mkv', { ...h264, audioStart: 0.72 }, 1.4, false],
    ['with a gap in the audio', 'a.mkv', { ...h264, hasAudioAt: (time) => time < 1 || time > 1.6 }, 0.4, false],
    ['whose clock begins at 1.4 s', 'a.ts', { ...h264, videoStart: 1.4, audioStart: 1.4 }, 1.4, false],
    ['with Opus, copied', 'a.mkv', { videoCodec: 'libvpx-vp9', audioCodec: 'libopus' }, 1, true],
    ['with PCM', 'a.mov', { videoCodec: 'prores_ks', audioCodec: 'pcm_s16le' }, 1.4, false],
  ])('%s (%s)', async (_, name, options, start, lossless) => {
    await using folder = await temporaryFolder();
    await makeFlashAndBeep(folder.file(name), options);
    const clip = await cutClip(folder.file(name), { start, end: usualDuration }, folder.file('clip.mp4'), patient);
    expect(clip.lossless).toBe(lossless);
    const measured = await measureFlashAndBeep(folder.file('clip.mp4'));
    const moments = flashTiming.times.filter((time) => time > start).map((time) => time - start);
    expect(moments.length).toBeGreaterThan(1);
    for (const found of [measured.flashes, measured.beeps]) {
      expect(found).toHaveLength(moments.length);
      for (const [i, moment] of moments.entries()) expect(Math.abs((found[i] ?? 0) - moment)).toBeLessThan(0.03);
    }
    expect(measured.duration).toBeCloseTo(usualDuration - start, 1);
  });
});

/** Copies a video into a file that names its author and place. */
async function writeTagged(source: string, target: string): Promise<void> {
  await using demuxer = await Demuxer.open(source);
  const video = demuxer.video();
  if (!video) throw new Error('There is no video stream.');
  await using output = await Muxer.open(target, {
    configure: (context) => {
      context.metadata = Dictionary.fromObject({ title: 'Home', location: '+52.5200+013.4050/', comment: 'private' });
    },
  });
  const place = output.addStream(video);
  const stream = output.getStream(place);
  if (stream) stream.metadata = Dictionary.fromObject({ handler_name: 'Secret Handler' });
  for await (using packet of demuxer.packets(video.index)) if (packet) await output.writePacket(packet, place);
}

test('what a file says of itself stays out of the clip, and its rotation in it', async () => {
  await using folder = await temporaryFolder();
  await makeNumbered(folder.file('plain.mp4'), 100);
  await writeTagged(folder.file('plain.mp4'), folder.file('a.mp4'));
  await setDisplayMatrix(folder.file('a.mp4'), [0, 1, -1, 0]);
  for (const [start, lossless] of [
    [0, true],
    [0.2, false],
  ] as const) {
    const clip = await cutClip(folder.file('a.mp4'), { start, end: 4 }, folder.file('clip.mp4'), patient);
    expect(clip.lossless).toBe(lossless);
    const bytes = (await readFile(folder.file('clip.mp4'))).toString('latin1');
    expect(bytes).not.toMatch(/Home|52\.5200|private|Secret Handler/);
    await using probed = await probeVideo(folder.file('clip.mp4'), patient);
    expect([probed.width, probed.height]).toEqual([90, 160]);
    expect(probed.orientation.rotation).toBe(lossless ? 90 : 0);
  }
});

test('no clip of a span that has no frames, and none after the signal', async () => {
  await using folder = await temporaryFolder();
  await makeNumbered(folder.file('a.mp4'), 10);
  await expect(
    cutClip(folder.file('a.mp4'), { start: 5, end: 6 }, folder.file('clip.mp4'), patient),
  ).rejects.toMatchObject({ name: 'UnreadableMediaError' });
  const aborted = AbortSignal.abort(new Error('given up'));
  await expect(cutClip(folder.file('a.mp4'), { start: 0, end: 1 }, folder.file('clip.mp4'), aborted)).rejects.toThrow(
    'given up',
  );
});
