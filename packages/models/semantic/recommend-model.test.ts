import { expect, test } from 'vitest';
import { parseModelName, presets } from './presets.ts';
import { recommendModel } from './recommend-model.ts';

test.each([
  // A small virtual machine has no room for another model, however many cores it has.
  [1, 64, 'builtin'],
  [1.5, 2, 'clip-vit-base-patch32'],
  [2.5, 2, 'siglip-base-patch16-224'],
  // The same memory, and one more core: no difference where a model is quick enough already.
  [6, 1, 'siglip2-base-patch16-224'],
  [7.9, 16, 'siglip2-base-patch16-224'],
  [8.5, 2, 'siglip2-large-patch16-256'],
  [64, 1, 'siglip2-base-patch16-224'],
  [64, 2, 'siglip2-large-patch16-256'],
  [64, 4, 'siglip2-so400m-patch16-256'],
  [9, 8, 'embeddinggemma-2'],
  [64, 7, 'siglip2-so400m-patch16-256'],
])('of %d GB and %i cores: %s', (gigabytes, cores, name) => {
  expect(recommendModel({ memory: gigabytes * 1e9, cores }).name).toBe(name);
});

test('says what it takes, and what the next larger one would need', () => {
  expect(recommendModel({ memory: 16e9, cores: 2 })).toEqual({
    name: 'siglip2-large-patch16-256',
    reason:
      'It takes about 4 GB and 0.8 s for a picture. siglip2-so400m-patch16-256 would need 3 cores for a picture a second.',
  });
  expect(recommendModel({ memory: 4e9, cores: 16 }).reason).toBe(
    'It takes about 1 GB and 0.02 s for a picture. siglip2-base-patch16-224 would need 6 GB of memory.',
  );
  expect(recommendModel({ memory: 1e9, cores: 2 }).reason).toBe(
    'It takes 0.2 GB and a few milliseconds. clip-vit-base-patch32 would need 1.4 GB of memory.',
  );
  expect(recommendModel({ memory: 256e9, cores: 64 }).reason).toBe('It takes about 4 GB and 0.1 s for a picture.');
});

test('names of models may end with a number of dimensions', () => {
  expect(parseModelName('embeddinggemma-2')).toEqual({ name: 'embeddinggemma-2', dimensions: null });
  expect(parseModelName('embeddinggemma-2:256')).toEqual({ name: 'embeddinggemma-2', dimensions: 256 });
  expect(parseModelName('C:\\models\\gemma')).toEqual({ name: 'C:\\models\\gemma', dimensions: null });
  expect(parseModelName('./a:b/gemma:128')).toEqual({ name: './a:b/gemma', dimensions: 128 });
  for (const { name } of presets) expect(parseModelName(name)).toEqual({ name, dimensions: null });
});
