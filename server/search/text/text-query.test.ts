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

test('a term after a hyphen is excluded; a hyphen within a word is text', () => {
  expect(parseTextQuery('red car -sunset -"at night" x-ray')).toMatchObject({
    terms: ['red', 'car', 'x', 'ray'],
    visualText: 'red car x-ray',
    excluded: ['sunset', 'at night'],
  });
  expect(parseTextQuery('-night')).toMatchObject({ terms: [], visualText: '', excluded: ['night'] });
});
