import { expect, test } from 'vitest';
import { toFts } from '../fts-text-index.ts';
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

test('the last word may still be incomplete', () => {
  expect(parseTextQuery('red harb').prefix).toBe('harb');
  expect(parseTextQuery('red harb ').prefix).toBeNull();
  expect(parseTextQuery('red ha').prefix).toBeNull();
  expect(parseTextQuery('red "harb"').prefix).toBeNull();
  expect(toFts({ prefix: 'ha"rb' })).toBe('"ha""rb"*');
});

test('no user input is an FTS5 syntax error', () => {
  expect(termsOf('"unbalanced AND (NEAR* ^:-')).toEqual(['unbalanced', 'NEAR']);
  expect(toFts({ any: ['a"b', 'OR'] })).toBe('"a""b" OR "OR"');
  expect(termsOf('!?…')).toEqual([]);
  for (const odd of ['""', '-', '- -', '-""', '"" ""', '-"', '"-']) {
    expect(parseTextQuery(odd)).toMatchObject({ terms: [], excluded: [] });
  }
});
