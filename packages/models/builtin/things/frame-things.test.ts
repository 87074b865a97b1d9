import { expect, test } from 'vitest';
import { decodeFrames, encodeFrames, type FrameThings, mostClasses, mostObjects } from './frame-things.ts';

const dog: FrameThings['objects'][number] = {
  kind: 17,
  score: 0.8,
  box: { top: 0.1, left: 0.2, bottom: 0.9, right: 1 },
  colours: ['black', 'brown', 'pink'],
};
const collie = { number: 999, probability: 0.6 };

test('frames are read as they were written, within steps of 1/255', () => {
  const frames = [
    { objects: [dog, { ...dog, kind: 89, colours: [] }], classes: [collie] },
    { objects: [], classes: [] },
  ];
  const read = decodeFrames(encodeFrames(frames));
  expect(read.map(({ objects }) => objects.map(({ kind, colours }) => [kind, colours]))).toEqual([
    [
      [17, ['black', 'brown', 'pink']],
      [89, []],
    ],
    [],
  ]);
  expect(read[0]?.classes[0]?.number).toBe(999);
  const [first] = read[0]?.objects ?? [];
  for (const [value, wanted] of [
    [first?.score, 0.8],
    [first?.box.top, 0.1],
    [first?.box.left, 0.2],
    [first?.box.bottom, 0.9],
    [first?.box.right, 1],
    [read[0]?.classes[0]?.probability, 0.6],
  ] as const) {
    expect(Math.abs((value ?? Number.NaN) - wanted)).toBeLessThanOrEqual(1 / 510 + 1e-9);
  }
});

test('a frame takes 200 bytes at most', () => {
  const full = {
    objects: Array.from({ length: mostObjects }, () => dog),
    classes: Array.from({ length: mostClasses }, () => collie),
  };
  expect(encodeFrames([full]).length).toBeLessThanOrEqual(200);
  expect(decodeFrames(encodeFrames([full, full]))).toHaveLength(2);
});

test('nothing is known of bytes that are cut off, nor of none', () => {
  const bytes = encodeFrames([{ objects: [dog], classes: [collie] }]);
  for (let length = 0; length < bytes.length; length++) expect(decodeFrames(bytes.subarray(0, length))).toEqual([]);
});
