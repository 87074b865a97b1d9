import { expect, test } from 'vitest';
import { parseTextQuery } from './text-query.ts';

const termsOf = (query: string) => parseTextQuery(query).terms;

test('extracts the significant words, each once, as the user wrote them', () => {
  expect(termsOf('A Red car and the red CAR')).toEqual(['Red', 'car']);
  expect(termsOf('naïve Café 東京 x2')).toEqual(['naïve', 'Café', '東京', 'x2']);
});

test('keeps stop words when there is nothing else', () => {
  expect(termsOf('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
});

test('quoted phrases are kept as one term; the image query uses their words', () => {
  expect(parseTextQuery('a "good morning" in "the harbour"')).toMatchObject({
    terms: ['good morning', 'the harbour'],
    visualText: 'a good morning in the harbour',
    excluded: [],
  });
});

test.each([
  ['beach without people', 'beach', ['people']],
  ['a dog without a leash on the grass', 'a dog on the grass', ['leash']],
  ['street without any red cars, at night', 'street , at night', ['red cars']],
  ['kitchen WITHOUT people or dogs -night', 'kitchen', ['night', 'people', 'dogs']],
  ['beach with no people', 'beach', ['people']],
  ['beach no people', 'beach', ['people']],
  ['an animal, not a dog', 'an animal,', ['dog']],
  ['an animal that is not a dog in the snow', 'an animal in the snow', ['dog']],
  ['street but no cars or people', 'street', ['cars', 'people']],
  ['not a dog', '', ['dog']],
  ['no people', '', ['people']],
  // What can be seen or said.
  ['no smoking', 'no smoking', []],
  ['no parking sign', 'no parking sign', []],
  ['there is no spoon', 'there is no spoon', []],
  ['to be or not to be', 'to be or not to be', []],
  ['a knot a sailor ties', 'a knot a sailor ties', []],
  ['without people', '', ['people']],
  ['with no cars or dogs', '', ['cars', 'dogs']],
  // In quotation marks; nothing behind it; too much behind it.
  ['film "rebel without a cause"', 'film rebel without a cause', []],
  ['coffee without', 'coffee without', []],
  ['a man without ever having seen her face', 'a man without ever having seen her face', []],
])('what a query is without is excluded: %s', (query, visualText, excluded) => {
  expect(parseTextQuery(query)).toMatchObject({ visualText, excluded });
});

test('where words are searched for as they are written, “without” is one of them', () => {
  expect(parseTextQuery('beach without people -dogs', { asWritten: true })).toMatchObject({
    visualText: 'beach without people',
    kept: ['beach', 'people'],
    excluded: ['dogs'],
  });
});

test('a term after a hyphen is excluded; a hyphen within a word is text', () => {
  expect(parseTextQuery('red car -sunset -"at night" x-ray')).toMatchObject({
    terms: ['red', 'car', 'x', 'ray'],
    visualText: 'red car x-ray',
    excluded: ['sunset', 'at night'],
  });
  expect(parseTextQuery('-night')).toMatchObject({ terms: [], visualText: '', excluded: ['night'] });
});

test('exclusions beyond the sixteenth are left out, and the query says that it was cut', () => {
  const some = Array.from({ length: 16 }, (_, i) => `-word${i}`);
  expect(parseTextQuery(`red ${some.join(' ')}`)).toMatchObject({ isCut: false, terms: ['red'] });
  const cut = parseTextQuery(`red ${some.join(' ')} -one`);
  expect(cut.isCut).toBe(true);
  expect(cut.excluded).toEqual(some.map((word) => word.slice(1)));
});

test('quoted phrases beyond the fourth are words, and the query says that it was cut', () => {
  const some = ['"a b"', '"c d"', '"e f"', '"g h"'];
  expect(parseTextQuery(some.join(' '))).toMatchObject({ isCut: false, terms: ['a b', 'c d', 'e f', 'g h'] });
  expect(parseTextQuery(`${some.join(' ')} "red car"`)).toMatchObject({
    isCut: true,
    terms: ['a b', 'c d', 'e f', 'g h', 'red', 'car'],
    prefix: null,
  });
});
