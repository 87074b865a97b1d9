import { expect, test } from 'vitest';
import { drawImage, type Paint } from '../../media/samples/draw-media.ts';
import { toEdgePicture } from './edge-picture.ts';
import { createTextTracks, type TimedEdges } from './text-tracks.ts';

const [width, height] = [320, 180];

/** A line like text, 120 pixels by 10, which begins at these pixels. */
const line =
  (left: number, top: number): Paint =>
  (x, y) => {
    const [column, row] = [Math.floor(x * width) - left, Math.floor(y * height) - top];
    const cell = Math.floor(column / 4) * 7 + Math.floor(row / 4) * 13 + 1;
    const isInk = column >= 0 && column < 120 && row >= 0 && row < 10 && Math.sin(cell * cell) > 0;
    return isInk ? [250, 250, 250] : [90, 90, 90];
  };

const frame = (time: number, left: number, top: number): TimedEdges => ({
  time,
  edges: toEdgePicture(drawImage(line(left, top), width, height)),
  camera: { x: 0, y: 0 },
});

test.each([
  ['upper', 6, 14, { y: 11.6, height: 20 }],
  ['lower', -6, 150, { y: 144.4, height: 30.4 }],
])('a box is inside the picture where its line scrolls over the %s edge', (_, step, top, box) => {
  const history = [frame(0, 100, top - 2 * step), frame(0.5, 100, top - step), frame(1, 100, top)];
  const tracks = createTextTracks();
  const place = { x: 100 / width, y: box.y / height, width: 120 / width, height: box.height / height };
  tracks.update([{ text: 'Directed by Ada', confidence: 0.9, box: place }], history);
  tracks.cut(1.5);
  const [line, ...others] = tracks.take(Infinity);
  expect(others).toEqual([]);
  // It is followed back to the edge.
  expect(line?.start).toBeLessThan(1);
  const { y = -1, height: high = 2 } = line?.box ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + high).toBeLessThanOrEqual(1);
});
