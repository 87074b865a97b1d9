import sharp from 'sharp';
import { type DecodedImage, maxImagePixels } from './decode-image.ts';
import type { RgbImage } from './rgb-image.ts';

/** Writes an image as WebP, scaled down so that no side is longer than `maxSide` pixels. */
export async function writeScaledWebp(image: DecodedImage, maxSide: number, file: string): Promise<void> {
  const { data, width, height, channels } = image;
  await sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels })
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toFile(file);
}

/** Writes an image as WebP in its own size. */
export async function writeThumbnail(file: string, image: RgbImage): Promise<void> {
  await fromRgb(image).webp({ quality: 78 }).toFile(file);
}

export const encodeJpeg = (image: RgbImage): Promise<Buffer> => fromRgb(image).jpeg({ quality: 80 }).toBuffer();

const fromRgb = ({ width, height, data }: RgbImage) => sharp(data, { raw: { width, height, channels: 3 } });
