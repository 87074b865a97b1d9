import { describe, expect, test } from 'vitest';
import { flagParameter, identifier, integerParameter } from './parameters.ts';

describe('whole numbers in a query string', () => {
  const perPage = integerParameter(1, 100).default(20);
  test.each([
    ['1', 1],
    ['100', 100],
    [undefined, 20],
  ])('%s is read as %s', (written, value) => expect(perPage.parse(written)).toBe(value));
  test.each(['0', '101', '-1', '', ' 5', '5.0', '1e1', '0x10', 'ten', '99999999999999999999', ['1', '2']])(
    '%j is refused, not clamped',
    (written) => expect(perPage.safeParse(written).success).toBe(false),
  );
});

describe('flags', () => {
  test.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
    [undefined, false],
  ])('%s is %s', (written, value) => expect(flagParameter.parse(written)).toBe(value));
  test.each(['', 'yes', '2', 'on'])('%j is refused', (written) =>
    expect(flagParameter.safeParse(written).success).toBe(false),
  );
});

test('an identifier is a UUID of any version', () => {
  expect(identifier.safeParse('01a1fbe4-6806-793e-a30f-22b8a44e4f85').success).toBe(true);
  for (const wrong of ['', '1', '../secret', '01a1fbe4-6806-793e-a30f-22b8a44e4f8']) {
    expect(identifier.safeParse(wrong).success).toBe(false);
  }
});
