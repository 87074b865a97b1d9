import { expect, test } from 'vitest';
import { checkers, drawImage, type Paint, plain } from '../samples/draw-media.ts';
import { detectorSize } from './frame-features.ts';
import { createShotDetector } from './shot-detector.ts';

const fps = 25;

type Scene = { paint: Paint; frames: number };

/** Feeds scenes of so many frames each; returns the first frame that is no more of the old shot and the first of the new one. */
function changesIn(scenes: Scene[], timeOf = (frame: number): number => frame / fps): { from: number; to: number }[] {
  const detector = createShotDetector();
  const times: number[] = [];
  const changes = scenes.flatMap(({ paint, frames }) =>
    Array.from({ length: frames }, (_, i) => {
      const image = drawImage(paint, detectorSize.width, detectorSize.height, i / fps);
      times.push(timeOf(times.length));
      return detector.push(image, times.at(-1) as number);
    }).flat(),
  );
  changes.push(...detector.finish());
  const frameAt = (seconds: number) => times.findIndex((time) => time >= seconds - 1e-9);
  return changes.map(({ from, to }) => ({ from: frameAt(from), to: frameAt(to) }));
}

/** The numbers of the frames where new shots begin, all of which have to be cuts. */
function cutsIn(scenes: Scene[], timeOf?: (frame: number) => number): number[] {
  const changes = changesIn(scenes, timeOf);
  for (const { from, to } of changes) expect(from).toBe(to);
  return changes.map(({ to }) => to);
}

/** Something like a photograph: soft shapes of several colours; another for each seed. */
const photo =
  (seed: number, offset: (time: number) => [number, number] = () => [0, 0]): Paint =>
  (x, y, time) => {
    const [right, down] = offset(time);
    const [u, v] = [x + right, y + down];
    const wave = (i: number) =>
      128 + 60 * Math.sin(seed * (i + 1) + (3 + i + (seed % 3)) * u) + 60 * Math.cos(seed + i + (4 + (seed % 4)) * v);
    return [wave(0), wave(1), wave(2)];
  };
const mixed =
  (a: Paint, b: Paint, share: (x: number, time: number) => number): Paint =>
  (x, y, time) => {
    const [from, to, part] = [a(x, y, time), b(x, y, time), share(x, time)];
    return [0, 1, 2].map((i) => from[i]! + part * (to[i]! - from[i]!)) as [number, number, number];
  };

const red = plain(200, 20, 20);
const blue = plain(20, 40, 200);

test('hard cuts are found to the frame', () => {
  expect(
    cutsIn([
      { paint: red, frames: 30 },
      { paint: blue, frames: 40 },
      { paint: checkers(0.1), frames: 30 },
    ]),
  ).toEqual([30, 70]);
});

test('a flash is no cut', () => {
  const flash = plain(255, 255, 255);
  expect(
    cutsIn([
      { paint: checkers(0), frames: 30 },
      { paint: flash, frames: 1 },
      { paint: checkers(0), frames: 30 },
    ]),
  ).toEqual([]);
});

test('a pan and fast motion are no cuts', () => {
  expect(cutsIn([{ paint: checkers(0.3), frames: 60 }])).toEqual([]);
  expect(cutsIn([{ paint: checkers(1.7), frames: 60 }])).toEqual([]);
});

test('a slow change of light is no cut', () => {
  const dawn: Paint = (_x, _y, time) => [60 + 60 * time, 50 + 50 * time, 80 + 40 * time];
  expect(cutsIn([{ paint: dawn, frames: 75 }])).toEqual([]);
});

test('a fade through black is one change, which spans the black', () => {
  const out: Paint = (_x, _y, time) => [200 * Math.max(0, 1 - time), 0, 0];
  const into: Paint = (_x, _y, time) => [0, 0, 200 * Math.min(1, time)];
  const changes = changesIn([
    { paint: red, frames: 25 },
    { paint: out, frames: 25 },
    { paint: into, frames: 25 },
    { paint: blue, frames: 25 },
  ]);
  expect(changes).toHaveLength(1);
  const [{ from, to } = { from: 0, to: 0 }] = changes;
  expect(from).toBeGreaterThan(40);
  expect(from).toBeLessThanOrEqual(50);
  expect(to).toBeGreaterThanOrEqual(50);
  expect(to).toBeLessThan(66);
});

/** Brightness over frames that goes down to `1 / (half + 1)` and up again, as editors fade: no frame is black. */
const dipped =
  (before: Paint, after: Paint, half: number): Paint =>
  (x, y, time) => {
    const share = (Math.round(time * fps) + 1) / (2 * half + 1);
    const shown = share < 0.5 ? before : after;
    return shown(x, y, 0).map((value) => value * Math.abs(1 - 2 * share)) as [number, number, number];
  };

test.each([2, 3, 4, 5, 6])(
  'a quick fade over twice %i frames, none of which is black, is a cut where it is darkest',
  (half) => {
    const [before, after] = [photo(2), photo(5)];
    const scenes = (to: Paint) => [
      { paint: before, frames: 30 },
      { paint: dipped(before, to, half), frames: 2 * half },
      { paint: to, frames: 30 },
    ];
    const [cut, ...more] = cutsIn(scenes(after));
    expect(more).toEqual([]);
    expect(Math.abs((cut ?? 0) - 30 - half)).toBeLessThanOrEqual(1);
    // A lamp that goes out and on again.
    expect(cutsIn(scenes(before))).toEqual([]);
  },
);

