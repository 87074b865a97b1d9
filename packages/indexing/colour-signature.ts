import type { RgbImage } from '@media-search/media/rgb-image';

/** Points of an image, across and down, whose colours make the signature. */
const grid = { across: 16, down: 9 };

/** The colours at points spread over an image. */
export function extractColourSignature({ width, height, data }: RgbImage): number[] {
  const signature: number[] = [];
  for (let row = 0; row < grid.down; row++) {
    for (let column = 0; column < grid.across; column++) {
      const x = Math.floor(((column + 0.5) * width) / grid.across);
      const y = Math.floor(((row + 0.5) * height) / grid.down);
      const at = 3 * (y * width + x);
      signature.push(data[at] as number, data[at + 1] as number, data[at + 2] as number);
    }
  }
  return signature;
}

/** How far two signatures lie apart: the mean difference of a colour's value, 0..255. */
export const signatureDistance = (a: number[], b: number[]): number =>
  a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] as number)), 0) / a.length;
