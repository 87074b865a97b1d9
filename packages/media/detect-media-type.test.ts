import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { detectMediaType } from './detect-media-type.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

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

/** A TIFF whose directory stands behind its pixels, as most programs write it. @param tag of its only entry */
function drawTiff(order: 'II' | 'MM', tag: number): Buffer {
  const pixels = 300_000;
  const directory = Buffer.alloc(18);
  const head = Buffer.alloc(8 + pixels);
  head.write(order, 'latin1');
  if (order === 'II') {
    head.writeUInt16LE(42, 2);
    head.writeUInt32LE(head.length, 4);
    directory.writeUInt16LE(1, 0);
    directory.writeUInt16LE(tag, 2);
  } else {
    head.writeUInt16BE(42, 2);
    head.writeUInt32BE(head.length, 4);
    directory.writeUInt16BE(1, 0);
    directory.writeUInt16BE(tag, 2);
  }
  return Buffer.concat([head, directory]);
}

const [imageWidth, dngVersion] = [256, 50_706];

test.each(['II', 'MM'] as const)(
  'a TIFF in the order %s is told by its directory, wherever that stands',
  async (order) => {
    await using folder = await temporaryFolder();
    await writeFile(folder.file('a'), drawTiff(order, imageWidth));
    expect(await detectMediaType(folder.file('a'))).toEqual({ type: 'image', mimeType: 'image/tiff' });
    // A raw photograph is another format.
    await writeFile(folder.file('b'), drawTiff(order, dngVersion));
    expect(await detectMediaType(folder.file('b'))).toEqual({ type: 'image', mimeType: 'image/x-adobe-dng' });
    // One that is cut off.
    await writeFile(folder.file('c'), drawTiff(order, imageWidth).subarray(0, 200_000));
    expect(await detectMediaType(folder.file('c'))).toBeNull();
  },
);
