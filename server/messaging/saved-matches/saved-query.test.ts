import { expect, test } from 'vitest';
import { readSavedQuery } from './saved-query.ts';

const id = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const read = (parameters: Record<string, string>, page: 'search' | 'library' = 'search') =>
  readSavedQuery({ page, parameters });

test('a saved search is read by the parameters of the API, and what only the dashboard reads is left out', () => {
  expect(
    read({
      q: 'red',
      in: 'speech,ocr',
      as_written: '1',
      as_words: 'place',
      then: 'a ball',
      within: '5',
      without: 'dog',
      tag_id: id,
      taken_before: '2026-07-15',
      rating_min: '3',
      group: '1',
    }),
  ).toEqual({
    kind: 'words',
    q: 'red',
    joined: { and: undefined, or: undefined, then: ['a ball'], within: 5 },
    without: ['dog'],
    places: ['speech', 'ocr'],
    asWritten: true,
    asWords: ['place'],
    filter: { tag_id: id, taken_before: '2026-07-15', rating_min: 3 },
  });
  expect(read({ media_id: id, at: '1.5' })).toEqual({
    kind: 'like',
    mediaId: id,
    at: 1.5,
    chunkId: undefined,
    also: undefined,
    filter: {},
  });
  expect(read({ media_id: id, with: 'at night' })).toMatchObject({ kind: 'like', also: 'at night' });
});

test.each<[Record<string, string>, 'search' | 'library']>([
  [{ q: 'red' }, 'library'],
  [{ type: 'video' }, 'search'],
  [{ q: 'red', tag_id: 'none' }, 'search'],
  [{ q: 'red', rating_min: '9' }, 'search'],
  [{ media_id: 'none' }, 'search'],
])('%j of page %s is no search', (parameters, page) => {
  expect(read(parameters, page)).toBeNull();
});
