import { expect, test } from 'vitest';
import { builtinTraits } from '../../models/model-traits.ts';
import type { TextMatch } from '../text/search-texts.ts';
import { scoreCandidates, weighExcluded } from './score-candidates.ts';

/** One standard deviation is a cosine of 0.1. */
const background = { mean: 0, deviation: 0.1, lowerDeviation: 0.1, size: 50 };
const slots = [0, 1, 2, 3, 4];

const score = (excluded: Map<number, number>, matches = new Map<number, TextMatch>(), phrases: string[] = []) =>
  scoreCandidates(
    slots,
    {
      similarities: new Map(slots.map((slot) => [slot, 0.3])),
      matches,
      phrases,
      excluded,
      background,
      traits: builtinTraits,
      terms: ['dog'],
    },
    (slot) => slot,
  );

/** What fits an exclusion clearly, hardly, not, has no image, and what says it. */
const weighed = weighExcluded(
  [4],
  [
    {
      background,
      cosines: [
        [0, 0.16],
        [1, 0.1],
        [2, -0.3],
        [3, Number.NaN],
        [4, -0.3],
      ],
    },
  ],
);

test('what clearly shows or says what is excluded is no hit; what hardly shows it counts half', () => {
  const found = score(weighed);
  expect(found.map(({ slot }) => slot)).toEqual([3, 2, 1]);
  const [none, not, hardly] = found.map(({ score }) => score) as [number, number, number];
  expect(not).toBeCloseTo(none, 1);
  expect(hardly).toBeCloseTo(none / 2, 5);
});

test('of several exclusions the most likely one counts', () => {
  const both = weighExcluded(
    [],
    [
      {
        background,
        cosines: [
          [0, 0.1],
          [1, -0.3],
        ],
      },
      {
        background,
        cosines: [
          [0, -0.3],
          [1, 0.16],
        ],
      },
    ],
  );
  expect(score(both).map(({ slot }) => slot)).toEqual([4, 3, 2, 0]);
});

test('what a text says counts as before, whatever its image shows', () => {
  const said: TextMatch = { slot: 1, relevance: 8, coverage: 1, terms: ['a b'] };
  const [first] = score(weighed, new Map([[1, said]]));
  expect(first).toMatchObject({ slot: 1, weak: false });
});

test('what lacks a phrase is no hit', () => {
  const said: TextMatch = { slot: 2, relevance: 8, coverage: 1, terms: ['a b'] };
  const other: TextMatch = { slot: 3, relevance: 8, coverage: 0.5, terms: ['a'] };
  const matches = new Map([
    [2, said],
    [3, other],
  ]);
  expect(score(new Map(), matches, ['a b']).map(({ slot }) => slot)).toEqual([2]);
});
