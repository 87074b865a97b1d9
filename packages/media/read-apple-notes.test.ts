import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readImageTags } from './read-image-tags.ts';
import { makePhoto, plain } from './samples/draw-media.ts';
import { addAppleNotes } from './testing/make-live-photo.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const content = '1E5A4B7C-0F7B-4B0E-9B63-0D0C5C6A7F11';

test.each([
  [{ content }, `live:${content}`],
  [{ burst: content }, `burst:${content}`],
  [{}, null],
  [{ content: 'no name; drop table' }, null],
])('a photograph of an iPhone says what it belongs to: %o', async (notes, key) => {
  await using folder = await temporaryFolder();
  const file = folder.file('IMG_1.jpg');
  await makePhoto(file, plain(10, 20, 30));
  await addAppleNotes(file, notes);
  expect((await readImageTags(file, 'image/jpeg')).stackKey).toBe(key);
  // Cut off anywhere, notes are none.
  const whole = await readFile(file);
  for (let length = 30; length < 200; length += 7) {
    await writeFile(file, Buffer.concat([whole.subarray(0, length), Buffer.alloc(60, 255), whole.subarray(length)]));
    const { stackKey } = await readImageTags(file, 'image/jpeg');
    expect([key, null]).toContain(stackKey);
  }
});
