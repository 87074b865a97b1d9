import sharp from 'sharp';
import { expect, test } from 'vitest';
import { cropThumbnail } from './crop-thumbnail.ts';

/** Grey, with a colourful checkered square of 150 at a distance from its top. */
async function imageWith(top: number, height: number): Promise<Buffer> {
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
  return sharp({ create: { width: 400, height, channels: 3, background: '#777' } })
    .composite([{ input: square, left: 125, top }])
    .webp()
    .toBuffer();
}

/** How many pixels are reddish, of a card in a width. */
async function colourfulPixels(
  image: Buffer,
  width: number,
): Promise<{ count: number; width: number; height: number }> {
  const { data, info } = await sharp(await cropThumbnail(image, width))
    .raw()
    .toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let i = 0; i < data.length; i += 3) if ((data[i] ?? 0) - (data[i + 2] ?? 0) > 60) count++;
  return { count, width: info.width, height: info.height };
}

test.each([0, 120, 240])('keeps what attracts the eye, %i pixels from the top of a square', async (top) => {
  const { count, width, height } = await colourfulPixels(await imageWith(top, 390), 400);
  expect([width, height]).toEqual([400, 225]);
  // The middle would have lost a half of the square of 150, twice.
  expect(count).toBeGreaterThan(0.8 * 150 * 150);
});

test.each([0, 300, 550])('shows a portrait whole, with what is %i pixels from its top', async (top) => {
  const { count, width, height } = await colourfulPixels(await imageWith(top, 700), 640);
  expect([width, height]).toEqual([640, 360]);
  const side = (150 * 360) / 700;
  expect(count).toBeGreaterThan(0.8 * side * side);
});

test('is scaled down and never up', async () => {
  const image = await imageWith(0, 390);
  expect(await sharp(await cropThumbnail(image, 160)).metadata()).toMatchObject({
    format: 'webp',
    width: 160,
    height: 90,
  });
  expect(await sharp(await cropThumbnail(image, 640)).metadata()).toMatchObject({ width: 400, height: 225 });
});