test('a short dark shot between bright ones, at 12 frames a second, keeps both its cuts', () => {
  const dark: Paint = (x, y, time) => photo(9)(x, y, time).map((value) => value * 0.12) as [number, number, number];
  for (const frames of [5, 6, 12]) {
    expect(
      cutsIn(
        [
          { paint: photo(2), frames: 30 },
          { paint: dark, frames },
          { paint: photo(5), frames: 30 },
        ],
        (frame) => frame / 12,
      ),
    ).toEqual([30, 30 + frames]);
  }
});

test('long black is a shot of its own', () => {
  expect(
    cutsIn([
      { paint: red, frames: 30 },
      { paint: plain(0, 0, 0), frames: 50 },
      { paint: blue, frames: 30 },
    ]),
  ).toEqual([30, 80]);
});

test('black at the very beginning is no boundary, what follows it at once is', () => {
  const bright = plain(200, 180, 45);
  expect(
    cutsIn([
      { paint: plain(0, 0, 0), frames: 20 },
      { paint: bright, frames: 30 },
    ]),
  ).toEqual([20]);
});

test.each([1, 2, 3, 4])('a flash of %i frames is no cut, over all of the frame or a part', (frames) => {
  const still = photo(2);
  const part: Paint = (x, y, time) => (x < 0.5 ? [255, 250, 240] : still(x, y, time));
  for (const flash of [plain(255, 255, 255), part]) {
    expect(
      cutsIn([
        { paint: still, frames: 30 },
        { paint: flash, frames },
        { paint: still, frames: 30 },
      ]),
    ).toEqual([]);
  }
});

test('a camera that shakes or pans quickly hides no cut and makes none', () => {
  const shake = (time: number): [number, number] => [0.05 * Math.sin(40 * time), 0.06 * Math.cos(33 * time)];
  const pan = (time: number): [number, number] => [1.6 * time, 0];
  for (const move of [shake, pan]) {
    expect(
      cutsIn([
        { paint: photo(2, move), frames: 40 },
        { paint: photo(5, move), frames: 40 },
      ]),
    ).toEqual([40]);
  }
});

test('copies of frames and a varying frame rate change nothing', () => {
  const move = (time: number): [number, number] => [0.15 * time, 0];
  const doubled = (seed: number): Paint => {
    const paint = photo(seed, move);
    return (x, y, time) => paint(x, y, Math.floor(time * 12.5) / 12.5);
  };
  const scenes = [doubled(2), doubled(5), doubled(9)].map((paint) => ({ paint, frames: 40 }));
  expect(cutsIn(scenes)).toEqual([40, 80]);
  expect(cutsIn(scenes, (frame) => frame / fps + (frame % 7) / 300)).toEqual([40, 80]);
});

test.each([12, 20, 35])('a dissolve and a wipe over %i frames are one boundary within them', (frames) => {
  const [before, after] = [photo(2), photo(5)];
  const progress = (time: number) => (time * fps) / frames;
  for (const share of [
    (_: number, time: number) => progress(time),
    (x: number, time: number) => (x < progress(time) ? 1 : 0),
  ]) {
    const changes = changesIn([
      { paint: before, frames: 30 },
      { paint: mixed(before, after, share), frames },
      { paint: after, frames: 40 },
    ]);
    expect(changes).toHaveLength(1);
    const [{ from, to } = { from: 0, to: 0 }] = changes;
    // Neither shot keeps much of the mixture, and neither loses much of its own.
    const tenth = Math.ceil(frames / 8);
    expect(from).toBeGreaterThanOrEqual(30 - 10);
    expect(from).toBeLessThanOrEqual(30 + tenth);
    expect(to).toBeGreaterThanOrEqual(30 + frames - tenth);
    expect(to).toBeLessThanOrEqual(30 + frames + 10);
  }
});

test('the light that goes up is no new shot, and in the dark a cut is one', () => {
  const still = photo(2);
  const brighter: Paint = (x, y, time) =>
    still(x, y, time).map((value) => value * Math.min(1, 0.3 + time)) as [number, number, number];
  expect(cutsIn([{ paint: brighter, frames: 60 }])).toEqual([]);
  const dim = (paint: Paint): Paint => {
    return (x, y, time) => paint(x, y, time).map((value) => value * 0.15) as [number, number, number];
  };
  expect(
    cutsIn([
      { paint: dim(photo(2)), frames: 30 },
      { paint: dim(photo(5)), frames: 30 },
    ]),
  ).toEqual([30]);
});

test.each([
  [25, 10],
  [12.5, 5],
  [50, 20],
])('at %d frames a second a shot of %i frames (0.4 s) between two of the same scene is one', (rate, frames) => {
  const [scene, insert] = [photo(2), photo(5)];
  expect(
    cutsIn(
      [
        { paint: scene, frames: 30 },
        { paint: insert, frames },
        { paint: scene, frames: 30 },
      ],
      (frame) => frame / rate,
    ),
  ).toEqual([30, 30 + frames]);
});
