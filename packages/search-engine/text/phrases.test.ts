import { expect, test } from 'vitest';
import { stemOf } from './analyse-text.ts';
import { createTextLoader, holdsPhrase } from './phrases.ts';
import type { IndexedTexts } from './text-segment.ts';
import { allSources, toSourceSet } from './text-sources.ts';

/** A text of a chunk. */
const said = (text: string): IndexedTexts['texts'] => [{ source: 'speech', text }];
const textsOf = (slot: number): IndexedTexts => ({ texts: said(`text of ${slot}`), filename: 'film.mp4', tags: '' });

test('each text is read once, and two million letters at most', async () => {
  const asked: number[] = [];
  const read = createTextLoader((slots) => {
    asked.push(...slots);
    return slots.map((slot) => (slot === 7 ? undefined : textsOf(slot)));
  }, allSources);
  expect(await read([7, 8])).toEqual([undefined, textsOf(8)]);
  expect(await read([8, 7, 9])).toEqual([textsOf(8), undefined, textsOf(9)]);
  expect(asked).toEqual([7, 8, 9]);
  const long = { texts: said('x'.repeat(10_000)), filename: '', tags: '' };
  const counted: number[] = [];
  const limited = createTextLoader((slots) => {
    counted.push(...slots);
    return slots.map(() => long);
  }, allSources);
  const found = await limited(Array.from({ length: 5000 }, (_, slot) => slot));
  // In batches of 500.
  expect(counted).toHaveLength(500);
  expect(found.filter((texts) => texts !== undefined)).toHaveLength(500);
  expect(await limited([4999, 0])).toEqual([undefined, long]);
});

test('the words of a phrase follow each other in one text, in any form', () => {
  const texts = { texts: said('Red cars parked'), filename: 'holidayParis.mp4', tags: 'sea' };
  expect(holdsPhrase(texts, ['red', 'car'])).toBe(true);
  expect(holdsPhrase(texts, ['car', 'red'])).toBe(false);
  expect(holdsPhrase(texts, ['holidai', 'pari'])).toBe(true);
  // The last word of one text and the first of the next are no phrase.
  expect(holdsPhrase(texts, ['park', 'sea'])).toBe(false);
});

test('a phrase goes on in the next line of its subtitle track, not in another track between', () => {
  const texts: IndexedTexts = {
    texts: [
      { source: 'subtitle', track: 2, text: 'the elephant walks' },
      { source: 'subtitle', track: 3, text: 'Der Elefant' },
      { source: 'subtitle', track: 2, text: 'across the road' },
      { source: 'subtitle', track: 3, text: 'geht hinaus' },
    ],
    filename: 'film.mkv',
    tags: '',
  };
  const held = (...words: string[]) => holdsPhrase(texts, words.map(stemOf));
  expect(held('walks', 'across')).toBe(true);
  expect(held('road', 'geht')).toBe(false);
  expect(held('elefant', 'geht')).toBe(true);
  expect(held('walks', 'der')).toBe(false);
});

test('a phrase is held by one source that is wanted; what is spoken goes on in the next line', async () => {
  const texts: IndexedTexts = {
    texts: [
      { source: 'speech', text: 'we go to the' },
      { source: 'ocr', text: 'ferry' },
      { source: 'ocr', text: 'terminal' },
      { source: 'speech', text: 'ferry today' },
      { source: 'subtitle', text: 'at nine' },
    ],
    filename: 'red_car.mp4',
    tags: 'blue car',
  };
  expect(holdsPhrase(texts, ['the', 'ferri'])).toBe(true);
  // Two signs are no sentence, and neither are words of which one is heard and one is seen.
  expect(holdsPhrase(texts, ['ferri', 'termin'])).toBe(false);
  expect(holdsPhrase(texts, ['todai', 'at'])).toBe(false);
  const held = async (sources: Parameters<typeof toSourceSet>[0], ...stems: string[]) => {
    const [limited] = await createTextLoader(() => [texts], toSourceSet(sources))([0]);
    return holdsPhrase(limited as IndexedTexts, stems);
  };
  expect(await held(['speech'], 'the', 'ferri')).toBe(true);
  expect(await held(['ocr', 'filename'], 'the', 'ferri')).toBe(false);
  expect(await held(['filename'], 'red', 'car')).toBe(true);
  expect(await held(['tag'], 'red', 'car')).toBe(false);
  expect(await held(['tag'], 'blue', 'car')).toBe(true);
});
