import { parseExpression } from '@media-search/search-engine/text/expression';
import { describe as group, expect, test } from 'vitest';
import type { KnownName } from './condition.ts';
import { describe, parseConditions } from './parse-conditions.ts';

const names: KnownName[] = [
  { field: 'creator_id', value: 'c1', name: 'Anna Meyer' },
  { field: 'creator_id', value: 'c2', name: 'Golden Gate Films' },
  { field: 'creator_id', value: 'c3', name: 'May Chen' },
  { field: 'collection_ids', value: 'k1', name: 'Summer 2023' },
  { field: 'collection_ids', value: 'k2', name: 'Old Archive' },
  { field: 'tag_ids', value: 't1', name: 'red' },
  { field: 'tag_ids', value: 't2', name: 'night shoot' },
  { field: 'tag_ids', value: 't3', name: 'approved' },
  { field: 'category_id', value: 'g1', name: 'nature' },
  { field: 'place', value: 'Paris, France', name: 'Paris, France' },
  { field: 'place', value: 'New York', name: 'New York' },
  { field: 'camera', value: 'GoPro HERO11', name: 'GoPro HERO11' },
];

/** What is taken out of a sentence on Wednesday 2026-06-17: certain parameters, preferred ones, and the rest of the words. */
function parse(sentence: string, now = new Date('2026-06-17T12:00:00Z'), zone = 'UTC') {
  const conditions = parseConditions(sentence, { names, now, zone });
  const parameters = (certain: boolean): unknown =>
    Object.assign({}, ...conditions.filter((each) => each.certain === certain).map((each) => each.parameters));
  return { filters: parameters(true), preferred: parameters(false), words: describe(sentence, conditions) };
}

const days = (from?: string, before?: string) => ({
  ...(from === undefined ? {} : { taken_after: from }),
  ...(before === undefined ? {} : { taken_before: before }),
});

group('dates', () => {
  test.each([
    ['last summer', days('2025-06-01', '2025-09-01')],
    ['this summer', days('2026-06-01', '2026-09-01')],
    ['last winter', days('2025-12-01', '2026-03-01')],
    ['in May', days('2026-05-01', '2026-06-01')],
    ['in July', days('2025-07-01', '2025-08-01')],
    ['in May 2024', days('2024-05-01', '2024-06-01')],
    ['before Christmas', days(undefined, '2025-12-25')],
    ['yesterday', days('2026-06-16', '2026-06-17')],
    ['from 2019 to 2021', days('2019-01-01', '2022-01-01')],
    ['from March to May 2024', days('2024-03-01', '2024-06-01')],
    ['from November to February 2024', days('2023-11-01', '2024-03-01')],
    ['since 2022', days('2022-01-01')],
    ['after 2022', days('2023-01-01')],
    ['last week', days('2026-06-08', '2026-06-15')],
    ['last weekend', days('2026-06-13', '2026-06-15')],
    ['on Monday', days('2026-06-15', '2026-06-16')],
    ['on Wednesday', days('2026-06-17', '2026-06-18')],
    ['last Wednesday', days('2026-06-10', '2026-06-11')],
    ['in the last 30 days', days('2026-05-18', '2026-06-18')],
    ['on 31 December 2025', days('2025-12-31', '2026-01-01')],
    ['on 12.05.2024', days('2024-05-12', '2024-05-13')],
    ['no later than 2019', days(undefined, '2020-01-01')],
    ['up to and including 2010', days(undefined, '2011-01-01')],
    ['from 12.05.2024 to 14.05.2024', days('2024-05-12', '2024-05-15')],
    ['in the past 48 hours', days('2026-06-15', '2026-06-18')],
    ['from 2018/2019', days('2018-01-01', '2020-01-01')],
    ['at Easter 2025', days('2025-04-20', '2025-04-21')],
    ['on Thanksgiving 2024', days('2024-11-28', '2024-11-29')],
  ])('dogs %s', (when, filters) => {
    expect(parse(`dogs ${when}`)).toEqual({ filters, preferred: {}, words: 'dogs' });
  });

  test.each([
    'at night',
    'in spring',
    'may I help',
    'a march in the street',
    'in 2031',
    'second hand',
    '"last summer"',
    'not from 2023',
    'the sun',
    'last day of school',
  ])('%s is none', (text) => {
    expect(parse(text)).toEqual({ filters: {}, preferred: {}, words: text });
  });

  test('a day is one of the calendar of who asks', () => {
    const now = new Date('2026-06-17T23:30:00Z');
    expect(parse('today', now).filters).toEqual(days('2026-06-17', '2026-06-18'));
    expect(parse('today', now, 'Europe/Berlin').filters).toEqual(days('2026-06-18', '2026-06-19'));
  });

  test('a day of which the month cannot be told is preferred both ways', () => {
    const found = parseConditions('a market on 3/4/2025', { names, now: new Date('2026-06-17'), zone: 'UTC' });
    expect(found.map(({ certain, parameters }) => [certain, parameters.taken_after])).toEqual([
      [false, '2025-03-04'],
      [false, '2025-04-03'],
    ]);
  });
});

