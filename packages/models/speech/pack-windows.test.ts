import { expect, test } from 'vitest';
import { createWindowPacker, restOf, type SpeechWindow, toItemTime } from './pack-windows.ts';

const span = (start: number, seconds: number) => ({ start, samples: new Float32Array(seconds * 16_000).fill(start) });

test('spans are joined to windows of at most 28 s, in order, with nothing left out', () => {
  const packer = createWindowPacker();
  const windows = [span(0, 10), span(12, 10), span(30, 12), span(100, 2), span(103, 3)]
    .map((each) => packer.push(each))
    .concat(packer.flush())
    .filter((window) => window !== null);
  expect(windows.map(({ pieces }) => pieces)).toEqual([
    [
      { offset: 0, start: 0 },
      { offset: 10, start: 12 },
    ],
    [{ offset: 0, start: 30 }],
    // Far from the one before: what was found is stored before more is waited for.
    [
      { offset: 0, start: 100 },
      { offset: 2, start: 103 },
    ],
  ]);
  expect(windows.map(({ samples }) => samples.length / 16_000)).toEqual([20, 12, 5]);
  expect(windows[0]?.samples[10 * 16_000]).toBe(12);
  expect(packer.flush()).toBeNull();
});

const window: SpeechWindow = {
  samples: new Float32Array(10 * 16_000),
  pieces: [
    { offset: 0, start: 100 },
    { offset: 4, start: 120 },
  ],
};

test.each([
  ['within a piece', { start: 1, end: 2 }, { start: 101, end: 102 }],
  ['within the next', { start: 5, end: 6 }, { start: 121, end: 122 }],
  ['a word that reaches into the pause is clipped to its piece', { start: 3, end: 4.5 }, { start: 103, end: 104 }],
  ['one that begins in it belongs to what follows', { start: 3.5, end: 5 }, { start: 120, end: 121 }],
  ['without length', { start: 4, end: 4 }, { start: 120, end: 120 }],
])('the time on the item’s clock: %s', (_, inWindow, onItem) => {
  expect(toItemTime(window, inWindow)).toEqual(onItem);
});

test('the rest of a window keeps its times', () => {
  const rest = restOf(window, 3, 2);
  expect(rest?.samples.length).toBe(7 * 16_000);
  expect(toItemTime(rest as SpeechWindow, { start: 0, end: 0.5 })).toEqual({ start: 103, end: 103.5 });
  expect(toItemTime(rest as SpeechWindow, { start: 2, end: 3 })).toEqual({ start: 121, end: 122 });
  expect(restOf(window, 9, 2)).toBeNull();
});
