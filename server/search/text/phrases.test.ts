import { expect, test } from 'vitest';
import { createTextReader, holdsPhrase } from './phrases.ts';

const textsOf = (slot: number) => ({ text: `text of ${slot}`, filename: 'film.mp4', tags: '' });

test('each text is read once, and two million letters at most', () => {
  const asked: number[] = [];
  const read = createTextReader((slots) => {
    asked.push(...slots);
    return slots.map((slot) => (slot === 7 ? undefined : textsOf(slot)));
  });
  expect(read([7, 8])).toEqual([undefined, textsOf(8)]);
  expect(read([8, 7, 9])).toEqual([textsOf(8), undefined, textsOf(9)]);
  expect(asked).toEqual([7, 8, 9]);
  const long = { text: 'x'.repeat(10_000), filename: '', tags: '' };
  const counted: number[] = [];
  const limited = createTextReader((slots) => {
    counted.push(...slots);
    return slots.map(() => long);
  });
  const found = limited(Array.from({ length: 5000 }, (_, slot) => slot));
  // In batches of 500.
  expect(counted).toHaveLength(500);
  expect(found.filter((texts) => texts !== undefined)).toHaveLength(500);
  expect(limited([4999, 0])).toEqual([undefined, long]);
});

test('the words of a phrase follow each other in one text, in any form', () => {
  const texts = { text: 'Red cars parked', filename: 'holidayParis.mp4', tags: 'sea' };
  expect(holdsPhrase(texts, ['red', 'car'])).toBe(true);
  expect(holdsPhrase(texts, ['car', 'red'])).toBe(false);
  expect(holdsPhrase(texts, ['holidai', 'pari'])).toBe(true);
  // The last word of one text and the first of the next are no phrase.
  expect(holdsPhrase(texts, ['park', 'sea'])).toBe(false);
});
