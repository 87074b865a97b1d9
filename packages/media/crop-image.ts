import type { RgbImage } from './rgb-image.ts';

/** A crop's side as a share of the image's. */
const cropShare = 0.6;

/**
 * Crops of an image.
 * @param count 5: the four corners and the middle; 3: both ends of its longer side at full length of the other, and the middle
 */
export function cropImage(image: RgbImage, count: 3 | 5): RgbImage[] {
  const { width, height } = image;
  const w = Math.max(1, Math.round(width * cropShare));
  const h = Math.max(1, Math.round(height * cropShare));
  const middle = cutOut(image, { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h });
  if (count === 3) {
    const size = width >= height ? { width: w, height } : { width, height: h };
    const ends = [0, 1].map((end) =>
      cutOut(image, { left: end * (width - size.width), top: end * (height - size.height), ...size }),
    );
    return [...ends, middle];
  }
  const corners = [0, height - h].flatMap((top) =>
    [0, width - w].map((left) => cutOut(image, { left, top, width: w, height: h })),
  );
  return [...corners, middle];
}

/** A rectangle of an image. */
export function cutOut(
  image: RgbImage,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const from = 3 * ((top + y) * image.width + left);
    data.set(image.data.subarray(from, from + 3 * width), 3 * y * width);
  }
  return { width, height, data };
}
