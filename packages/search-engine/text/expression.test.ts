import { expect, test } from 'vitest';
import { findWithin, isPlain, parseExpression, toExpression } from './expression.ts';

test.each([
  ['"a dog" and "snow"', [[['a dog', 'snow']]]],
  ['"a dog" or "a cat"', [[['a dog'], ['a cat']]]],
  ['"a dog" then "a man"', [[['a dog']], [['a man']]]],
  ['“a dog” and “snow”', [[['a dog', 'snow']]]],
  // `and` binds first, then `or`, then `then`.
  [
    '"a" and "b" or "c" then "d" or "e"',
    [
      [['a', 'b'], ['c']],
      [['d'], ['e']],
    ],
  ],
  ['a dog AND snow', [[['a dog', 'snow']]]],
  ['a dog THEN a man THEN a car', [[['a dog']], [['a man']], [['a car']]]],
  ['"a dog" THEN a man on a bike', [[['a dog']], [['a man on a bike']]]],
  // Lower case is a word like others unless quotation marks are on both sides of it.
  ['a dog and snow AND trees', [[['a dog and snow', 'trees']]]],
  ['犬 AND 雪', [[['犬', '雪']]]],
  // Marks that say what belongs together are no phrases, beside other words either.
  ['show "a dog" and "snow" -people', [[['show a dog', 'snow -people']]]],
  ['"a dog" and "snow" -"two men"', [[['a dog', 'snow -"two men"']]]],
  // Where capitals join, signs of a part are its own.
  ['"kick off" red AND snow -dog', [[['"kick off" red', 'snow -dog']]]],
])('%s', (query, steps) => {
  expect(parseExpression(query)).toEqual({ steps, within: 30, isCut: false });
});

test.each([
  'a dog and snow',
  '"kick off" and a goal',
  'rock "and" roll',
  'the word "A AND B"',
  'BED AND BREAKFAST',
  'AND snow',
  '"a dog" and',
  'a dog AND',
  '" " and " "',
  'sand or',
  'SANDOR AND',
  'a house within 30 s',
  '',
])('is no expression: %s', (query) => expect(parseExpression(query)).toBeNull());

test.each([
  ['"a dog" then "a man" within 20 s', 20],
  ['a dog THEN a man within 5 seconds', 5],
  ['"a" then "b" within 2 minutes', 120],
  ['"a" then "b" within 9999 m', 3600],
  ['"a" then "b" within 0 s', 1],
  ['"a" then "b" within 99999 s', 3600],
  ['"a" then "b", within a minute', 60],
])('says how many seconds lie between steps: %s', (query, within) => {
  const expression = parseExpression(query);
  expect(expression?.within).toBe(within);
  expect(expression?.steps.flat(2).join(' ')).not.toContain('within');
});

test('keeps seconds that no step follows as words', () => {
  expect(parseExpression('a goal AND a foul within 30 s')?.steps).toEqual([[['a goal', 'a foul within 30 s']]]);
});

test('three steps and eight parts are the most', () => {
  expect(parseExpression('a THEN b THEN c THEN d')).toMatchObject({ steps: [[['a']], [['b']], [['c']]], isCut: true });
  const many = Array.from('abcdefghij').join(' AND ');
  expect(parseExpression(many)).toMatchObject({ steps: [[Array.from('abcdefgh')]], isCut: true });
});

test('parameters say the same as the grammar', () => {
  expect(toExpression('a dog', { and: ['snow'], or: ['a cat'], then: ['"a man" or "a boy"'], within: 9 })).toEqual({
    steps: [
      [['a dog', 'snow'], ['a cat']],
      [['a man'], ['a boy']],
    ],
    within: 9,
    isCut: false,
  });
  // What is joined holds for each alternative.
  expect(toExpression('"a" or "b"', { and: ['c'] }).steps).toEqual([
    [
      ['a', 'c'],
      ['b', 'c'],
    ],
  ]);
  // A parameter wins over the words.
  expect(toExpression('a THEN b within 5 s', { within: 7 }).within).toBe(7);
});

test('as it is written a query is one part, and parameters stay', () => {
  expect(toExpression('"a" and "b"', {}, true).steps).toEqual([[['"a" and "b"']]]);
  expect(toExpression('"a" and "b"', { then: ['c AND d'] }, true).steps).toEqual([[['"a" and "b"']], [['c AND d']]]);
  expect(isPlain(toExpression('a dog'))).toBe(true);
  expect(isPlain(toExpression('a dog', { and: ['snow'] }))).toBe(false);
  expect(isPlain(toExpression('a dog THEN a man'))).toBe(false);
});

test.each([
  ['"a" then "b" within 20 s', 'within 20 s'],
  ['"a" then "b" within 20 s by somebody', 'within 20 s'],
  ['a dog THEN a man within two minutes of it', 'within two minutes'],
  ['within 5 s "a" then "b"', null],
  ['"a" and "b" within 20 s', null],
  ['a dog within 20 s', null],
])('finds the seconds behind steps, wherever those end: %s', (query, said) => {
  const found = findWithin(query);
  expect(found && query.slice(found.start, found.end)).toBe(said);
});
