import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { probeVideo } from '@media-search/media/probe-video';
import { dot } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { describe, expect, test } from 'vitest';
import {
  checkers,
  makeAnimation,
  makePhoto,
  makeVideo,
  type Paint,
  plain,
  square,
} from '../media/samples/draw-media.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { device, gps5, gps9, writeGoPro } from '../media/testing/write-gopro.ts';
import { assignTexts } from './assign-texts.ts';
import { indexFile } from './testing/index-file.ts';

const red = plain(200, 20, 20);
const blue = plain(20, 40, 200);
const green = plain(30, 150, 40);

async function index(file: string, signal = new AbortController().signal) {
  const fractions: number[] = [];
  const indexed = await indexFile(file, path.dirname(file), {
    filename: path.basename(file),
    signal,
    onProgress: (_, fraction) => fractions.push(fraction),
  });
  return { ...indexed, fractions };
}

const spans = (chunks: { start: number; end: number }[]) => chunks.map(({ start, end }) => [start, end]);

/** The sizes of the pictures in a folder, by their names. */
async function picturesIn(folder: string): Promise<Record<string, [number, number]>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.webp'));
  const sizes = names.toSorted().map(async (name) => {
    const { width, height } = await sharp(path.join(folder, name)).metadata();
    return [name, [width, height]] as const;
  });
  return Object.fromEntries((await Promise.all(sizes)) as [string, [number, number]][]);
}

