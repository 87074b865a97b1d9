import { fileURLToPath } from 'node:url';
import type { Moment, RgbImage } from '@media-search/media/rgb-image';
import { dot, norm, toUnit } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { builtinReference } from '../load-embedder.ts';
import { createBuiltinEmbedder } from './builtin-embedder.ts';

const embedder = createBuiltinEmbedder(builtinReference, 1);
const vectorOf = async (query: string) => (await embedder.embedText(query)).vector as Float32Array;

/** An image of which a function gives the colours, from coordinates of 0 to 1. */
function draw(paint: (x: number, y: number) => [number, number, number], width = 160, height = 120): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set(paint((i % width) / width, Math.floor(i / width) / height), 3 * i);
  return { width, height, data };
}
const still = (image: RgbImage): Moment => ({ image, next: null });
const paintLandscape = (x: number, y: number): [number, number, number] =>
  y < 0.5 ? [90, 150, 230] : x % 0.1 < 0.05 ? [40, 130, 40] : [60, 160, 50];
const red = draw(() => [200, 20, 20]);
const landscape = draw(paintLandscape);
const night = draw((x, y) => (Math.hypot(x - 0.7, y - 0.3) < 0.05 ? [250, 250, 210] : [8, 8, 20]));

test('embeds images and moments of any size as unit vectors', async () => {
  const tiny = draw(() => [1, 2, 3], 1, 1);
  const moments: Moment[] = [{ image: red, next: { image: landscape, after: 0.25 } }, still(night)];
  const [first, second, single] = await embedder.embedChunks([moments, [still(tiny)], [still(night)]]);
  for (const vector of [first, second, single].flatMap((chunk) => [chunk?.vector, ...(chunk?.moments ?? [])])) {
    expect(vector).toHaveLength(embedder.dimensions);
    expect(norm(vector as Float32Array)).toBeCloseTo(1, 4);
  }
  expect(first?.moments).toHaveLength(2);
  // The same image gives the same vector, whatever was embedded before it.
  expect(single?.vector).toEqual((await embedder.embedChunks([[still(night)]]))[0]?.vector);
});

test('a copy of another size counts as a copy, another image does not', async () => {
  const copy = draw(paintLandscape, 320, 240);
  const [one, two, other] = (await embedder.embedChunks([landscape, copy, night].map((image) => [still(image)]))).map(
    ({ vector }) => vector,
  ) as [Float32Array, Float32Array, Float32Array];
  expect(dot(one, two)).toBeGreaterThan(embedder.duplicateThresholds.copy);
  expect(dot(one, other)).toBeLessThan(embedder.duplicateThresholds.continuation);
});

test('finds drawn images by words about how they look', async () => {
  const images = { red, landscape, night };
  const embedded = await embedder.embedChunks(Object.values(images).map((image) => [still(image)]));
  for (const [query, expected] of [
    ['red', 'red'],
    ['blue sky over green grass', 'landscape'],
    ['dark night', 'night'],
    ['the moon in the sky at night', 'night'],
  ] as const) {
    const text = await vectorOf(query);
    const similarities = embedded.map(({ vector }) => dot(text, vector));
    expect([query, Object.keys(images)[similarities.indexOf(Math.max(...similarities))]]).toEqual([query, expected]);
  }
});

test.for(['a dog', 'Dog!', 'café in Paris', '42', 'x'.repeat(500), 'dog '.repeat(125)])(
  'embeds the text %s as a unit vector, always the same',
  async (text) => {
    const { vector, unknown } = await embedder.embedText(text);
    if (vector === null) return expect(unknown).toHaveLength(1);
    expect(vector).toHaveLength(embedder.dimensions);
    expect(norm(vector)).toBeCloseTo(1, 4);
    expect(await vectorOf(text)).toEqual(vector);
    return expect(unknown).toEqual([]);
  },
);

