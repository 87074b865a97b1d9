import type { ExtractedSegment, ExtractionEnd } from '@media-search/media/extracted-text';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawImage, encodeVideo, makePhoto, type Paint } from '../../media/samples/draw-media.ts';
import { type DrawnLine, drawText } from '../../media/testing/draw-text.ts';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { ModelError } from '../model-error.ts';
import { once } from '../once.ts';
import { loadLineReader } from './read-lines.ts';
import { readOnScreenText } from './read-on-screen-text.ts';

const [width, height, fps] = [640, 360, 10];
const loadReader = once(() => loadLineReader(1));
const haze: Paint = (x, y) => [120 + 60 * Math.sin(7 * x), 170 + 40 * Math.cos(5 * y), 200];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => void (folder = await temporaryFolder()));
afterAll(() => folder[Symbol.asyncDispose]());

/** Frames of seconds: the same picture, or one after the other down a strip that scrolls up by `speed` pixels a frame. */
function* shots(strips: { data: Uint8Array; seconds: number; speed: number }[]) {
  let pts = 0;
  for (const { data, seconds, speed } of strips) {
    for (let i = 0; i < seconds * fps; i++) {
      const from = i * speed * width * 3;
      yield { image: { width, height, data: Buffer.from(data.subarray(from, from + width * height * 3)) }, pts };
      pts += 1;
    }
  }
}

async function drawStrip(paint: Paint, high: number, lines: DrawnLine[], seconds: number, speed = 0) {
  return { data: (await drawText(drawImage(paint, width, high), lines)).data, seconds, speed };
}

async function read(file: string, position = 0) {
  const segments: ExtractedSegment[] = [];
  let end: ExtractionEnd | undefined;
  const { signal } = new AbortController();
  const media = { type: 'video', mime_type: 'video/mp4' } as const;
  for await (const event of readOnScreenText({ path: file, media, position, signal }, loadReader)) {
    if ('state' in event) end = event;
    else segments.push(...event.segments);
  }
  return { segments, end };
}

test('captions have the times at which they change, credits those of their way up, and each line is one', async () => {
  const caption = (text: string): DrawnLine[] => [{ text, left: 90, top: 290, size: 28 }];
  const credits = ['Directed by Ada Brown', 'Music by Otto Klein', 'Camera by Ines Costa', 'Sound by Bo Lindgren'];
  const file = folder.file('film.mp4');
  const strips = [
    await drawStrip(haze, height, caption('Where is the lighthouse?'), 3),
    await drawStrip(haze, height, caption('Behind the old harbour wall'), 3),
    await drawStrip(haze, height, [], 2),
    await drawStrip(
      () => [12, 12, 16],
      1000,
      credits.map((text, i) => ({ text, left: 150, top: 380 + 60 * i, size: 26, colour: '#f0f0f0' })),
      10,
      6,
    ),
  ];
  await encodeVideo(file, shots(strips), { width, height, fps });

  const { segments, end } = await read(file);
  expect(end).toMatchObject({ model: 'pp-ocrv4' });
  const seen = segments.map(({ text }) => text);
  expect(seen).toEqual(['Where is the lighthouse?', 'Behind the old harbour wall', ...credits]);
  const [first, second, ...moving] = segments as [ExtractedSegment, ExtractedSegment, ...ExtractedSegment[]];
  expect(first).toMatchObject({ start: 0, end: 3 });
  expect(second).toMatchObject({ start: 3, end: 6 });
  expect(first.box?.y).toBeCloseTo(0.8, 1);
  for (const [i, line] of moving.entries()) {
    // It enters when its foot is in the picture, and leaves when its head is out of it.
    expect(Math.abs(line.start - (8 + (40 + 60 * i) / 60))).toBeLessThan(1.5);
    expect(Math.abs(line.end - Math.min(18, 8 + (380 + 60 * i) / 60))).toBeLessThan(1.5);
  }

  // A reading that begins in the middle finds what is shown from there on.
  const rest = await read(file, 4);
  expect(rest.segments.map(({ text }) => text)).toEqual(seen.slice(1));
  expect(rest.segments[0]).toMatchObject({ start: 4, end: 6 });
});

test('small captions that are soon gone again are found while the camera moves', async () => {
  const size = { width: 1280, height: 180 };
  const file = folder.file('pan.mp4');
  const caption: DrawnLine[] = [{ text: 'Behind the old harbour wall', left: 400, top: 120, size: 11 }];
  const landscape = (left: number): Paint => {
    const hill = (x: number) => Math.sin(left + 9 * x) * Math.sin(23 * (left + 9 * x));
    return (x, y) => [120, 190 + 30 * Math.sign(hill(x / 4) - Math.sin(9 * y)), 200];
  };
  const frames = [];
  for (let pts = 0; pts < 16; pts++) {
    const ground = drawImage(landscape(pts / 20), size.width, size.height);
    const shown = await drawText(ground, pts >= 6 && pts < 12 ? caption : []);
    frames.push({ image: { ...size, data: Buffer.from(shown.data) }, pts });
  }
  await encodeVideo(file, frames, { ...size, fps: 2 });
  const { segments } = await read(file);
  expect(segments).toMatchObject([{ text: expect.stringMatching('^Behind the old') }]);
});

test('boxes are about the picture as it is displayed', async () => {
  const file = folder.file('turned.jpg');
  // Drawn on its side, as a camera does that was turned: orientation 6 is displayed turned to the right.
  const drawn = await drawText(drawImage(haze, 480, 320), [
    { text: 'Harbour office', left: 40, top: 80, size: 30, turned: 270 },
  ]);
  await makePhoto(file, (x, y) => pixelOf(drawn, x, y), { width: 480, height: 320, orientation: 6 });
  const { signal } = new AbortController();
  const media = { type: 'image', mime_type: 'image/jpeg' } as const;
  const events = [];
  for await (const event of readOnScreenText({ path: file, media, position: 0, signal }, loadReader))
    events.push(event);
  expect(events).toMatchObject([
    // In one event: a photograph whose job makes way begins again, and must not be stored twice.
    { model: 'pp-ocrv4', segments: [{ text: 'Harbour office', start: 0, end: 0, language: null }] },
  ]);
  const box = events.flatMap((event) => ('segments' in event ? event.segments : []))[0]?.box;
  // 320 wide and 480 high as displayed: the line is level, near the top.
  expect(box?.width).toBeGreaterThan(0.5);
  expect(box?.height).toBeLessThan(0.12);
  expect((box?.y ?? 1) + (box?.height ?? 1)).toBeLessThan(0.25);
});

test('models that cannot be loaded end the reading as failed, with a sentence', async () => {
  const { signal } = new AbortController();
  const media = { type: 'image', mime_type: 'image/jpeg' } as const;
  const failing = () => Promise.reject(new ModelError('The models are missing.'));
  const events = [];
  for await (const event of readOnScreenText({ path: 'x', media, position: 0, signal }, failing)) events.push(event);
  expect(events).toMatchObject([{ state: 'failed', message: 'The models are missing.' }]);
});

/** The colour of a drawn picture at a place, fractions from its left and top. */
function pixelOf(picture: { width: number; height: number; data: Uint8Array }, x: number, y: number) {
  const at = (Math.floor(y * picture.height) * picture.width + Math.floor(x * picture.width)) * 3;
  return [picture.data[at], picture.data[at + 1], picture.data[at + 2]] as [number, number, number];
}
