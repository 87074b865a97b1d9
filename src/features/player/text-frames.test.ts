import { expect, test } from 'vitest';
import { textsAt } from './text-frames.tsx';

const box = { x: 0, y: 0, width: 0.1, height: 0.1 };

test('a text is framed while it is shown, and one of a single frame for half a second', () => {
  const [sign, flash] = [
    { start: 2, end: 6, box },
    { start: 4, end: 4, box },
  ];
  const shownAt = (time: number) => textsAt([sign, flash], time);
  expect(shownAt(1.9)).toEqual([]);
  expect(shownAt(1.99)).toEqual([sign]);
  expect(shownAt(4.4)).toEqual([sign, flash]);
  expect(shownAt(4.6)).toEqual([sign]);
  expect(shownAt(6.1)).toEqual([]);
});
