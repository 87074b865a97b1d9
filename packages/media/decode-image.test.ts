import { writeFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { type DecodedImage, decodeImage, maxDecodedPixels } from './decode-image.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** The colours in the middle of six fields, row by row, each rounded to what a JPEG keeps. */
function readFields({ data, width, height, channels }: DecodedImage, columns: number, rows: number): string[] {
  return Array.from({ length: rows * columns }, (_, i) => {
    const x = Math.floor((((i % columns) + 0.5) * width) / columns);
    const y = Math.floor(((Math.floor(i / columns) + 0.5) * height) / rows);
    const place = (y * width + x) * channels;
    return [...data.subarray(place, place + 3)].map((value) => Math.round(value / 51)).join('');
  });
}

/** A JPEG of six fields, three in a row. */
async function drawFields(width: number, height: number): Promise<Buffer> {
  const colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 255, 255];
  const fields = sharp(Buffer.from(colours), { raw: { width: 3, height: 2, channels: 3 } });
  return fields.resize({ width, height, fit: 'fill', kernel: 'nearest' }).jpeg({ quality: 90 }).toBuffer();
}

/** The same JPEG with this orientation in its EXIF. */
function orient(jpeg: Buffer, orientation: number): Buffer {
  const entry = Buffer.from('45786966000049492a000800000001001201030001000000000000000000000000', 'hex');
  entry.writeUInt16LE(orientation, 24);
  const head = Buffer.from([0xff, 0xe1, 0, entry.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, entry, jpeg.subarray(2)]);
}

test('a large photograph of any orientation is scaled while it is read, upright as a small one', async () => {
  await using folder = await temporaryFolder();
  const [smallJpeg, largeJpeg] = [await drawFields(300, 200), await drawFields(10_200, 6800)];
  const decode = async (jpeg: Buffer, orientation: number) => {
    const file = folder.file('fields.jpg');
    await writeFile(file, orient(jpeg, orientation));
    return decodeImage(file, 'image/jpeg');
  };
  const seen = new Set<string>();
  for (let orientation = 1; orientation <= 8; orientation++) {
    const [small, large] = [await decode(smallJpeg, orientation), await decode(largeJpeg, orientation)];
    const [columns, rows] = orientation >= 5 ? [2, 3] : [3, 2];
    expect(readFields(large, columns, rows), `${orientation}`).toEqual(readFields(small, columns, rows));
    seen.add(readFields(small, columns, rows).join(' '));
    expect(large.full).toEqual(orientation >= 5 ? { width: 6800, height: 10_200 } : { width: 10_200, height: 6800 });
    expect(small.full).toEqual({ width: small.width, height: small.height });
    expect(large.width * large.height).toBeLessThanOrEqual(maxDecodedPixels);
    expect(large.width / large.height).toBeCloseTo(large.full.width / large.full.height, 2);
  }
  expect(seen.size).toBe(8);
});

const chunk = (type: string, content: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

test.each([
  ['interlaced', 10_001, 1, '100 million'],
  ['not interlaced', 26_801, 0, '268 million'],
])('a PNG that is %s and larger than can be held is refused by its head', async (_, width, interlace, most) => {
  await using folder = await temporaryFolder();
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(10_000, 4);
  head.set([8, 2, 0, 0, interlace], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const data = chunk('IDAT', deflateSync(Buffer.alloc(100)));
  const file = folder.file('bomb.png');
  await writeFile(file, Buffer.concat([signature, chunk('IHDR', head), data, chunk('IEND', Buffer.alloc(0))]));
  await expect(decodeImage(file, 'image/png')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining(most) as string,
  });
});

test('a GIF of 35 bytes with 256 million pixels is refused before it takes two gigabytes', async () => {
  await using folder = await temporaryFolder();
  const gif = Buffer.from('474946383961803e803e800000000000ffffff2c00000000803e803e0002024401003b', 'hex');
  await writeFile(folder.file('a.gif'), gif);
  await expect(decodeImage(folder.file('a.gif'), 'image/gif')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('more than 100 million pixels') as string,
  });
});
