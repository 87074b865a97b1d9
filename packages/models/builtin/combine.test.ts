import { dot, norm, toUnit } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { combination, combineImage, combineText } from './builtin-embedder.ts';

const dimensions = { semantic: 3, descriptors: 2 };
const semantic = toUnit([1, 2, 2]);
const other = toUnit([2, 1, -1]);
const descriptors = toUnit([3, 4]);

test('images are compared by both parts, by their shares', () => {
  const a = combineImage(semantic, descriptors, combination);
  const b = combineImage(other, toUnit([4, 3]), combination);
  expect(norm(a)).toBeCloseTo(1, 5);
  const { descriptorShare: share } = combination;
  expect(dot(a, b)).toBeCloseTo((1 - share) * dot(semantic, other) + share * 0.96, 5);
});

test('a text counts by standard deviations of both parts, by the share of known words', () => {
  const { spreads, dictionaryShare } = combination;
  const difference = (text: Float32Array | null, part: 'semantic' | 'descriptors') => {
    const image = (similarity: number) => {
      const orthogonal = part === 'semantic' ? toUnit([0, 1, -1]) : toUnit([4, -3]);
      const own = part === 'semantic' ? semantic : descriptors;
      const mixed = own.map((value, i) => similarity * value + Math.sqrt(1 - similarity ** 2) * orthogonal[i]!);
      return part === 'semantic'
        ? combineImage(mixed, toUnit([0, 1]), combination)
        : combineImage(other, mixed, combination);
    };
    return dot(text as Float32Array, image(spreads[part])) - dot(text as Float32Array, image(0));
  };
  for (const knownShare of [0.25, 1]) {
    const text = combineText(semantic, descriptors, knownShare, dimensions, combination);
    expect(norm(text as Float32Array)).toBeCloseTo(1, 5);
    const share = dictionaryShare * knownShare;
    expect(difference(text, 'descriptors') / difference(text, 'semantic')).toBeCloseTo(share / (1 - share), 4);
  }
});

test('a text of one part ignores the other', () => {
  const image = combineImage(semantic, descriptors, combination);
  const words = combineText(semantic, null, 0, dimensions, combination) as Float32Array;
  expect(dot(words, image)).toBeCloseTo(Math.sqrt(1 - combination.descriptorShare), 5);
  expect(Array.from(words.slice(dimensions.semantic))).toEqual([0, 0]);
  const colours = combineText(null, descriptors, 1, dimensions, combination) as Float32Array;
  expect(dot(colours, image)).toBeCloseTo(Math.sqrt(combination.descriptorShare), 5);
  expect(combineText(null, null, 0, dimensions, combination)).toBeNull();
});
