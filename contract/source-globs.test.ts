import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { isBoundedPattern, problemOfGlob } from './source-globs.ts';

test.each(['**/proxies/**', '**/*proxy*/**', '*/*/*/*.mov', '2026-*/**/*.{mov,mp4}', String.raw`**/Holiday \(1\)/**`])(
  'the glob %s is taken',
  (glob) => {
    expect(problemOfGlob(glob)).toBeNull();
  },
);

test.each([
  '*a*a*a*a*b',
  '**a**a**b',
  '*a*/*a*/*a*/*a*/*a*/b',
  '**/a/**/a/**/a/**/a/**/b',
  `${'{a,a}'.repeat(30)}b`,
  '+(+(a))b',
  '(a+)+b',
  '[a]+[a]+[a]+b',
])('the glob %s is refused', (glob) => {
  expect(problemOfGlob(glob)).toMatch(/^must have/);
});

test('what is taken ends soon for a path that nearly matches', () => {
  const path = `${`${'a'.repeat(60)}/`.repeat(16)}c`;
  for (const glob of ['**/*a*/**/b', '*a*/*a*/*a*/*a*/**', '**/a*/**/*a*/b']) {
    if (problemOfGlob(glob) !== null) continue;
    const began = Date.now();
    picomatch(glob, { dot: true })(path);
    expect(Date.now() - began).toBeLessThan(1000);
  }
  expect(isBoundedPattern('*a*/*a*/*a*/*a*/**')).toBe(false);
});
