import type { RgbImage } from '../models/embedder.ts';

/** A crop's side as a share of the image's. */
const cropShare = 0.6;

/** The four corners and the middle of an image. */
export function cropImage({ width, height, data }: RgbImage): RgbImage[] {
  const w = Math.max(1, Math.round(width * cropShare));
  const h = Math.max(1, Math.round(height * cropShare));
  const places = [
    [0, 0],
    [width - w, 0],
    [0, height - h],
    [width - w, height - h],
    [(width - w) >> 1, (height - h) >> 1],
  ] as const;
  return places.map(([left, top]) => {
    const crop = new Uint8Array(w * h * 3);
    for (let y = 0; y < h; y++) {
      const from = 3 * ((top + y) * width + left);
      crop.set(data.subarray(from, from + 3 * w), 3 * y * w);
    }
    return { width: w, height: h, data: crop };
  });
}
