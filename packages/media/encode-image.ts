import sharp from 'sharp';
import { maxImagePixels } from './decode-image.ts';
import type { RgbImage } from './rgb-image.ts';

/** Pixels of an image, upright. */
type RawImage = { width: number; height: number; channels: 1 | 2 | 3 | 4; data: Uint8Array };

/** A file to be written, and the longest side that its picture has at most, pixels. */
export type SizedFile = { side: number; file: string };

/** Against 4, the default: a photograph of 2048 pixels takes half as long and 5 % more bytes. Lossy AVIF would take three times as long for 0.8 dB. */
const effort = 2;

/**
 * Writes an image as WebP in some sizes; none is scaled up. Each is made from the next larger one, so a large image is read once.
 * @param sizes in any order
 */
export async function writeSizes(image: RawImage, sizes: SizedFile[]): Promise<void> {
  let larger = image;
  for (const { side, file } of sizes.toSorted((a, b) => b.side - a.side)) {
    larger = await scaleDown(larger, side);
    await fromRaw(larger).webp({ quality: 80, effort }).toFile(file);
  }
}

async function scaleDown(image: RawImage, side: number): Promise<RawImage> {
  if (Math.max(image.width, image.height) <= side) return image;
  const { data, info } = await fromRaw(image)
    .resize({ width: side, height: side, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { ...info, data };
}

/** Writes an image as WebP in its own size. */
export async function writeThumbnail(file: string, image: RgbImage): Promise<void> {
  await fromRgb(image).webp({ quality: 78 }).toFile(file);
}

export const encodeJpeg = (image: RgbImage): Promise<Buffer> => fromRgb(image).jpeg({ quality: 80 }).toBuffer();

const fromRaw = ({ data, width, height, channels }: RawImage) =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels });

const fromRgb = (image: RgbImage) => fromRaw({ ...image, channels: 3 });