describe('videos', () => {
  test('of a GoPro say by their telemetry where and with what they were recorded, unless the file says it itself', async () => {
    await using folder = await temporaryFolder();
    await makeVideo(folder.file('plain.mp4'), { scenes: [{ paint: red, seconds: 0.4 }] });
    await writeGoPro(folder.file('plain.mp4'), folder.file('a.mp4'), [
      device('HERO11 Black', gps9([53.5459, 9.9695, 3])),
    ]);
    const { recording } = await index(folder.file('a.mp4'));
    expect(recording).toMatchObject({ camera: 'GoPro HERO11 Black', latitude: 53.5459, longitude: 9.9695 });
    expect(recording.place).toContain('Hamburg');
    const told = { location: '+38.7223-009.1393/', model: 'Mission 1' };
    await writeGoPro(folder.file('plain.mp4'), folder.file('b.mp4'), [device('Hero6 Black', gps5(1, 2, 3))], told);
    expect((await index(folder.file('b.mp4'))).recording).toMatchObject({ camera: 'Mission 1', latitude: 38.7223 });
  });

  test('have a poster from the frame itself, and small thumbnails of each chunk', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('large.mp4');
    const scenes = [square([200, 20, 20], [240, 240, 240]), checkers(0)].map((paint) => ({ paint, seconds: 2 }));
    await makeVideo(file, { scenes, width: 1600, height: 900 });
    const { poster, chunks } = await index(file);
    expect(poster).toBe('poster-1280.webp');
    const pictures = await picturesIn(folder.path);
    expect(pictures).toMatchObject({
      'poster-1280.webp': [1280, 720],
      'poster-320.webp': [320, 180],
      'poster-640.webp': [640, 360],
      'chunk-00000.webp': [480, 270],
      'chunk-00000-320.webp': [320, 180],
    });
    expect(Object.keys(pictures).length).toBe(3 + 2 * chunks.length);
    // It shows what the sample showed by which it was chosen, of which a chunk has the thumbnail.
    const small = async (name: string) => sharp(folder.file(name)).resize(32, 18, { fit: 'fill' }).raw().toBuffer();
    const found = await small(poster);
    const differences = await Promise.all(
      chunks.map(async ({ thumbnail }) => {
        const sample = await small(thumbnail);
        return found.reduce((sum, value, i) => sum + Math.abs(value - (sample[i] ?? 0)), 0) / found.length;
      }),
    );
    expect(Math.min(...differences)).toBeLessThan(6);
  });

  test('are cut where the shots change, and what browsers play stays as it is', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('shots.mp4');
    const scenes = [red, blue, green].map((paint, i) => ({ paint, seconds: i + 2 }));
    await makeVideo(file, { scenes, audio: true });
    const indexed = await index(file);
    expect(indexed).toMatchObject({ type: 'video', mimeType: 'video/mp4', width: 160, height: 90, rendition: null });
    expect(indexed.duration).toBeCloseTo(9, 1);
    const times = spans(indexed.chunks).flat();
    for (const [i, time] of [0, 2, 2, 5, 5, 9].entries()) expect(times[i]).toBeCloseTo(time, 1);
    expect(indexed.fractions).toEqual(indexed.fractions.toSorted((a, b) => a - b));
    // The poster is the sharpest of the best chunk; whichever it is, its placeholder has its colour.
    const { r, g, b } = thumbHashToAverageRGBA(Buffer.from(indexed.placeholder, 'base64'));
    const pixel = await sharp(folder.file(indexed.poster)).resize(1, 1).raw().toBuffer();
    for (const [i, channel] of [r, g, b].entries())
      expect(Math.abs(channel * 255 - (pixel[i] ?? -99))).toBeLessThan(12);
    for (const { thumbnail } of indexed.chunks) {
      expect((await sharp(folder.file(thumbnail)).metadata()).format).toBe('webp');
    }
  });

  test.each([25, 50])('at %d frames a second keep short shots apart in span, image and vector', async (fps) => {
    await using folder = await temporaryFolder();
    const file = folder.file('montage.mp4');
    const colours = { red, blue, green, yellow: plain(220, 200, 30) };
    const shots = [
      { name: 'red', seconds: 3 },
      { name: 'blue', seconds: 0.6 },
      { name: 'green', seconds: 1.04 },
      // Too short to be a chunk of its own.
      { name: 'yellow', seconds: 0.28 },
      { name: 'red', seconds: 0.44 },
      { name: 'blue', seconds: 2 },
    ] as const;
    await makeVideo(file, { scenes: shots.map(({ name, seconds }) => ({ paint: colours[name], seconds })), fps });
    const indexed = await index(file);
    expect(spans(indexed.chunks).map((span) => span.map((time) => Math.round(time * 25)))).toEqual(
      [
        [0, 3],
        [3, 3.6],
        [3.6, 4.64],
        [4.92, 5.36],
        [5.36, 7.36],
      ].map((span) => span.map((time) => Math.round(time * 25))),
    );
    // A span ends before the first frame of the next shot begins.
    let [starts, at] = [[] as number[], 0];
    for (const { seconds } of shots) {
      starts.push(at);
      at += seconds;
    }
    for (const { start, end } of indexed.chunks) {
      expect(starts.filter((time) => time > start + 0.002 && time < end - 0.002)).toEqual([]);
    }
    const expected = ['red', 'blue', 'green', 'red', 'blue'] as const;
    for (const [i, chunk] of indexed.chunks.entries()) {
      const [r, g, b] = await sharp(folder.file(chunk.thumbnail)).resize(1, 1).raw().toBuffer();
      const wanted = colours[expected[i] ?? 'red'](0, 0, 0);
      for (const [channel, value] of [r, g, b].entries()) {
        expect(Math.abs((value ?? -99) - (wanted[channel] ?? 0))).toBeLessThan(30);
      }
    }
    // Chunks of the same colour have the same vector; one that had seen a foreign frame would not.
    const cosine = (a: number, b: number) => dot(vectorOf(a), vectorOf(b));
    const vectorOf = (i: number) => indexed.chunks[i]?.embeddings[0]?.vector ?? new Float32Array();
    expect(cosine(0, 3)).toBeGreaterThan(0.995);
    expect(cosine(1, 4)).toBeGreaterThan(0.995);
  });

  test('keep what is said in a shot too short for a chunk', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('flicker.mkv');
    const scenes = [
      { paint: red, seconds: 2 },
      { paint: blue, seconds: 0.32 },
      { paint: green, seconds: 2 },
    ];
    await makeVideo(file, { scenes, subtitles: [{ start: 2.05, end: 2.25, text: 'Boo' }] });
    const { chunks, texts } = await index(file);
    expect(chunks).toHaveLength(2);
    expect(assignTexts(texts, chunks, 0.1).flat()).toEqual([0]);
  });

  test('leave out what is said after their end', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('short.mkv');
    const subtitles = [
      { start: 1, end: 3600, text: 'To be continued' },
      { start: 200, end: 210, text: 'Nobody gets here' },
    ];
    await makeVideo(file, { scenes: [{ paint: red, seconds: 2 }], subtitles });
    const { texts, duration } = await index(file);
    expect(texts).toMatchObject([{ start: 1, end: duration, text: 'To be continued' }]);
  });

  test('of one long shot are divided evenly', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('long.mp4');
    await makeVideo(file, { scenes: [{ paint: checkers(0), seconds: 24 }], fps: 10 });
    const { chunks } = await index(file);
    expect(spans(chunks)).toEqual([
      [0, 10],
      [10, 17],
      [17, 24],
    ]);
  });

  test('that freeze for a while say so; stills in a row are no frozen film', async () => {
    await using folder = await temporaryFolder();
    const moving: Paint = (x, y, time) => [
      128 + 90 * Math.sin(9 * x + 3 * time),
      120 + 60 * Math.cos(7 * y - time),
      90,
    ];
    const frozen: Paint = (x, y) => [200 * x, 40 + 180 * y, 60];
    const file = folder.file('frozen.mp4');
    const scenes = [moving, frozen, moving].map((paint) => ({ paint, seconds: 4 }));
    await makeVideo(file, { scenes });
    expect((await index(file)).chunks.map(({ blank }) => blank)).toEqual([false, true, false]);
    const stills = folder.file('stills.mp4');
    await makeVideo(stills, { scenes: [frozen, red, green].map((paint) => ({ paint, seconds: 3 })) });
    expect((await index(stills)).chunks.map(({ blank }) => blank)).toEqual([false, false, false]);
  });

  test('shorter than a second are one chunk', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('one.mp4');
    await makeVideo(file, { scenes: [{ paint: red, seconds: 0.04 }] });
    const { chunks, duration } = await index(file);
    expect(spans(chunks)).toEqual([[0, duration]]);
    expect(duration).toBeCloseTo(0.04, 2);
  });

  test.each([
    ['SubRip', 'talk.mkv', 'srt', '<i>Good morning</i>'],
    ['SubStation Alpha', 'talk.mkv', 'ass', '{\\i1}Good morning{\\i0}'],
    ['3GPP timed text', 'talk.mp4', 'mov_text', 'Good morning'],
    ['WebVTT', 'talk.webm', 'vtt', '<v Ada>Good morning</v>'],
  ] as const)(
    'speak through their subtitles in %s, each line in its chunk',
    async (_, name, subtitleFormat, greeting) => {
      await using folder = await temporaryFolder();
      const file = folder.file(name);
      const scenes = [red, blue].map((paint) => ({ paint, seconds: 3 }));
      const subtitles = [
        { start: 0.5, end: 2, text: `${greeting}, Vienna` },
        { start: 4, end: 5.5, text: 'The harbour is\nclosed today' },
      ];
      await makeVideo(file, { scenes, subtitles, subtitleFormat, codec: name.endsWith('webm') ? 'vp9' : 'h264' });
      const { chunks, texts, rendition } = await index(file);
      expect(texts).toMatchObject([
        { source: 'subtitle', text: 'Good morning, Vienna' },
        { source: 'subtitle', text: 'The harbour is\nclosed today' },
      ]);
      expect(texts[1]?.start).toBeCloseTo(4, 1);
      expect(texts[1]?.end).toBeCloseTo(5.5, 1);
      expect(assignTexts(texts, chunks, 0.1)).toEqual([[0], [1]]);
      expect(rendition?.file).toBe(name.endsWith('mkv') ? 'playback.mp4' : undefined);
    },
  );

  test.each([
    ['hevc', 'hevc.mp4'],
    ['mpeg4', 'old.avi'],
    ['h264', 'stream.ts'],
  ] as const)('in %s get a rendition that browsers play', async (codec, name) => {
    await using folder = await temporaryFolder();
    const file = folder.file(name);
    await makeVideo(file, { scenes: [{ paint: checkers(0.2), seconds: 1.5 }], codec, audio: true });
    expect((await index(file)).rendition?.file).toBe('playback.mp4');
    await using probed = await probeVideo(folder.file('playback.mp4'), new AbortController().signal);
    expect(probed).toMatchObject({ videoCodec: 'h264', audioCodec: 'aac', width: 160, height: 90 });
    expect(probed.duration).toBeCloseTo(1.5, 0);
    // The index stands in front of the data, so that playing starts before all has arrived.
    const bytes = await readFile(folder.file('playback.mp4'));
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
  });

  test('in WebM and of odd size work', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('odd.webm');
    await makeVideo(file, {
      scenes: [{ paint: square([200, 0, 0], [255, 255, 255]), seconds: 1 }],
      codec: 'vp9',
      width: 161,
      height: 91,
    });
    expect(await index(file)).toMatchObject({ mimeType: 'video/webm', rendition: null, width: 161, height: 91 });
  });

  test('cut off are indexed as far as they go', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('cut.ts');
    await makeVideo(file, { scenes: [{ paint: checkers(0.3), seconds: 4 }] });
    await truncate(file, Math.floor((await stat(file)).size / 2));
    const { chunks, duration } = await index(file);
    expect(chunks.length).toBeGreaterThan(0);
    expect(duration).toBeLessThan(4);
  });

  test('stop being read when asked to', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('long.mp4');
    await makeVideo(file, { scenes: [{ paint: red, seconds: 3 }] });
    const reason = new Error('enough');
    await expect(index(file, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('drawn as a GIF play as a video', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('loop.gif');
    await makeAnimation(file, [red, blue, green, red, blue]);
    expect(await index(file)).toMatchObject({
      type: 'video',
      mimeType: 'image/gif',
      rendition: { file: 'playback.mp4' },
    });
  });
});

