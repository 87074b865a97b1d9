import { expect, test } from 'vitest';
import { createPaint, hasColours } from './colours.ts';

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: 'false' }, false],
])('on a terminal %s with %j: %s', (isTTY, env, coloured) => {
  expect(hasColours({ isTTY }, env)).toBe(coloured);
});

test('paints only where there are colours', () => {
  expect(createPaint(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(createPaint(false)('red', 'x')).toBe('x');
});
