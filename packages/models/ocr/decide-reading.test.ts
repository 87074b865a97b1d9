import { expect, test } from 'vitest';
import { drawImage, type Paint } from '../../media/samples/draw-media.ts';
import { createCameraWatch } from './camera-motion.ts';
import { createReadingPlan } from './decide-reading.ts';
import { toEdgePicture } from './edge-picture.ts';
import type { TimedEdges } from './text-tracks.ts';

const [width, height] = [320, 180];
const ink = (a: number, b: number) => Math.sin(a * a * 3 + b * b * 5 + a * b * 7);

/** A landscape that a camera pans over, with blotches of some width, and marks like a caption before it. */
const shot =
  (wide: number, left: number, hasCaption = false): Paint =>
  (x, y) => {
    const [column, row] = [Math.floor(x * width), Math.floor(y * height)];
    const isCaption = hasCaption && column >= 100 && column < 220 && row >= 150 && row < 162;
    const value = isCaption
      ? 128 + 120 * Math.sign(ink(column >> 2, row >> 2))
      : 128 + 100 * ink(Math.floor((column + left) / wide), Math.floor(row / (wide - 2)));
    return [value, value, value];
  };

/** What is done with frames that show no text that can be read, every half second. */
function decide(paints: Paint[]): string[] {
  const plan = createReadingPlan();
  const watch = createCameraWatch();
  let before: TimedEdges | undefined;
  return paints.map((paint, i) => {
    const edges = toEdgePicture(drawImage(paint, width, height));
    const motion = watch(edges);
    const camera = { x: (before?.camera.x ?? 0) + motion.shift.x, y: (before?.camera.y ?? 0) + motion.shift.y };
    const now = { time: i / 2, edges, camera };
    const look = plan.choose({ before, now, motion, isLast: false, shown: 0, missed: 0, travelled: 0 });
    before = now;
    if (look === 'read' || look === 'guess') plan.noteReading(now, 0, 0);
    if (look === 'glance') plan.noteGlance(now);
    return look;
  });
}

/** The frames that are read. */
const readAt = (looks: string[]): number[] => [...looks.keys()].filter((i) => looks[i] === 'read');

const pan = (frames: number, wide: number, hasCaption?: (frame: number) => boolean): Paint[] =>
  Array.from({ length: frames }, (_, i) => shot(wide, 13 * i, hasCaption?.(i)));

test('while the camera moves each shot is read once, and glanced at where it has brought something new', () => {
  const looks = decide([...pan(12, 9), ...pan(12, 23)]);
  expect(looks[0]).toBe('read');
  expect(looks[12]).toBe('read');
  expect(looks.filter((look) => look === 'read')).toHaveLength(2);
  // It crosses the picture in twelve seconds.
  expect(looks.filter((look) => look === 'glance').length).toBeGreaterThan(0);
  expect(looks.filter((look) => look === 'glance').length).toBeLessThan(5);
});

test('what stands still before a camera that moves is looked at closely within a second, and more rarely where it is no text', () => {
  const looks = decide(pan(24, 9, (frame) => frame >= 4));
  expect(looks.slice(4, 7)).toContain('guess');
  expect(looks.filter((look) => look !== 'none').length).toBeLessThan(9);
});

test('a picture that changes is read every eight seconds, whatever it shows', () => {
  expect(readAt(decide(pan(36, 9)))).toEqual([0, 16, 32]);
});

test('a camera that moves wildly makes no new shot of each frame', () => {
  const wild = Array.from({ length: 26 }, (_, i) => shot(9 + 7 * (i % 2), 101 * i));
  // Four seconds after the first, and eight seconds after that.
  expect(readAt(decide(wild))).toEqual([0, 8, 24]);
});
