import { expect, test } from 'vitest';
import { checkers, drawPicture, type Paint, plain } from '../samples/draw-media.ts';
import { createShotDetector, detectorSize } from './shot-detector.ts';

const fps = 25;

/** Feeds scenes of so many frames each; returns the frame numbers where cuts were seen. */
function cutsIn(scenes: { paint: Paint; frames: number }[]): number[] {
  const detector = createShotDetector();
  const cuts: number[] = [];
  let frame = 0;
  for (const { paint, frames } of scenes) {
    for (let i = 0; i < frames; i++) {
      const picture = drawPicture(paint, detectorSize.width, detectorSize.height, i / fps);
      for (const cut of detector.push(picture, frame / fps)) cuts.push(Math.round(cut * fps));
      frame += 1;
    }
  }
  return cuts;
}

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

test('a fade through black is one boundary, in the black', () => {
  const out: Paint = (_x, _y, time) => [200 * Math.max(0, 1 - time), 0, 0];
  const into: Paint = (_x, _y, time) => [0, 0, 200 * Math.min(1, time)];
  const cuts = cutsIn([
    { paint: red, frames: 25 },
    { paint: out, frames: 25 },
    { paint: into, frames: 25 },
    { paint: blue, frames: 25 },
  ]);
  expect(cuts).toHaveLength(1);
  expect(cuts[0]).toBeGreaterThan(40);
  expect(cuts[0]).toBeLessThan(62);
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
  const picture = plain(200, 180, 45);
  expect(
    cutsIn([
      { paint: plain(0, 0, 0), frames: 20 },
      { paint: picture, frames: 30 },
    ]),
  ).toEqual([20]);
});