test.each([
  ['videos of dogs', { type: 'video' }, 'dogs'],
  ['dog photos', { type: 'image' }, 'dog'],
  ['clips by Anna of a harbour', { type: 'video', creator_id: 'c1' }, 'a harbour'],
  ['Anna’s photos of flowers', { type: 'image', creator_id: 'c1' }, 'flowers'],
  ['a bridge from Golden Gate Films', { creator_id: 'c2' }, 'a bridge'],
  ['fog in the collection Summer 2023', { collection_id: 'k1' }, 'fog'],
  ['from the collection "Old Archive"', { collection_id: 'k2' }, ''],
  ['tagged night shoot, a fox', { tag_id: 't2' }, 'a fox'],
  ['birds in the category nature', { category_id: 'g1' }, 'birds'],
  ['a cafe in Paris', { place: 'Paris, France' }, 'a cafe'],
  ['surfing, shot on a GoPro', { camera: 'GoPro HERO11' }, 'surfing'],
  ['GoPro footage of waves', { camera: 'GoPro HERO11', type: 'video' }, 'waves'],
  ['waves longer than a minute', { duration_min: 60 }, 'waves'],
  ['waves under 30 s', { duration_max: 30 }, 'waves'],
  ['waves between 1:30 and 2 minutes', { duration_min: 90, duration_max: 120 }, 'waves'],
  ['30-second clips of waves', { duration_min: 29.5, duration_max: 30.5, type: 'video' }, 'waves'],
  ['vertical videos of waves', { orientation: 'portrait', type: 'video' }, 'waves'],
  ['waves in landscape format', { orientation: 'landscape' }, 'waves'],
  ['square photos of waves', { orientation: 'square', type: 'image' }, 'waves'],
  ['at least four stars, waves', { rating_min: 4 }, 'waves'],
  ['waves rated above 3', { rating_min: 4 }, 'waves'],
  ['unrated clips', { rating_max: 0, type: 'video' }, ''],
  ['someone says "good morning"', { in: 'speech', words: '"good morning"' }, ''],
  ['a woman says thank you in New York', { in: 'speech', words: 'thank you', place: 'New York' }, 'a woman'],
  ['a sign that says exit', { in: 'ocr', words: 'exit' }, 'a sign'],
  ['shows the word exit', { in: 'ocr', words: 'exit' }, ''],
  ['the text "exit" on a garden fence', { in: 'ocr', words: '"exit"' }, 'a garden fence'],
  ['spoken words "mind the gap"', { in: 'speech', words: '"mind the gap"' }, ''],
  // What has a part of the sentence for itself is no part of what is shown.
  ['fog, New York', { place: 'New York' }, 'fog'],
  ['New York: fog', { place: 'New York' }, 'fog'],
  ['fog, GoPro HERO11, 2019', { camera: 'GoPro HERO11', ...days('2019-01-01', '2020-01-01') }, 'fog'],
  ['Golden Gate Films, cable cars', { creator_id: 'c2' }, 'cable cars'],
  ['approved, cable cars', { tag_id: 't3' }, 'cable cars'],
  ['an approved picture of a tram', { tag_id: 't3', type: 'image' }, 'a tram'],
  ['tag is red, creator is Anna Meyer', { tag_id: 't1', creator_id: 'c1' }, ''],
  ['whatever May Chen made last month', { creator_id: 'c3', ...days('2026-05-01', '2026-06-01') }, ''],
  ['taken in summer 2023: waves', days('2023-06-01', '2023-09-01'), 'waves'],
  ['vidoes of waves', { type: 'video' }, 'waves'],
  ['waves, must be a video', { type: 'video' }, 'waves'],
  ['a short clip (under one minute) of waves', { type: 'video', duration_max: 60 }, 'waves'],
  ['exactly three stars, waves', { rating_min: 3, rating_max: 3 }, 'waves'],
  ['waves, 2 minutes max', { duration_max: 120 }, 'waves'],
  ['clips within 30 seconds', { duration_max: 30, type: 'video' }, ''],
  ['clips under 30 s long', { duration_max: 30, type: 'video' }, ''],
  // What must not be in it is no thing that photos are beside.
  ['photos without dogs', { type: 'image' }, 'without dogs'],
  ['photos -dog', { type: 'image' }, '-dog'],
  ['pictures without people', { type: 'image' }, 'without people'],
  ['vertical photos without people', { type: 'image', orientation: 'portrait' }, 'without people'],
  ['tram photos by Anna -dog', { type: 'image', creator_id: 'c1' }, 'tram -dog'],
  ['said "hello"', { in: 'speech', words: '"hello"' }, ''],
  ['“exit” written on it, a door', { in: 'ocr', words: '"exit"' }, 'a door'],
  ['somebody says hello AND a dog', { in: 'speech', words: 'hello' }, 'a dog'],
  ['A SIGN SAYS ROCK AND ROLL', { in: 'ocr', words: 'ROCK AND ROLL' }, 'A SIGN'],
])('%s', (sentence, filters, words) => {
  expect(parse(sentence)).toMatchObject({ filters, words });
  expect(Object.keys(parse(sentence).filters as object).toSorted()).toEqual(Object.keys(filters).toSorted());
});

