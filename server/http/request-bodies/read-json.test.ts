import { expect, test } from 'vitest';
import { checkJsonStructure } from './read-json.ts';

const check = (text: string, members = 1000) => checkJsonStructure(Buffer.from(text), members);

test('64 levels are read, 65 are refused, whatever follows', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    expect(() => check(`${open.repeat(64)}1${close.repeat(64)}`)).not.toThrow();
    expect(() => check(open.repeat(65))).toThrow(/nested more than 64 deep/);
  }
  expect(() => check('[[],'.repeat(60))).not.toThrow();
  expect(() => check('[],'.repeat(900))).toThrow(/at most 1,000 entries/);
});

test.each([
  ['entries', `[${Array.from({ length: 1001 }, () => 1).join(',')}]`],
  ['members', `{${Array.from({ length: 1001 }, (_, i) => `"${i}":1`).join(',')}}`],
  ['empty lists', `[${Array.from({ length: 500 }, () => '[1]').join(',')},0]`],
])('more than 1000 %s are refused, and exactly 1000 are not', (_, text) => {
  expect(() => check(text)).toThrow(/at most 1,000 entries/);
  expect(() => check(text, 1001)).not.toThrow();
});

test('what stands in texts does not count, wherever a backslash is', () => {
  const brackets = '[,{'.repeat(2000);
  for (const text of [brackets, `\\"${brackets}`, `${brackets}\\\\`, `\\\\\\"${brackets}`, `é${brackets}\\u0022`]) {
    expect(() => check(`{"${text}":"${text}"}`), text.slice(-10)).not.toThrow();
  }
  // An escaped backslash ends before the quotation mark, so these brackets stand outside of the text.
  expect(() => check(`["\\\\",${brackets}`)).toThrow(/nested|entries/);
  // A text without an end: nothing that follows counts, and the parser refuses it.
  expect(() => check(`["${brackets}`)).not.toThrow();
});
