import { open } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { readPieces } from './file-pieces.ts';

test('where a file cannot be read the caller learns of it, and nothing else does', async () => {
  await using folder = await temporaryFolder();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  // To be written only: whichever of the reads ends first fails.
  const handle = await open(folder.file('a'), 'w');
  try {
    const bytes = new Uint8Array(2 ** 25);
    for (let i = 0; i < 200; i++) await expect(readPieces(handle, bytes, 0)).rejects.toThrow('EBADF');
  } finally {
    await handle.close();
  }
  expect(unhandled).toEqual([]);
});