test.each([
  ['Paris Hilton', { place: 'Paris, France' }],
  ['a red car', { tag_id: 't1' }],
  ['May on a bicycle', { creator_id: 'c3' }],
  ['the Golden Gate bridge', { creator_id: 'c2' }],
  ['somebody with a GoPro', { camera: 'GoPro HERO11' }],
  ['two stars in the sky', { rating_min: 2, rating_max: 2 }],
  ['Summer 2023', { collection_id: 'k1' }],
  ['portrait photos', {}],
  // A wish or a guess is no filter.
  ['trees, ideally from 2019', days('2019-01-01', '2020-01-01')],
  ['a tram in Paris, I think', { place: 'Paris, France' }],
  ['Christmas 2020', days('2020-12-25', '2020-12-26')],
  ['the night before Christmas', {}],
  ['a night sky without stars', { rating_max: 0 }],
  ['over an hour late', { duration_min: 3600 }],
  ['a woman taking a picture with a GoPro', { camera: 'GoPro HERO11' }],
  ['by Anna and May Chen', {}],
])('%s stays, and is preferred', (sentence, preferred) => {
  const parsed = parse(sentence);
  expect(parsed.preferred).toMatchObject(preferred);
  expect(parsed.words).toBe(sentence.replace(' photos', ''));
});

test.each([
  'a man taking photos of a tower',
  'a video game on a screen',
  'a town square',
  'a model walking',
  'a five-star hotel',
  'no videos please',
  'a street without Anna',
  'flight 2049',
  'the 2024 election',
  'hair clips',
  'Anna Meyer works at a desk',
  // What is quoted is searched for as it is, and so is what must not be there.
  '"he said hello"',
  '"somebody says hello" and "a dog"',
  '"a man says stop" then "a car"',
  'a dog -"said hello"',
  '"a sign reads stop"',
  '“said ferry” and “a dog”',
  'a beach without anybody saying hello',
  // One of several things, or one after the other, is more than what is said.
  'somebody says hello OR a dog',
  'a man says stop THEN a car',
  'a man THEN photos',
])('%s is all description', (sentence) => {
  const { filters, words } = parse(sentence);
  expect({ filters, words }).toEqual({ filters: {}, words: sentence });
});

