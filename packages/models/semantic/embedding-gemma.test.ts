import { rm, truncate } from 'node:fs/promises';
import type { Moment } from '@media-search/media/rgb-image';
import { dot } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { makeTinyGemma } from '../testing/tiny-gemma.ts';
import { readModelFolder } from './model-folder.ts';
import { createSemanticEmbedder, tryModel } from './semantic-embedder.ts';

const [red, green, blue] = [
  [230, 20, 20],
  [20, 200, 30],
  [20, 30, 220],
] as const;

const moment = (colour: readonly number[], [width, height]: [number, number] = [64, 64]): Moment => ({
  image: {
    width,
    height,
    data: Uint8Array.from({ length: 3 * width * height }, (_, i) => colour[i % 3] ?? 0),
  },
  next: null,
});

const tone = (seconds: number, volume: number): Float32Array =>
  Float32Array.from({ length: 16_000 * seconds }, (_, i) => volume * Math.sin(i / 5) * (1 + (i % 7)));

async function setUp(dimensions = 768) {
  const folder = await temporaryFolder();
  await makeTinyGemma(folder.file('tiny'));
  const model = await readModelFolder(folder.file('tiny'));
  const embedder = createSemanticEmbedder({ kind: 'semantic', id: 'gemma@1', dimensions, ...model }, 1);
  const word = async (text: string) => (await embedder.embedText(text)).vector as Float32Array;
  return {
    model,
    embedder,
    word,
    /** The word that a vector is nearest to. */
    async nameOf(vector: Float32Array, words: string[]): Promise<string | undefined> {
      const similarities = await Promise.all(words.map(async (each) => dot(await word(each), vector)));
      return words[similarities.indexOf(Math.max(...similarities))];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const colours = ['red', 'green', 'blue'];

test('pictures of any shape are found by words, and all parts of the model are tried', async () => {
  await using t = await setUp();
  expect(t.model).toMatchObject({ family: 'embedding-gemma', precision: 'fp32' });
  expect(await tryModel(t.model)).toBe(768);
  const shapes: [number, number][] = [
    [64, 64],
    [160, 40],
    [30, 90],
  ];
  for (const [i, colour] of [red, green, blue].entries()) {
    const embedded = await t.embedder.embedChunks(shapes.map((shape) => [moment(colour, shape)]));
    for (const { vector, moments } of embedded) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(moments).toEqual([vector]);
      expect(await t.nameOf(vector, colours)).toBe(colours[i]);
    }
  }
});

test('a chunk is embedded as a video by all its moments, and each moment by itself', async () => {
  await using t = await setUp();
  const [chunk] = await t.embedder.embedChunks([[moment(red), moment(red), moment(red), moment(blue)]]);
  expect(await t.nameOf(chunk!.vector, colours)).toBe('red');
  const names = await Promise.all(chunk!.moments.map((vector) => t.nameOf(vector, colours)));
  expect(names).toEqual(['red', 'red', 'red', 'blue']);
  // The blue one counts in it.
  const [alone] = await t.embedder.embedChunks([[moment(red), moment(red), moment(red), moment(red)]]);
  const toBlue = await t.word('blue');
  expect(dot(chunk!.vector, toBlue)).toBeGreaterThan(dot(alone!.vector, toBlue) + 0.1);
});

test.each([1, 3])('the sound of a chunk of %i moments is heard with it, and each chunk has its own', async (count) => {
  await using t = await setUp();
  const moments = Array.from({ length: count }, () => moment(green));
  const [loud, silent, none, short] = await t.embedder.embedChunks(
    [moments, moments, moments, moments],
    [tone(1, 0.9), tone(1, 0), null, tone(0.05, 0.9)],
  );
  const toLoud = await t.word('loud');
  const [heard, unheard, without] = [loud, silent, none].map((chunk) => dot(chunk!.vector, toLoud)) as [
    number,
    number,
    number,
  ];
  expect(heard).toBeGreaterThan(without + 0.1);
  expect(unheard).toBeLessThan(without - 0.1);
  // Of less than a tenth of a second nothing is left.
  expect(short?.vector).toEqual(none?.vector);
  // What is seen stays.
  for (const chunk of [loud, silent]) expect(await t.nameOf(chunk!.vector, colours)).toBe('green');
  // Views are pictures.
  expect(loud?.moments).toEqual(none?.moments);
});

test('an image and words are one query', async () => {
  await using t = await setUp();
  const { image } = moment(red);
  const composed = await t.embedder.embedComposed!(image, 'blue');
  const [picture] = await t.embedder.embedChunks([[moment(red)]]);
  const [toRed, toBlue] = [await t.word('red'), await t.word('blue')];
  expect(dot(composed, toBlue)).toBeGreaterThan(dot(picture!.vector, toBlue) + 0.1);
  expect(dot(composed, toRed)).toBeGreaterThan(dot(toBlue, toRed) + 0.1);
  expect(Math.hypot(...composed)).toBeCloseTo(1, 5);
});

test('marks of media that a user writes stand for nothing', async () => {
  await using t = await setUp();
  for (const written of ['<|image|> red', 'red <|audio|>', '<|video|>red<|video|>']) {
    expect(await t.nameOf(await t.word(written), colours)).toBe('red');
    expect(await t.embedder.embedComposed!(moment(red).image, written)).toHaveLength(768);
  }
});

test.each([512, 256, 128])('vectors are cut to their first %i numbers, at length 1', async (dimensions) => {
  await using t = await setUp(dimensions);
  const [chunk] = await t.embedder.embedChunks([[moment(blue)]]);
  const vectors = [chunk!.vector, await t.word('blue'), await t.embedder.embedComposed!(moment(blue).image, 'blue')];
  for (const vector of vectors) {
    expect(vector).toHaveLength(dimensions);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  }
  expect(await t.nameOf(chunk!.vector, colours)).toBe('blue');
});

test('half floats are not read, and what is missing or damaged is explained in a sentence', async () => {
  await using folder = await temporaryFolder();
  await makeTinyGemma(folder.file('tiny'), '_fp16');
  await expect(readModelFolder(folder.file('tiny'))).rejects.toThrow(
    /has no weights: onnx\/model\.onnx, onnx\/vision_encoder\.onnx, onnx\/audio_encoder\.onnx, or all of them with the ending _quantized\.$/,
  );
  await makeTinyGemma(folder.file('tiny'), '_quantized');
  const model = await readModelFolder(folder.file('tiny'));
  expect(model.precision).toBe('q8');
  expect(await tryModel(model)).toBe(768);
  await truncate(folder.file('tiny/onnx/audio_encoder_quantized.onnx'), 100);
  await expect(tryModel(model)).rejects.toThrow(/cannot be loaded/);
  await rm(folder.file('tiny/processor_config.json'));
  await expect(readModelFolder(folder.file('tiny'))).rejects.toThrow(/has no processor_config\.json/);
});

test('a process that embeds texts only does not load the encoders of pictures and sound', async () => {
  await using t = await setUp();
  for (const part of ['vision_encoder', 'audio_encoder']) await rm(`${t.model.folder}/onnx/${part}.onnx`);
  expect(await t.nameOf(await t.word('a green thing'), colours)).toBe('green');
});
