import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { openSession } from './open-session.ts';

test('weights that are missing or cut off are a ModelError with one sentence', async () => {
  await using folder = await temporaryFolder();
  const weights = await readFile(new URL('./weights/text.onnx', import.meta.url));
  await writeFile(folder.file('text.onnx'), weights.subarray(0, weights.length / 2));
  for (const file of ['text.onnx', 'vision.onnx']) {
    const error: unknown = await openSession(folder.file(file), 1, ['embedding']).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'ModelError',
      message: `The weights ${file} of the built-in embedder cannot be loaded.`,
    });
  }
});
