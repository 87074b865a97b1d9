import { toUnit } from '@media-search/search-engine/vectors';

/** How the two parts of a vector are weighed. */
export type Combination = {
  /** Share of the descriptors in the similarity of two images, 0..1. */
  descriptorShare: number;
  /** Share of the descriptors in the evidence for a query whose words their dictionary knows all, 0..1. */
  dictionaryShare: number;
  /** Typical standard deviations of the similarity to a text over mixed images, by the semantic part and by the descriptors alone. */
  spreads: { semantic: number; descriptors: number };
};

/**
 * The share and the spreads were measured by `lab/bench/combination.ts`: with 0.9, one half of the queries for colours, light, layout and motion
 * finds more than the descriptors alone, and things, names and captions no less than the semantic part alone; so does the other half. The
 * share between two images was not varied; copies and other clips are far apart with it (`lab/bench/duplicates.ts`).
 */
export const combination: Combination = {
  descriptorShare: 0.2,
  dictionaryShare: 0.9,
  spreads: { semantic: 0.078, descriptors: 0.12 },
};

/** The vector of an image, of unit length. Both parts are of unit length. */
export function combineImage(
  semantic: Float32Array,
  descriptors: Float32Array,
  { descriptorShare }: Combination,
): Float32Array {
  return join(semantic, Math.sqrt(1 - descriptorShare), descriptors, Math.sqrt(descriptorShare));
}

/**
 * The vector of a text, of unit length: standard deviations of both parts add up by their shares of the evidence.
 * @param semantic of unit length; null where no word can be read
 * @param descriptors of unit length; null where the dictionary knows no word
 * @param knownShare share of the words that the dictionary knows, 0..1
 * @returns null when there is neither
 */
export function combineText(
  semantic: Float32Array | null,
  descriptors: Float32Array | null,
  knownShare: number,
  dimensions: { semantic: number; descriptors: number },
  { descriptorShare, dictionaryShare, spreads }: Combination,
): Float32Array | null {
  if (!semantic && !descriptors) return null;
  const share = semantic ? (descriptors ? dictionaryShare * knownShare : 0) : 1;
  return join(
    semantic ?? new Float32Array(dimensions.semantic),
    (1 - share) / (spreads.semantic * Math.sqrt(1 - descriptorShare)),
    descriptors ?? new Float32Array(dimensions.descriptors),
    share / (spreads.descriptors * Math.sqrt(descriptorShare)),
  );
}

function join(a: Float32Array, factorOfA: number, b: Float32Array, factorOfB: number): Float32Array {
  const joined = new Float32Array(a.length + b.length);
  for (let i = 0; i < a.length; i++) joined[i] = factorOfA * a[i]!;
  for (let i = 0; i < b.length; i++) joined[a.length + i] = factorOfB * b[i]!;
  return toUnit(joined);
}