group('seconds between steps', () => {
  const steps = '"a man" then "a woman"';
  test.each([
    [`${steps} within 30 s`, {}, 30],
    [`${steps} within 30 s last summer`, days('2025-06-01', '2025-09-01'), 30],
    [`${steps} within 30 s in 2026`, days('2026-01-01', '2027-01-01'), 30],
    [`in 2025: ${steps} within 20 s`, days('2025-01-01', '2026-01-01'), 20],
    [`${steps} in 2025, within 20 s`, days('2025-01-01', '2026-01-01'), 20],
    [`${steps} within 20 s by Anna Meyer`, { creator_id: 'c1' }, 20],
    [`${steps} within 20 s longer than 5 s`, { duration_min: 5 }, 20],
    ['a man THEN a woman within 20 s last summer', days('2025-06-01', '2025-09-01'), 20],
    [`${steps} within 99999 s`, {}, 3600],
    [`${steps} within a minute`, {}, 60],
  ])('%s', (sentence, filters, within) => {
    const parsed = parse(sentence);
    expect(parsed.filters).toEqual(filters);
    expect(parseExpression(parsed.words)).toMatchObject({ steps: { length: 2 }, within });
    expect(parseExpression(parsed.words)?.steps).toEqual([[['a man']], [['a woman']]]);
  });

  test('are no length, however they are said', () => {
    expect(parse(`${steps} within thirty seconds`).filters).toEqual({});
    expect(parse('a man THEN a woman within two minutes of each other').filters).toEqual({});
  });

  test.each(['a goal within 30 s', 'two goals within a minute'])('%s is a length only perhaps', (sentence) => {
    expect(parse(sentence)).toMatchObject({ filters: {}, preferred: {}, words: sentence });
    expect(Object.keys(parse(sentence).preferred as object)).toEqual(['duration_max']);
  });

  test('a word that begins like “long” is not cut', () => {
    expect(parse('clips over 30 s longboarding').words).toBe('longboarding');
  });
});

test('one of two is neither a filter: both are preferred', () => {
  const found = parseConditions('tagged red or night shoot', { names, now: new Date('2026-06-17'), zone: 'UTC' });
  expect(found.map(({ certain, parameters }) => [certain, parameters.tag_id])).toEqual([
    [false, 't1'],
    [false, 't2'],
  ]);
});

test('places are those of the sentence', () => {
  const sentence = 'two cats  in Paris, 🐈 tagged red';
  for (const { text, start, end } of parseConditions(sentence, { names, now: new Date(), zone: 'UTC' })) {
    expect(sentence.slice(start, end)).toBe(text);
  }
  expect(describe(sentence, parseConditions(sentence, { names, now: new Date(), zone: 'UTC' }))).toBe('two cats, 🐈');
});

test.each(['  2 minutes ', ' ', 'from 2019 to ', 'sign that says "a ', '1-', '🐈', 'shot on a '])(
  '“%s” over and over takes no time that others would wait for',
  (part) => {
    for (const text of [part.repeat(500), part.trim().repeat(500)]) {
      const began = performance.now();
      parse(text.slice(0, 500));
      expect(performance.now() - began).toBeLessThan(1000);
    }
  },
);

test('a text of many words is no sentence with conditions', () => {
  expect(parse(`dogs in May 2024 ${'very '.repeat(40)}`).filters).toEqual({});
  expect(parse(`dogs in May 2024 ${'very '.repeat(35)}`).filters).toEqual(days('2024-05-01', '2024-06-01'));
});

test('a time zone that does not exist is refused', () => {
  expect(() => parse('today', new Date(), 'Mars/Olympus')).toThrow(RangeError);
});
