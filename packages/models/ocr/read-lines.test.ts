import { expect, test } from 'vitest';
import { checkers, drawImage, type Paint, plain } from '../../media/samples/draw-media.ts';
import { drawText } from '../../media/testing/draw-text.ts';
import { emptyFrameDetail, loadLineReader, photoDetail } from './read-lines.ts';

const { signal } = new AbortController();

/** Soft colours that change over the picture, as behind a sign. */
const haze: Paint = (x, y) => [
  120 + 60 * Math.sin(7 * x),
  160 + 40 * Math.cos(5 * y),
  190 + 30 * Math.sin(9 * (x + y)),
];

test('lines are read with their boxes, whatever their size, colour and direction', async () => {
  const { readLines } = await loadLineReader(1);
  const picture = await drawText(drawImage(haze, 960, 540), [
    { text: 'Boarding Gate B17 opens at 10:45', left: 40, top: 30, size: 32 },
    { text: 'small print is sixteen pixels high', left: 500, top: 120, size: 16 },
    { text: 'No swimming in the harbour', left: 60, top: 200, size: 30, colour: '#fff8e0', turned: 9 },
    { text: 'BAKERY', left: 400, top: 350, size: 110, colour: '#7a1010' },
    { text: 'Platform seven', left: 880, top: 200, size: 28, turned: 90 },
  ]);
  const lines = await readLines(picture, photoDetail, signal);
  expect(lines.map(({ text }) => text).sort()).toEqual([
    'BAKERY',
    'Boarding Gate B17 opens at 10:45',
    'No swimming in the harbour',
    'Platform seven',
    'small print is sixteen pixels high',
  ]);
  const box = lines.find(({ text }) => text === 'BAKERY')?.box;
  expect(box?.x).toBeCloseTo(400 / 960, 1);
  expect(box?.y).toBeCloseTo(350 / 540, 1);
  expect(lines.every(({ confidence }) => confidence >= 0.8 && confidence <= 1)).toBe(true);
  // What may be looked at is bounded.
  expect(await readLines(picture, { ...photoDetail, maxLines: 2 }, signal)).toHaveLength(2);
});

test('a picture without text has no lines', async () => {
  const { readLines } = await loadLineReader(1);
  for (const paint of [plain(40, 90, 160), checkers(0), haze]) {
    expect(await readLines(drawImage(paint, 480, 270), photoDetail, signal)).toEqual([]);
  }
});

test('small letters are found in a frame that most likely has none', async () => {
  const { readLines } = await loadLineReader(1);
  const frame = await drawText(drawImage(haze, 1920, 270), [
    { text: 'The ferry leaves at noon', left: 700, top: 120, size: 16 },
  ]);
  expect((await readLines(frame, emptyFrameDetail, signal)).map(({ text }) => text)).toEqual([
    'The ferry leaves at noon',
  ]);
});
