import { expect, test } from 'vitest';
import { allFilters, itemFilters } from '../../../contract/fields.ts';
import { byField } from '../../lib/filter-url.ts';
import { matchFilters } from './match-filters.ts';
import type { Sources } from './offers.ts';

const label = (id: string, name: string, media_count = 1) => ({ id, name, media_count });
const sources: Sources = {
  labels: {
    creator: [label('c1', 'Ana Lima', 7), label('c2', 'Zoë Hart', 9), label('c3', 'Diana Ross', 2)],
    category: [label('k1', 'Interviews')],
    tag: [label('t1', 'Sunset'), label('t2', 'sea'), label('t3', 'Banana')],
    collection: [label('l1', 'Trip to Lisbon')],
    source: [label('s1', 'NAS')],
  },
  years: ['2026', '2019'],
  today: '2026-03-15',
};
const all = byField(allFilters);

const match = (typed: string, fields = all) => {
  const { fields: found, values } = matchFilters(typed, fields, sources);
  return {
    fields: found.map(({ label }) => label),
    values: values.map(({ of, text, changes }) => ({ text: `${of.label}: ${text}`, changes })),
  };
};
const texts = (typed: string) => match(typed).values.map(({ text }) => text);

test('every filter of the table is offered, and found by the beginning of its name', () => {
  const names = all.map(({ label }) => label);
  expect(new Set(all.flatMap(({ filters }) => filters))).toEqual(new Set(allFilters));
  expect(names).not.toContain('');
  expect(match('').fields).toEqual(names);
  for (const name of names) expect(match(name.slice(0, 3)).fields, name).toContain(name);
  expect(match('', byField(itemFilters)).fields).not.toContain('Status');
  expect(match('cat').fields).toEqual(['Category']);
});

test('values are found by what they are called, and change the URL', () => {
  expect(match('ana').values.slice(0, 2)).toEqual([
    { text: 'Creator: Ana Lima', changes: { creator: 'c1' } },
    // Within a word, after those that begin with it.
    { text: 'Creator: Diana Ross', changes: { creator: 'c3' } },
  ]);
  expect(match('sunset').values[0]).toEqual({ text: 'Tag: Sunset', changes: { tag: 't1' } });
  expect(match('5 stars').values[0]).toEqual({
    text: 'Rating: 5 stars',
    changes: { rating_min: '5', rating_max: undefined },
  });
  expect(match('video').values[0]).toEqual({ text: 'Type: Videos', changes: { type: 'video' } });
  // By the word of the API too.
  expect(match('image').values[0]).toEqual({ text: 'Type: Photos', changes: { type: 'image' } });
  expect(match('error').values[0]).toEqual({ text: 'Status: Failed', changes: { status: 'error' } });
  expect(match('not rated').values[0]?.changes).toEqual({ rating_min: undefined, rating_max: '0' });
  expect(match('lisbon').values[0]?.changes).toEqual({ collection: 'l1' });
  expect(match('nas').values[0]).toEqual({ text: 'Source: NAS', changes: { source: 's1' } });
});

test('case, accents and the order of words make no difference; the name of the filter may be typed too', () => {
  for (const typed of ['zoe', 'ZOË', 'hart zo', 'creator zoe'])
    expect(texts(typed)[0], typed).toBe('Creator: Zoë Hart');
  expect(texts('  ana ')[0]).toBe('Creator: Ana Lima');
});

test('two letters have to begin a word', () => {
  expect(texts('an')).toContain('Creator: Ana Lima');
  expect(texts('an')).not.toContain('Tag: Banana');
  expect(texts('ban')).toContain('Tag: Banana');
});

test('dates are found by what they are called and as numbers', () => {
  const dates = (typed: string) => match(typed).values.filter(({ text }) => text.startsWith('Date taken'));
  expect(dates('last month')[0]).toEqual({
    text: 'Date taken: Last month',
    changes: { from: '2026-02-01', to: '2026-02-28' },
  });
  expect(dates('today')[0]?.changes).toEqual({ from: '2026-03-15', to: '2026-03-15' });
  expect(dates('last 7')[0]?.changes).toEqual({ from: '2026-03-09', to: '2026-03-15' });
  expect(dates('2019')).toEqual([{ text: 'Date taken: 2019', changes: { from: '2019-01-01', to: '2019-12-31' } }]);
  expect(dates('1987')[0]?.changes).toEqual({ from: '1987-01-01', to: '1987-12-31' });
  expect(dates('2024-02')[0]?.changes).toEqual({ from: '2024-02-01', to: '2024-02-29' });
  expect(dates('2024-12')[0]?.changes).toEqual({ from: '2024-12-01', to: '2024-12-31' });
  expect(dates('2024-02-29')[0]?.changes).toEqual({ from: '2024-02-29', to: '2024-02-29' });
  for (const nonsense of ['2023-02-29', '2023-13', '2023-00-10', '0999', '20235']) expect(dates(nonsense)).toEqual([]);
});

