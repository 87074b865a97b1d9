import { rm, truncate, writeFile } from 'node:fs/promises';
import type { Moment } from '@media-search/media/rgb-image';
import { dot } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { makeTinyModel } from '../testing/tiny-model.ts';
import { readModelFolder } from './model-folder.ts';
import { createSemanticEmbedder, tryModel } from './semantic-embedder.ts';

const still = (...colour: number[]): Moment => ({
  image: { width: 96, height: 64, data: Uint8Array.from({ length: 96 * 64 * 3 }, (_, i) => colour[i % 3] ?? 0) },
  next: null,
});

const families = ['clip', 'siglip'] as const;

test.each(families)('a model of the %s form finds images by words', async (family) => {
  await using folder = await temporaryFolder();
  await makeTinyModel(folder.file('tiny'), family);
  const model = await readModelFolder(folder.file('tiny'));
  expect(model).toMatchObject({ family, precision: 'fp32', revision: expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(await tryModel(model)).toBe(3);
  const embedder = createSemanticEmbedder({ kind: 'semantic', id: 'tiny@1', dimensions: 3, ...model }, 1);
  const images = { red: still(200, 30, 30), green: still(40, 160, 50), blue: still(20, 40, 210) };
  const embedded = await embedder.embedChunks(Object.values(images).map((moment) => [moment]));
  const vectors = embedded.map(({ vector }) => vector);
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  for (const [i, word] of Object.keys(images).entries()) {
    // In any case, and among words without a meaning.
    for (const query of [word, word.toUpperCase(), `zzz ${word} qq`]) {
      const { vector, unknown } = await embedder.embedText(query);
      expect(unknown).toEqual([]);
      const similarities = vectors.map((each) => dot(each, vector as Float32Array));
      expect(similarities.indexOf(Math.max(...similarities)), `${query} ${similarities.join()}`).toBe(i);
    }
  }
  // Known answers: (200, 30, 30) is (0.569, -0.765, -0.765) to the tower.
  const length = Math.hypot(0.5686, -0.7647, -0.7647);
  for (const [i, value] of [0.5686, -0.7647, -0.7647].entries()) expect(vectors[0]?.[i]).toBeCloseTo(value / length, 2);
});

test('SigLIP 2, whose tokenizer is that of Gemma, reads words in any case and keeps their punctuation', async () => {
  await using folder = await temporaryFolder();
  await makeTinyModel(folder.file('tiny'), 'siglip', { tokenizer: 'GemmaTokenizer', quantized: true });
  const model = await readModelFolder(folder.file('tiny'));
  expect(await tryModel(model)).toBe(3);
  const embedder = createSemanticEmbedder({ kind: 'semantic', id: 'tiny@1', dimensions: 3, ...model }, 1);
  const [red, green] = await embedder.embedChunks([[still(200, 30, 30)], [still(40, 160, 50)]]);
  for (const query of ['red', 'RED', 'zzz red !']) {
    const { vector } = await embedder.embedText(query);
    expect(dot(red!.vector, vector!)).toBeGreaterThan(dot(green!.vector, vector!) + 0.5);
  }
});

test('several moments of a chunk are pooled, in batches as large as they come', async () => {
  await using folder = await temporaryFolder();
  await makeTinyModel(folder.file('tiny'), 'clip');
  const model = await readModelFolder(folder.file('tiny'));
  const embedder = createSemanticEmbedder({ kind: 'semantic', id: 'tiny@1', dimensions: 3, ...model }, 1);
  const [red, blue] = [still(250, 0, 0), still(0, 0, 250)];
  const [mixed, plain] = await embedder.embedChunks([
    Array.from({ length: 20 }, (_, i) => (i % 2 ? red : blue)),
    [red],
  ]);
  expect(mixed?.vector[0]).toBeCloseTo(mixed?.vector[2] ?? Number.NaN, 5);
  expect(plain?.vector[0]).toBeGreaterThan(0.5);
  // Each moment keeps a vector of its own.
  expect(mixed?.moments).toHaveLength(20);
  expect(mixed?.moments[1]).toEqual(plain?.moments[0]);
  expect(mixed?.moments[0]?.[2]).toBeGreaterThan(0.5);
});

test('8 bit weights are preferred, and the revision follows the files', async () => {
  await using folder = await temporaryFolder();
  await makeTinyModel(folder.file('tiny'), 'siglip');
  const before = await readModelFolder(folder.file('tiny'));
  await makeTinyModel(folder.file('tiny'), 'siglip', { quantized: true });
  const after = await readModelFolder(folder.file('tiny'));
  expect(after.precision).toBe('q8');
  expect(after.revision).toBe(before.revision);
  await writeFile(folder.file('tiny/config.json'), '{"model_type":"siglip","changed":true}');
  expect((await readModelFolder(folder.file('tiny'))).revision).not.toBe(after.revision);
});

test.each<[string, (file: (name: string) => string) => Promise<unknown>, RegExp]>([
  ['a missing file', (file) => rm(file('tiny/tokenizer.json')), /has no tokenizer\.json/],
  ['missing weights', (file) => rm(file('tiny/onnx/text_model.onnx')), /has no weights/],
  ['another kind of model', (file) => writeFile(file('tiny/config.json'), '{"model_type":"bert"}'), /of the type bert/],
  ['a broken description', (file) => writeFile(file('tiny/config.json'), '{"model'), /config\.json is no JSON/],
  ['truncated weights', (file) => truncate(file('tiny/onnx/vision_model.onnx'), 100), /cannot be loaded/],
  [
    'towers of different shapes',
    (file) => makeTinyModel(file('tiny'), 'clip', { textDimensions: 5 }),
    /do not fit together: texts have 5 dimensions, images 3/,
  ],
])('%s is explained in a sentence', async (_, spoil, sentence) => {
  await using folder = await temporaryFolder();
  await makeTinyModel(folder.file('tiny'), 'clip');
  await spoil((name) => folder.file(name));
  const attempt = async () => tryModel(await readModelFolder(folder.file('tiny')));
  await expect(attempt()).rejects.toMatchObject({ name: 'ModelError', message: expect.stringMatching(sentence) });
});