describe('photographs', () => {
  test.each(['photo.jpg', 'photo.png', 'photo.webp', 'photo.avif', 'photo.gif'])('%s is one chunk', async (name) => {
    await using folder = await temporaryFolder();
    const file = folder.file(name);
    await makePhoto(file, square([200, 0, 0], [255, 255, 255]));
    const indexed = await index(file);
    expect(indexed).toMatchObject({ type: 'image', duration: null, width: 320, height: 200, rendition: null });
    expect(spans(indexed.chunks)).toEqual([[0, 0]]);
  });

  test('that browsers do not show get a rendition', async () => {
    await using folder = await temporaryFolder();
    await makePhoto(folder.file('scan.tiff'), red);
    expect((await index(folder.file('scan.tiff'))).rendition).toEqual({ file: 'display.webp', mimeType: 'image/webp' });
  });

  test('come in the sizes of the grid and of the viewer, uncropped and none larger than itself', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('large.png');
    await sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#864' } })
      .png()
      .toFile(file);
    const { poster, chunks } = await index(file);
    expect([poster, chunks[0]?.thumbnail]).toEqual(['poster-1280.webp', 'poster-640.webp']);
    expect(await picturesIn(folder.path)).toEqual({
      'poster-1280.webp': [1280, 640],
      'poster-320.webp': [320, 160],
      'poster-640.webp': [640, 320],
      'preview.webp': [2048, 1024],
    });
  });

  test('that are small have one picture of each size that differs', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('small.png');
    await sharp({ create: { width: 400, height: 500, channels: 3, background: '#864' } })
      .png()
      .toFile(file);
    expect((await index(file)).poster).toBe('poster-640.webp');
    expect(await picturesIn(folder.path)).toEqual({ 'poster-320.webp': [256, 320], 'poster-640.webp': [400, 500] });
  });

  test('stand upright whatever the camera noted', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('side.jpg');
    // Stored lying: what is on the left belongs on top.
    await makePhoto(file, (x) => (x < 0.5 ? [250, 250, 250] : [10, 10, 10]), { orientation: 6 });
    const { poster, ...indexed } = await index(file);
    expect(indexed).toMatchObject({ width: 200, height: 320 });
    const { data, info } = await sharp(folder.file(poster)).raw().toBuffer({ resolveWithObject: true });
    const middle = (Math.floor(info.height * 0.2) * info.width + info.width / 2) * info.channels;
    expect(data[middle]).toBeGreaterThan(200);
  });
});

describe('what cannot be read says so', () => {
  test.each([
    ['text.mp4', 'this is only text'],
    ['page.jpg', '<html><script>alert(1)</script></html>'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['empty.mov', ''],
  ])('%s', async (name, content) => {
    await using folder = await temporaryFolder();
    await writeFile(folder.file(name), content);
    await expect(index(folder.file(name))).rejects.toMatchObject({ code: 'unreadable_media' });
  });

  test('a video whose data is noise', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('noise.mp4');
    await makeVideo(file, { scenes: [{ paint: red, seconds: 1 }] });
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, 48));
    await expect(index(file)).rejects.toMatchObject({ name: 'UnreadableMediaError' });
  });

  test('an image that is cut off', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('half.png');
    await makePhoto(file, checkers(0));
    await truncate(file, Math.floor((await stat(file)).size / 2));
    await expect(index(file)).rejects.toMatchObject({ code: 'unreadable_media' });
  });
});
