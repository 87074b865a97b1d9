import { expect, test } from 'vitest';
import { dot, toUnit } from '../vectors.ts';
import { clearScore, leastClearSimilarity, measureBackground, standardScore } from './calibration.ts';
import { leastScore } from './fuse.ts';
import { sampleChance } from './sampled-chance.ts';

/** The same numbers at each run, 0..1 (Park & Miller 1988). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** An embedder that places anything anywhere: `offset` and `scale` are where its similarities lie, as those of models differ. */
function drawSpace({ offset = 0, scale = 1, chunks = 300, seed = 1 } = {}) {
  const random = createRandom(seed);
  const draw = () => toUnit(Float32Array.from({ length: 32 }, () => random() + random() + random() - 1.5));
  const images = Array.from({ length: chunks }, draw);
  const compare = (word: Float32Array) => images.map((image) => offset + scale * dot(word, image));
  return { images, draw, compare, words: Array.from({ length: 200 }, draw) };
}

const traits = { mean: null, spread: 0.05, chanceMargins: null, weakBelow: 2 };

/** How the best chunk of a query stands, and whether a search says that it is none. */
function ask(compare: (word: Float32Array) => number[], word: Float32Array, chance: ReturnType<typeof sampleChance>) {
  const similarities = compare(word);
  const background = measureBackground(similarities, { mean: null, deviation: traits.spread });
  const judged = { ...traits, duplicateThresholds: { copy: 1, continuation: 1 }, hasMeasuredThresholds: false };
  return leastScore({ ...judged, chance: chance ?? undefined }, background, Math.max(...similarities), 1);
}

test.each([
  ['one whose similarities are all alike', { offset: 0.7, scale: 0.1 }],
  ['one whose similarities spread', { offset: 0, scale: 1 }],
])('half of what is nowhere is said to be missing: %s', (_, form) => {
  const { compare, words, draw } = drawSpace(form);
  const chance = sampleChance(words, compare, traits);
  const missing = Array.from({ length: 400 }, draw).filter((word) => ask(compare, word, chance) === Infinity);
  expect(missing.length / 400).toBeGreaterThan(0.4);
  expect(missing.length / 400).toBeLessThan(0.6);
});

test('what a part of the words have because it is there changes little', () => {
  const { images, compare, words, draw } = drawSpace();
  // Three in ten are close to an image.
  const mixed = words.map((word, i) => {
    const image = images[i] as Float32Array;
    return i % 10 < 3 ? toUnit(word.map((value, k) => value + 2 * (image[k] as number))) : word;
  });
  const [plain, some] = [words, mixed].map((each) => sampleChance(each, compare, traits)?.score ?? Number.NaN);
  expect(some! - plain!).toBeGreaterThan(0);
  expect(some! - plain!).toBeLessThan(0.35);
  const found = toUnit((images[7] as Float32Array).map((value, k) => value + 0.5 * (draw()[k] as number)));
  expect(ask(compare, found, sampleChance(mixed, compare, traits))).toBeLessThan(Infinity);
});

test('what half of a workspace shows is found there, because no background is higher than that of other words', () => {
  const { images, words, draw } = drawSpace({ chunks: 100 });
  const shown = draw();
  const dogs = images.map((image, i) =>
    i % 2 ? image : toUnit(image.map((value, k) => value + (shown[k] as number))),
  );
  const compare = (word: Float32Array) => dogs.map((image) => dot(word, image));
  const chance = sampleChance(words, compare, traits);
  // By itself it does not stand out.
  const similarities = compare(shown);
  const background = measureBackground(similarities, { mean: null, deviation: traits.spread });
  expect(standardScore(Math.max(...similarities), background)).toBeLessThan(chance!.score);
  const least = ask(compare, shown, chance);
  const clear = similarities.filter((similarity) => standardScore(similarity, background) >= least);
  expect(clear.length).toBeGreaterThan(25);
});

test('too few words or chunks say nothing, and then what was known before counts', () => {
  const { compare, words } = drawSpace();
  expect(sampleChance(words.slice(0, 49), compare, traits)).toBeNull();
  expect(sampleChance(words, (word) => compare(word).slice(0, 19), traits)).toBeNull();
  expect(sampleChance(words, (word) => compare(word).slice(0, 20), traits)).not.toBeNull();
  // An embedder to which all words are alike, as one that knows none of them: nothing is below chance.
  const blind = sampleChance(words, () => Array<number>(100).fill(0.2), traits);
  expect(blind?.score).toBe(0);
});

test('only words are judged by it, and where nobody looks it counts too', () => {
  const { compare, words } = drawSpace();
  const chance = sampleChance(words, compare, traits)!;
  const background = measureBackground(compare(words[0] as Float32Array), { mean: null, deviation: 0.05 });
  expect(leastClearSimilarity(0, background, { ...traits, chance })).toBe(-Infinity);
  expect(leastClearSimilarity(9, background, { ...traits, chance })).toBe(
    leastClearSimilarity(1, background, { ...traits, chance }),
  );
  expect(clearScore(500, { chanceMargins: null, chance })).toBeCloseTo(Math.max(chance.score, 3.53), 2);
  expect(clearScore(500, { chanceMargins: null, chance: { ...chance, score: 4 } })).toBe(4);
});
