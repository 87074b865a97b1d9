import type { RgbImage } from '@media-search/media/rgb-image';
import type { RotatedRectangle } from './rotated-rectangle.ts';

/** Samples of the picture for each side of a pixel of the crop: more only cost time. */
const maxSupersampling = 6;

/**
 * Cuts a rotated rectangle out of a picture, sets it level and scales it, by bilinear interpolation; what is beyond the edge of the
 * picture repeats the edge.
 * @param size of the crop, pixels
 */
export function straighten(
  picture: RgbImage,
  { centre, width, height, angle }: RotatedRectangle,
  size: { width: number; height: number },
): RgbImage {
  const data = new Uint8Array(size.width * size.height * 3);
  const scale = Math.max(width / size.width, height / size.height);
  const samples = Math.min(maxSupersampling, Math.max(1, Math.ceil(scale / 1.5)));
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const pixel = new Float32Array(3);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      pixel.fill(0);
      for (let i = 0; i < samples * samples; i++) {
        const along = ((x + ((i % samples) + 0.5) / samples) / size.width - 0.5) * width;
        const across = ((y + (Math.floor(i / samples) + 0.5) / samples) / size.height - 0.5) * height;
        addPixel(picture, centre.x + along * cos - across * sin, centre.y + along * sin + across * cos, pixel);
      }
      for (let c = 0; c < 3; c++) data[(y * size.width + x) * 3 + c] = Math.round((pixel[c] as number) / samples ** 2);
    }
  }
  return { ...size, data };
}

/** Adds the colour at a place of the picture; the middle of its first pixel is at 0.5, 0.5. */
function addPixel({ width, height, data }: RgbImage, x: number, y: number, sum: Float32Array): void {
  const u = Math.min(width - 1, Math.max(0, x - 0.5));
  const v = Math.min(height - 1, Math.max(0, y - 0.5));
  const [left, top] = [Math.floor(u), Math.floor(v)];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [fx, fy] = [u - left, v - top];
  for (let c = 0; c < 3; c++) {
    const at = (px: number, py: number) => data[(py * width + px) * 3 + c] as number;
    const above = at(left, top) * (1 - fx) + at(right, top) * fx;
    const below = at(left, bottom) * (1 - fx) + at(right, bottom) * fx;
    sum[c] = (sum[c] as number) + above * (1 - fy) + below * fy;
  }
}
