import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import type { RgbImage } from './rgb-image.ts';

/** Luma (0..255) below and above which an image counts as black or white. */
const maxBlackLuma = 16;
const minWhiteLuma = 245;
/** Variance of the Laplacian below which an image has no edges. */
const maxBlankSharpness = 8;

/** Whether an image is black or white throughout. */
export function isBlank(image: RgbImage): boolean {
  const { mean, sharpness } = measureLuma(image);
  return (mean < maxBlackLuma || mean > minWhiteLuma) && sharpness < maxBlankSharpness;
}

/** How well an image represents its span: higher for sharp images, low for black and white ones. */
export function thumbnailQuality(image: RgbImage): number {
  const { mean, sharpness } = measureLuma(image);
  const dark = mean < maxBlackLuma || mean > minWhiteLuma;
  return (dark ? 0 : 1000) + Math.sqrt(sharpness);
}

/**
 * Mean luma (0..255) and variance of its Laplacian, the sharpness measure of Pech-Pacheco et al., "Diatom autofocusing in
 * brightfield microscopy: a comparative study", ICPR 2000.
 */
function measureLuma({ width, height, data }: RgbImage): { mean: number; sharpness: number } {
  const luma = new Float32Array(width * height);
  let mean = 0;
  for (let i = 0; i < luma.length; i++) {
    const at = 3 * i;
    const value = 0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);
    luma[i] = value;
    mean += value;
  }
  let sum = 0;
  let squares = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const around =
        (luma[i - 1] as number) + (luma[i + 1] as number) + (luma[i - width] as number) + (luma[i + width] as number);
      const laplacian = 4 * (luma[i] as number) - around;
      sum += laplacian;
      squares += laplacian * laplacian;
    }
  }
  const count = Math.max(1, (width - 2) * (height - 2));
  return { mean: mean / luma.length, sharpness: squares / count - (sum / count) ** 2 };
}

/**
 * What is shown until an image has loaded: a ThumbHash (Evan Wallace, 2023) of about 25 bytes, in base64.
 * @param file an image that sharp reads
 */
export async function readPlaceholder(file: string): Promise<string> {
  const { data, info } = await sharp(file)
    .resize({ width: 100, height: 100, fit: 'inside' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}
