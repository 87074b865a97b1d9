import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/running-service.ts';
import { detectMediaType } from './detect-media-type.ts';

/** A GIF of two frames, with empty extensions between them. */
function drawGif(extensions: number): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1');
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([head, frame, Buffer.alloc(3 * extensions, Buffer.from([0x21, 0xfe, 0])), frame]);
}

test('a GIF of two frames is a video; one of endless blocks is not read to its end', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file('two.gif'), drawGif(10_000));
  expect(await detectMediaType(folder.file('two.gif'))).toEqual({ type: 'video', mimeType: 'image/gif' });
  await writeFile(folder.file('endless.gif'), drawGif(1_000_001));
  expect(await detectMediaType(folder.file('endless.gif'))).toEqual({ type: 'image', mimeType: 'image/gif' });
});
