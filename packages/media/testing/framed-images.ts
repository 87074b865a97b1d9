import sharp from 'sharp';
import type { RgbImage } from '../rgb-image.ts';
import type { Colour, Paint } from '../samples/draw-media.ts';

/** Where a picture is in an image, pixels. */
export type Place = { left: number; top: number; width: number; height: number };

const grounds: Colour[] = [
  [70, 165, 165],
  [165, 80, 70],
  [80, 165, 80],
  [70, 80, 165],
  [165, 160, 70],
  [160, 70, 160],
];

/** Many shades and shapes everywhere, as in a photograph. `seed` makes another one, of other colours (of six). */
export const scene =
  (seed: number): Paint =>
  (x, y) => {
    const wave = (across: number, down: number) => 45 * Math.sin(across * x * (1 + seed / 7) + down * y + seed);
    const [red, green, blue] = grounds[seed % grounds.length] as Colour;
    const fine = 14 * Math.sin(4000 * x + 7 * seed) * Math.cos(3000 * y);
    return [red + wave(9, 4) + fine, green + wave(3, 11) + fine, blue + wave(14, 7) - fine];
  };

export const rawOptions = ({ width, height }: RgbImage) => ({ raw: { width, height, channels: 3 as const } });

/** Puts pictures on a ground. @returns a JPEG */
export async function composeJpeg(
  ground: RgbImage,
  pictures: { image: RgbImage; place: Place }[],
  quality = 80,
): Promise<Buffer> {
  const layers = pictures.map(({ image, place: { left, top } }) => ({
    input: Buffer.from(image.data),
    ...rawOptions(image),
    left,
    top,
  }));
  const png = await sharp(ground.data, rawOptions(ground)).composite(layers).removeAlpha().png().toBuffer();
  return sharp(png).jpeg({ quality }).toBuffer();
}
