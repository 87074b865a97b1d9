import { expect, test } from 'vitest';
import { builtinTraits } from '../../models/model-traits.ts';
import { measureBackground, standardScore } from './calibration.ts';
import { leastScore } from './fuse.ts';

const expected = { mean: 0, deviation: builtinTraits.spread };
const noise = Array.from({ length: 400 }, (_, i) => builtinTraits.spread * Math.sin(i) * Math.SQRT2);

test('all hits are weak where the best one is no more than chance brings', () => {
  const background = measureBackground(noise, expected);
  const chance = builtinTraits.spread * Math.sqrt(2 * Math.log(400));
  expect(leastScore(builtinTraits, background, 0.8 * chance, 1)).toBe(Infinity);
  expect(leastScore(builtinTraits, background, 2 * chance, 1)).toBe(builtinTraits.weakBelow);
});

test('hits that are more than chance brings are not weak, however many there are', () => {
  // Three of four show a dog.
  const dogs = measureBackground([...noise.slice(0, 100), ...Array<number>(300).fill(0.5)], expected);
  expect(standardScore(0.5, dogs)).toBeLessThan(builtinTraits.weakBelow);
  expect(leastScore(builtinTraits, dogs, 0.5, 1)).toBeLessThan(standardScore(0.5, dogs));
});