/** A photograph of the browser tests, as the indexing reads it. */
async function readPicture(name: string): Promise<RgbImage> {
  const file = fileURLToPath(new URL(`../../../e2e/pictures/${name}`, import.meta.url));
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

// What the shipped weights gave when they were trained. Swapped colours, a crop instead of scaling, or pieces without their marks give others.
test.for([
  ['a dog in the grass', 'dog.jpg', 0.286],
  ['a cat', 'cat.jpg', 0.413],
  ['a cup of coffee', 'coffee.jpg', 0.333],
] as const)('the similarity of "%s" to %s is what it was in training', async ([text, file, similarity]) => {
  const [chunk] = await embedder.embedChunks([[still(await readPicture(file))]]);
  const semantic = (vector: Float32Array) => toUnit(vector.slice(0, 512));
  const measured = dot(semantic(await vectorOf(text)), semantic(chunk?.vector as Float32Array));
  expect(Math.abs(measured - similarity)).toBeLessThan(0.01);
});

test('one word is as surely like what it names as a sentence about it', async () => {
  const embedded = await Promise.all(
    ['dog.jpg', 'cat.jpg', 'coffee.jpg'].map(async (file) => embedder.embedChunks([[still(await readPicture(file))]])),
  );
  const similaritiesTo = async (query: string) => {
    const text = await vectorOf(query);
    return embedded.map(([chunk]) => dot(text, chunk?.vector as Float32Array));
  };
  const [dog, cat, coffee] = (await similaritiesTo('dog')) as [number, number, number];
  // By the word alone the dog has 0.05, hardly more than anything else; by "a dog" 0.17.
  expect(dog).toBeGreaterThan(0.12);
  expect(dog).toBeGreaterThan(Math.max(cat, coffee) + 0.05);
});

test('a video chunk is embedded by all of its moments', async () => {
  const moments = [still(await readPicture('dog.jpg')), still(await readPicture('coffee.jpg'))];
  const [chunk] = await embedder.embedChunks([moments]);
  for (const moment of chunk?.moments ?? []) {
    const similarity = dot(moment, chunk?.vector as Float32Array);
    expect(similarity).toBeGreaterThan(0.4);
    expect(similarity).toBeLessThan(0.95);
  }
});

test('reads a long text to its twentieth word', async () => {
  const many = 'the man with the hat and the coat walks along the road by the old house near the river with a ';
  expect(dot(await vectorOf(`${many} dog`), await vectorOf(`${many} guitar`))).toBeLessThan(0.95);
});

test('a text of nothing but words that join others has no vector', async () => {
  for (const text of ['a', 'of the', 'I', '( or )', '٤٢'])
    expect([text, (await embedder.embedText(text)).vector]).toEqual([text, null]);
});

test('texts of like meaning are near each other', async () => {
  const [dog, puppy, car] = await Promise.all(['a dog', 'a puppy', 'a car on the road'].map(vectorOf));
  expect(dot(dog as Float32Array, puppy as Float32Array)).toBeGreaterThan(
    dot(dog as Float32Array, car as Float32Array) + 0.2,
  );
});

test('a query uses the descriptors as far as their dictionary knows its words', async () => {
  const shareOf = async (query: string) => norm((await vectorOf(query)).slice(512));
  const [thing, mixed, colour] = await Promise.all(['dog', 'a red car on snow', 'red'].map(shareOf));
  expect(thing).toBe(0);
  expect(mixed).toBeGreaterThan(0.1);
  expect(colour).toBeGreaterThan(mixed as number);
});

test('says which words it cannot read', async () => {
  expect(await embedder.embedText('собака qwzx')).toEqual({
    vector: null,
    sentence: null,
    unknown: ['собака', 'qwzx'],
  });
  const { vector, unknown } = await embedder.embedText('a red qwzx dog');
  expect(unknown).toEqual(['qwzx']);
  expect(dot(vector as Float32Array, await vectorOf('a red dog'))).toBeCloseTo(1, 5);
});

test("does not take a user's word for a mark of the tokenizer", async () => {
  expect(dot(await vectorOf('[MASK] dog'), await vectorOf('mask dog'))).toBeCloseTo(1, 5);
});