test('whatever is typed can be looked for in names, where names are a filter', () => {
  expect(match('IMG_0042 ?').values).toEqual([
    { text: 'Name: contains “IMG_0042 ?”', changes: { name: 'IMG_0042 ?' } },
    { text: 'Codec: contains “IMG_0042 ?”', changes: { codec: 'IMG_0042 ?' } },
    { text: 'Camera: contains “IMG_0042 ?”', changes: { camera: 'IMG_0042 ?' } },
    { text: 'Lens: contains “IMG_0042 ?”', changes: { lens: 'IMG_0042 ?' } },
    { text: 'Place: contains “IMG_0042 ?”', changes: { place: 'IMG_0042 ?' } },
  ]);
  expect(match('xqzt', byField(itemFilters)).values.map(({ text }) => text)).toEqual([
    'Codec: contains “xqzt”',
    'Camera: contains “xqzt”',
    'Lens: contains “xqzt”',
    'Place: contains “xqzt”',
  ]);
  expect(texts('***')[0]).toEqual('Name: contains “***”');
});

test('before anything is typed, values of fields with few are there, and the labels that most items have', () => {
  expect(texts('')).toEqual([
    'Creator: Zoë Hart',
    'Creator: Ana Lima',
    'Creator: Diana Ross',
    'Category: Interviews',
    'Type: Videos',
    'Type: Photos',
    'Type: Audio',
    'Status: Queued',
    'Status: Processing',
    'Status: Ready',
    'Status: Failed',
    'Review: Not reviewed',
    'Review: Approved',
    'Review: Needs changes',
    'Source: NAS',
    'Orientation: Landscape',
    'Orientation: Portrait',
    'Orientation: Square',
    'Resolution: 8K',
    'Resolution: 4K',
    'Resolution: 1440p',
    'Resolution: 1080p (HD)',
    'Resolution: 720p',
    'Resolution: Below 720p',
    'Sound: With sound',
    'Sound: Without sound',
  ]);
});

test('a position that is typed is an area around it', () => {
  expect(match('53.55, 9.99').values.filter(({ text }) => text.startsWith('Area'))).toEqual([
    { text: 'Area: within 10 km of 53.55, 9.99', changes: { near: '53.55,9.99,10' } },
  ]);
  expect(match('53.55,9.99,2').values.find(({ text }) => text.startsWith('Area'))?.changes).toEqual({
    near: '53.55,9.99,2',
  });
  expect(texts('91, 9')).not.toContainEqual(expect.stringMatching(/^Area/));
});

test('names that items have are offered with how many have them, and counts of choices are those of now', () => {
  const counted = {
    ...sources,
    facets: { camera: [{ value: 'Canon EOS R5', count: 7 }], sound: [{ value: 'yes', count: 3 }] },
  };
  const offers = (typed: string) =>
    matchFilters(typed, all, counted).values.map(({ text, count, changes }) => ({ text, count, changes }));
  expect(offers('canon')[0]).toEqual({ text: 'Canon EOS R5', count: 7, changes: { camera: 'Canon EOS R5' } });
  expect(offers('with sound')[0]).toEqual({ text: 'With sound', count: 3, changes: { sound: 'yes' } });
  // None is a count too; what is not counted says nothing.
  expect(offers('without sound')[0]).toMatchObject({ count: 0 });
  expect(offers('square')[0]?.count).toBeUndefined();
});

test('of many labels that match the best are listed', () => {
  const many = Array.from({ length: 40 }, (_, i) => label(`t${i}`, `tag ${i}`));
  const { values } = matchFilters('tag', all, { ...sources, labels: { tag: [...many, label('x', 'tag')] } });
  const found = values.filter(({ of }) => of.label === 'Tag');
  expect(found).toHaveLength(6);
  expect(found[0]?.text).toBe('tag');
});
