import { expect, test } from 'vitest';
import { builtinTraits } from '../../models/model-traits.ts';
import { createRandom } from '../testing/random.ts';
import type { TextMatch } from '../text/search-texts.ts';
import { evidenceOf, leastClear } from './fuse.ts';
import { createJudge, sortByScore, weighExcluded } from './score-candidates.ts';

type Judged = Parameters<typeof createJudge>[0] & Parameters<ReturnType<typeof createJudge>['score']>[1];

/** Judges and sorts candidates, as a search does. */
const scoreCandidates = (slots: number[], found: Judged, numberOf: (slot: number) => number) =>
  sortByScore(createJudge(found, Math.max(...found.similarities.values())).score(slots, found), numberOf);

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
      meant: new Map(),
      excluded,
      background,
      traits: builtinTraits,
      terms: ['dog'],
      isStrange: false,
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
        [0, 0.13],
        [1, 0.05],
        [2, -0.3],
        [3, Number.NaN],
        [4, -0.3],
      ],
    },
  ],
  { mean: 0, spread: 0.1 },
);

test('what clearly shows or says what is excluded is no hit; what hardly shows it counts half', () => {
  const found = score(weighed);
  expect(found.map(({ slot }) => slot)).toEqual([3, 2, 1]);
  const [none, not, hardly] = found.map(({ score }) => score) as [number, number, number];
  expect(not).toBeCloseTo(none, 1);
  expect(evidenceOf(hardly, false)).toBeCloseTo(evidenceOf(none, false) / 2, 5);
});

test('of several exclusions the most likely one counts', () => {
  const both = weighExcluded(
    [],
    [
      {
        background,
        cosines: [
          [0, 0.05],
          [1, -0.3],
        ],
      },
      {
        background,
        cosines: [
          [0, -0.3],
          [1, 0.13],
        ],
      },
    ],
    { mean: 0, spread: 0.1 },
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

test('weak hits stand behind all others and below them in score, whatever is found', () => {
  const { next: random } = createRandom(11);
  let mixed = 0;
  for (let round = 0; round < 1000; round++) {
    const deviation = 0.02 + 0.2 * random();
    const size = Math.floor(600 * random());
    const pick = <Value>(share: number, value: () => Value): [number, Value][] =>
      Array.from({ length: 40 }, (_, slot) => slot).flatMap((slot): [number, Value][] =>
        random() < share ? [[slot, value()]] : [],
      );
    const found = scoreCandidates(
      Array.from({ length: 40 }, (_, slot) => slot),
      {
        similarities: new Map(pick(random(), () => 1.2 * random() - 0.2)),
        matches: new Map(
          pick(random() / 2, () => ({ slot: 0, relevance: 9 * random(), coverage: random(), terms: ['a'] })),
        ),
        phrases: [],
        meant: new Map(),
        excluded: new Map(pick(random() / 3, () => (random() < 0.3 ? 1 : random()))),
        background: random() < 0.1 ? null : { mean: 0.3 * random(), deviation, lowerDeviation: deviation, size },
        traits: random() < 0.5 ? builtinTraits : { ...builtinTraits, chanceMargins: null, mean: null },
        terms: ['dog', 'cat', 'red car', 'house'].slice(0, 1 + Math.floor(4 * random())),
        isStrange: random() < 0.2,
      },
      (slot) => slot,
    );
    const firstWeak = found.findIndex(({ weak }) => weak);
    if (firstWeak > 0) mixed++;
    if (firstWeak !== -1) expect(found.slice(firstWeak).every(({ weak }) => weak)).toBe(true);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { score, weak } of found) expect(score < leastClear).toBe(weak);
  }
  expect(mixed).toBeGreaterThan(100);
});

test('words that nobody knows find no picture clearly, and a text that holds them', () => {
  const said: TextMatch = { slot: 1, relevance: 8, coverage: 1, terms: ['qwlkej'] };
  const found = scoreCandidates(
    [0, 1],
    {
      similarities: new Map([
        [0, 0.9],
        [1, 0.2],
      ]),
      matches: new Map([[1, said]]),
      phrases: [],
      meant: new Map(),
      excluded: new Map(),
      background,
      traits: builtinTraits,
      terms: ['qwlkej'],
      isStrange: true,
    },
    (slot) => slot,
  );
  expect(found).toMatchObject([
    { slot: 1, weak: false },
    { slot: 0, weak: true },
  ]);
});

test('of hits that are equally certain the nearer comes first, of equally near ones the newer', () => {
  const hit = { score: 0.775, weak: false, text: null, meant: null };
  const hits = [0.8, 0.9, 0.8, null].map((similarity, slot) => ({ ...hit, slot, similarity }));
  expect(sortByScore(hits, (slot) => slot).map(({ slot }) => slot)).toEqual([1, 2, 0, 3]);
});

test('in a workspace full of what is excluded all that shows it is left out; where nothing is known of other images, the workspace is what it is compared with', () => {
  const cosines: [number, number][] = [
    [0, 0.3],
    [1, 0.32],
  ];
  const full = { ...background, mean: 0.3, deviation: 0.02 };
  const known = weighExcluded([], [{ background: full, cosines }], { mean: 0, spread: 0.1 });
  expect([...known.values()]).toEqual([1, 1]);
  const unknown = weighExcluded([], [{ background: full, cosines }], { mean: null, spread: 0.1 });
  expect(Math.max(...unknown.values())).toBeLessThan(0.5);
});
