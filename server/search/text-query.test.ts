import { expect, test } from 'vitest';
import { anyOf, textTerms } from './text-query.ts';

test('takes the telling words, each once, in the spelling of the user', () => {
  expect(textTerms('A Red car and the red CAR')).toEqual(['Red', 'car']);
  expect(textTerms('naïve Café 東京 x2')).toEqual(['naïve', 'Café', '東京', 'x2']);
});

test('keeps stop words when there is nothing else', () => {
  expect(textTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
});

test('nothing a user writes is syntax', () => {
  expect(textTerms('"unbalanced AND (NEAR* ^:-')).toEqual(['unbalanced', 'NEAR']);
  expect(anyOf(['a"b', 'OR'])).toBe('"a""b" OR "OR"');
  expect(textTerms('!?…')).toEqual([]);
});
