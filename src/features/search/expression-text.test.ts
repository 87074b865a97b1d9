import { expect, test } from 'vitest';
import { type Expression, joinTo, listParts, takeFrom, writeExpression } from './expression-text.ts';

test.each<[Expression, string]>([
  [{ steps: [[['a dog', 'snow'], ['a cat']]] }, '"a dog" and "snow" or "a cat"'],
  [
    { steps: [[['a dog']], [['a man'], ['a boy']], [['a car']]], within: 20 },
    '"a dog" then "a man" or "a boy" then "a car" within 20 s',
  ],
  [{ steps: [[['a dog -cat', 'snow']]] }, '"a dog -cat" and "snow"'],
  [
    { steps: [[['"kick off" red', 'snow']], [['a goal']]], within: 5 },
    '"kick off" red AND snow THEN a goal within 5 s',
  ],
  [{ steps: [[['a dog']]] }, 'a dog'],
])('is written as the search field takes it: %j', (expression, text) => {
  expect(writeExpression(expression)).toBe(text);
});

test('a description is joined to a query, which has its own signs', () => {
  expect(joinTo('a dog', undefined, 'and', 'snow')).toBe('"a dog" and "snow"');
  expect(joinTo('a dog', undefined, 'then', 'a man')).toBe('"a dog" then "a man"');
  expect(joinTo('a dog', undefined, 'without', 'cats')).toBe('a dog -cats');
  expect(joinTo('a dog', undefined, 'without', 'red cars')).toBe('a dog without red cars');
  expect(joinTo('"kick off"', undefined, 'or', 'a goal')).toBe('"kick off" OR a goal');
  const steps = { steps: [[['a']], [['b']]], within: 9 };
  expect(joinTo('', steps, 'and', 'c')).toBe('"a" then "b" and "c" within 9 s');
  expect(joinTo('', steps, 'without', 'd')).toBe('"a -d" then "b -d" within 9 s');
});

test('each description can be taken away; the last one is a query of its own', () => {
  const expression = { steps: [[['a', 'b'], ['c']], [['d']]], within: 30 };
  expect(listParts(expression).map(({ part, joint }) => ({ part, joint }))).toEqual([
    { part: 'a', joint: null },
    { part: 'b', joint: 'and' },
    { part: 'c', joint: 'or' },
    { part: 'd', joint: 'then' },
  ]);
  expect(takeFrom(expression, 1)).toBe('"a" or "c" then "d"');
  expect(takeFrom(expression, 3)).toBe('"a" and "b" or "c"');
  expect(takeFrom({ steps: [[['a']], [['b']]], within: 30 }, 0)).toBe('b');
});
