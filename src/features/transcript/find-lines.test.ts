import { expect, test } from 'vitest';
import { findLines, markWords } from './find-lines.ts';

const lines = ['The Café opens', 'at noon. (Really?)', 'the ferry'].map((text) => ({ text }));

test.each([
  ['', [0, 1, 2]],
  [' ', [0, 1, 2]],
  ['THE', [0, 2]],
  ['cafe the', [0]],
  ['café', [0]],
  ['(really?)', [1]],
  ['the noon', []],
])('lines that hold %j', (query, places) => {
  expect(findLines(lines, query)).toEqual(places);
});

test.each([
  ['', [['at noon. (Really?)', false]]],
  [
    'NOON (r',
    [
      ['at ', false],
      ['noon', true],
      ['. ', false],
      ['(R', true],
      ['eally?)', false],
    ],
  ],
])('%j is marked', (query, parts) => {
  expect(markWords('at noon. (Really?)', query)).toEqual(parts.map(([text, matched]) => ({ text, matched })));
});
