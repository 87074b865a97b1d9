import { randomLcg } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { toUnit } from '../vectors.ts';
import { conceptWords } from './concept-words.ts';
import { type ConceptTraits, findConcepts, listClearConcepts, scoreConcepts } from './match-concepts.ts';
import { nameGroups } from './name-groups.ts';
import { placeAmong } from './place-among.ts';

const dimensions = 64;
const names = ['dog', 'puppy', 'beach', 'sea', 'car'];
const axisOf = (axis: number) => Float32Array.from({ length: dimensions }, (_, i) => (i === axis ? 1 : 0));
/** A puppy is nearly a dog; the others have nothing in common. */
const words = [
  axisOf(0),
  toUnit(Float32Array.from(axisOf(0), (value, i) => value + (i === 9 ? 0.3 : 0))),
  axisOf(1),
  axisOf(2),
  axisOf(3),
];
const concepts = { names, values: Float32Array.from(words.flatMap((word) => [...word])) };
const traits: ConceptTraits = {
  mean: 0,
  spread: 0.1,
  weakBelow: 2,
  chanceMargins: { phrase: 0.2, sentence: 0.75, image: 0.5 },
};
const random = randomLcg(0.3);
/** A picture of some concepts, with much else. */
const picture = (...axes: number[]): Float32Array =>
  toUnit(
    Float32Array.from(
      { length: dimensions },
      (_, i) => (axes.includes(i) ? 1 : 0) + (i > 10 ? (random() - 0.5) / 3 : 0),
    ),
  );

test('the words are many, plain, and each there once', () => {
  expect(conceptWords.length).toBeGreaterThan(300);
  expect(conceptWords.length).toBeLessThan(700);
  expect(new Set(conceptWords).size).toBe(conceptWords.length);
  for (const word of conceptWords) expect(word).toMatch(/^[a-z][a-z -]*[a-z]$/);
});

describe('concepts of a library', () => {
  const dogs = Array.from({ length: 30 }, () => picture(0));
  const beaches = Array.from({ length: 20 }, () => picture(1, 2));
  const others = Array.from({ length: 60 }, () => picture());
  const vectors = [...dogs, ...beaches, ...others];
  const items = vectors.map((_, i) => `item ${i}`);

  test('are those that moments clearly show, once for what is the same, and none of what is not there', async () => {
    const scores = await scoreConcepts(vectors, concepts, traits);
    const found = findConcepts(scores, items, 10);
    const [first] = found;
    expect(found).toHaveLength(2);
    expect(['dog', 'puppy']).toContain(first?.name);
    expect(first).toMatchObject({ count: 30 });
    expect(first?.place).toBeLessThan(30);
    expect(['beach', 'sea']).toContain(found[1]?.name);
    expect(found[1]).toMatchObject({ count: 20 });
    expect(listClearConcepts(scores).slice(50).flat()).toEqual([]);
  });

  test('a long video of one thing comes behind what many items show', async () => {
    const scores = await scoreConcepts(vectors, concepts, traits);
    const oneVideo = items.map((item, i) => (i < 30 ? 'video' : item));
    expect(['beach', 'sea']).toContain(findConcepts(scores, oneVideo, 10)[0]?.name);
  });

  test('are taken from the moments themselves where nothing is known of the embedder', async () => {
    const unknown = { ...traits, mean: null, chanceMargins: null, spread: 0.04 };
    // Every similarity lies higher by as much, as with models whose vectors have a direction in common.
    const shifted = vectors.map((vector) => toUnit(vector.map((value, i) => value + (i < 4 ? 0.2 : 0))));
    const found = findConcepts(await scoreConcepts(shifted, concepts, unknown), items, 10);
    expect(['dog', 'puppy']).toContain(found[0]?.name);
    expect(found.map(({ name }) => name)).not.toContain('car');
  });

  test.each([0, 1])('%d moments have none, and no error', async (count) => {
    const scores = await scoreConcepts(others.slice(0, count), concepts, traits);
    expect(findConcepts(scores, items, 10)).toEqual([]);
    expect(
      nameGroups(
        Array.from({ length: count }, () => ({ x: 0.5, y: 0.5 })),
        scores,
      ),
    ).toEqual([]);
  });

  test('name the groups of a map where they lie, and leave those without a name that show nothing in common', async () => {
    const around = (x: number, y: number) => () => ({ x: x + random() / 20, y: y + random() / 20 });
    const points = [...dogs.map(around(0.1, 0.1)), ...beaches.map(around(0.9, 0.1)), ...others.map(around(0.5, 0.9))];
    const labels = nameGroups(points, await scoreConcepts(vectors, concepts, traits));
    const texts = new Set(labels.map(({ text }) => text));
    expect([...texts].toSorted()).toEqual(
      expect.arrayContaining([expect.stringMatching(/beach|sea/), expect.stringMatching(/dog|puppy/)]),
    );
    for (const { text, x, y, count } of labels) {
      expect(y).toBeLessThan(0.2);
      expect(x < 0.2).toBe(/dog|puppy/.test(text));
      expect(count).toBeGreaterThanOrEqual(3);
    }
  });
});

test('a new moment is placed beside those that it is like, and two copies beside each other', () => {
  const others = [axisOf(0), axisOf(0), axisOf(1)];
  const places = [
    { x: 0.1, y: 0.1 },
    { x: 0.12, y: 0.1 },
    { x: 0.9, y: 0.9 },
  ];
  const [first, second, third] = placeAmong([picture(0), picture(0), picture(1)], others, places);
  expect(Math.hypot(first!.x - 0.11, first!.y - 0.1)).toBeLessThan(0.02);
  expect(Math.hypot(third!.x - 0.9, third!.y - 0.9)).toBeLessThan(0.02);
  expect(first).not.toEqual(second);
  expect(placeAmong([axisOf(0)], [], [])).toEqual([{ x: 0.5, y: 0.5 }]);
});
