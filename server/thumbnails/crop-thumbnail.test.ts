import sharp from 'sharp';
import { expect, test } from 'vitest';
import { cropThumbnail } from './crop-thumbnail.ts';

/** A grey portrait, 300 x 600, with a colourful checkered square of 150 at a distance from its top. */
async function portraitWith(top: number): Promise<Buffer> {
  const cell = 15;
  const size = 150;
  const data = Buffer.alloc(size * size * 3);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const on = (Math.floor(x / cell) + Math.floor(y / cell)) % 2 === 0;
      data.set(on ? [230, 150, 120] : [150, 20, 30], 3 * (y * size + x));
    }
  }
  const square = await sharp(data, { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();
  return sharp({ create: { width: 300, height: 600, channels: 3, background: '#777' } })
    .composite([{ input: square, left: 75, top }])
    .webp()
    .toBuffer();
}

test.each([0, 220, 450])('keeps what attracts the eye, wherever it is: %i pixels from the top', async (top) => {
  const { data, info } = await sharp(await cropThumbnail(await portraitWith(top), 300))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([300, 169]);
  let colourful = 0;
  for (let i = 0; i < data.length; i += 3) if ((data[i] ?? 0) - (data[i + 2] ?? 0) > 60) colourful++;
  // Of the square of 150 x 150 nearly everything; the middle of the portrait alone would have less than a half, twice.
  expect(colourful).toBeGreaterThan(0.8 * 150 * 150);
});

test('is scaled down and never up', async () => {
  const image = await portraitWith(0);
  expect(await sharp(await cropThumbnail(image, 160)).metadata()).toMatchObject({
    format: 'webp',
    width: 160,
    height: 90,
  });
  expect(await sharp(await cropThumbnail(image, 640)).metadata()).toMatchObject({ width: 300, height: 169 });
});
