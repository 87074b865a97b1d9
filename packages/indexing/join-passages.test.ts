import { expect, test } from 'vitest';
import { joinPassages, nearestChunk, type PassageLine } from './join-passages.ts';

const none = { filename: 'IMG_2041.mp4', tags: '' };
let number = 0;
const line = (start: number, text: string, more: Partial<PassageLine> = {}): PassageLine => ({
  number: (number += 1),
  source: 'speech',
  track: null,
  language: 'en',
  start,
  end: start + 2,
  text,
  confidence: null,
  ...more,
});
const textsOf = (lines: PassageLine[], item = none) => joinPassages(lines, item).map(({ text }) => text);

test('lines of one sentence are one passage with the time of both, each sentence one of its own', () => {
  const first = line(0, 'I kept blaming myself', { confidence: 0.9 });
  const lines = [first, line(2, 'for what happened.', { confidence: 0.5 }), line(4, 'The train leaves at nine.')];
  expect(joinPassages(lines, none)).toEqual([
    {
      source: 'speech',
      language: 'en',
      start: 0,
      end: 4,
      confidence: 0.5,
      text: 'I kept blaming myself for what happened.',
      segment: first.number,
    },
    expect.objectContaining({ start: 4, end: 6, text: 'The train leaves at nine.', confidence: null }),
  ]);
});

test('a line of several sentences is a passage for each, in the part of its time that it takes', () => {
  const [first, second] = joinPassages([line(10, 'My mother baked bread. We ran out of petrol.', { end: 14 })], none);
  expect([first?.text, second?.text]).toEqual(['My mother baked bread.', 'We ran out of petrol.']);
  expect(first?.start).toBe(10);
  expect(first?.end).toBeCloseTo(12, 0);
  expect(second?.start).toBe(first?.end);
  expect(second?.end).toBeCloseTo(14, 5);
});

test.for([
  ['after a pause', [line(0, 'He was walking'), line(9, 'along the river.')]],
  ['of another track', [line(0, 'He was walking', { track: 1 }), line(2, 'along the river.', { track: 2 })]],
  ['that begins with a capital letter', [line(0, 'We took the ferry'), line(2, 'A red car passed.')]],
  ['from another source', [line(0, 'He was walking'), line(2, 'along the river.', { source: 'subtitle' })]],
] as const)('a line %s is another passage', ([, lines]) => {
  expect(textsOf([...lines])).toEqual(lines.map(({ text }) => text));
});

test('a short sentence is joined with the next; a passage has at most sixty words', () => {
  expect(textsOf([line(0, 'Why not?'), line(2, 'Because it rained all day.')])).toEqual([
    'Why not? Because it rained all day.',
  ]);
  const endless = Array.from({ length: 30 }, (_, i) => line(2 * i, 'and then they went on and on'));
  for (const text of textsOf(endless)) expect(text.split(' ').length).toBeLessThanOrEqual(60);
});

test('what is on the screen at one time is one passage, and what is shown again is none', () => {
  const sign = (start: number, text: string) => line(start, text, { source: 'ocr', language: null });
  expect(
    textsOf([sign(0, 'Grand opening'), sign(0.5, 'this Saturday'), sign(8, 'Free parking'), sign(20, 'Free parking')]),
  ).toEqual(['Grand opening this Saturday', 'Free parking']);
});

test('words that say little, and lines in another language, are left out', () => {
  expect(
    textsOf([line(0, 'Hm.'), line(9, '42'), line(20, 'Ich habe mir Vorwürfe gemacht.', { language: 'de' })]),
  ).toEqual([]);
});

test('so are lines and names in a script that the model does not read, whatever Latin letters stand beside', () => {
  const sign = line(0, '由此撕开 无菌创口贴 BANG.KE', { source: 'ocr', language: null });
  expect(textsOf([sign], { filename: '東京タワーの写真 one two.mp4', tags: '' })).toEqual([]);
});

test('names and tags that hold words are passages of the whole item', () => {
  const found = joinPassages([], { filename: 'birthdayParty_grandma.mp4', tags: 'A day at the sea\nAna' });
  expect(found.map(({ source, text, start, segment }) => [source, text, start, segment])).toEqual([
    ['filename', 'birthday Party grandma', null, null],
    ['tag', 'A day at the sea', null, null],
  ]);
});

test('a passage belongs to the chunk that has most of it, or the nearest', () => {
  const chunks = [
    { start: 0, end: 4 },
    { start: 4, end: 8 },
    { start: 10, end: 12 },
  ];
  expect(nearestChunk(chunks, { start: 3, end: 6 })).toBe(chunks[1]);
  expect(nearestChunk(chunks, { start: 8.2, end: 9 })).toBe(chunks[1]);
  expect(nearestChunk(chunks, { start: 13, end: 14 })).toBe(chunks[2]);
  expect(nearestChunk(chunks, { start: null, end: null })).toBe(chunks[0]);
  expect(nearestChunk([], { start: 0, end: 1 })).toBeUndefined();
});
