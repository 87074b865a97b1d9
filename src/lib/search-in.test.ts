import { expect, test } from 'vitest';
import {
  describeSearchIn,
  isSearched,
  readItemQuery,
  readSearchIn,
  searchPlaces,
  togglePlace,
  writeSearchIn,
} from './search-in.ts';

const [pictures, speech, onScreen, names] = searchPlaces;

test('a URL limits a search to sources that exist, and to none where it names none or all', () => {
  expect(readSearchIn('speech,ocr')).toEqual(['speech', 'ocr']);
  expect(readSearchIn('nonsense,ocr,ocr')).toEqual(['ocr']);
  for (const everything of [
    null,
    undefined,
    '',
    'nonsense',
    searchPlaces.flatMap(({ sources }) => sources).join(','),
  ]) {
    expect(readSearchIn(everything)).toEqual([]);
  }
});

test('places are chosen one after the other and taken away again', () => {
  const chosen = togglePlace(onScreen, togglePlace(speech, []));
  expect(writeSearchIn(chosen)).toBe('speech,subtitle,ocr');
  expect(writeSearchIn(togglePlace(speech, chosen))).toBe('ocr');
  expect(writeSearchIn(togglePlace(onScreen, ['ocr']))).toBeUndefined();
  expect(
    writeSearchIn([pictures, speech, onScreen, names].reduce((all, place) => togglePlace(place, all), chosen.slice(3))),
  ).toBeUndefined();
});

test('a part of a place counts as searched, and goes as a whole', () => {
  expect(isSearched(speech, ['subtitle'])).toBe(true);
  expect(togglePlace(speech, ['subtitle', 'ocr'])).toEqual(['ocr']);
  expect(describeSearchIn(['subtitle', 'ocr', 'tag'])).toBe('speech and subtitles, on-screen text, and names and tags');
});

test('an address limits words only, and to what there is', () => {
  const read = (search: string) => readItemQuery(new URLSearchParams(search));
  expect(read('q=a%26b&in=ocr,nonsense')).toEqual({ q: 'a&b', in: 'ocr' });
  expect(read('q=a&in=nonsense')).toEqual({ q: 'a', in: undefined });
  expect(read('like=m1&in=ocr')).toEqual({ q: '', in: undefined });
});
