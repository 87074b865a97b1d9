import { cutOut } from '../crop-image.ts';
import { type DecodedImage, toRgbImage } from '../decode-image.ts';
import type { Moment, RgbImage } from '../rgb-image.ts';
import { type Framing, findPictures } from './find-pictures.ts';
import type { Rectangle } from './separating-lines.ts';

/** Longest side at which borders are looked for, pixels: that of the samples of a video. */
const framingSide = 480;
/** Pictures inside of a photograph, a screenshot or a collage that are embedded, and of a frame of a video, at most. */
const maxPhotoPictures = 4;
const maxVideoPictures = 1;

/**
 * What of a photograph is embedded: what is inside of its border, and then the pictures inside of that, where it is a screenshot or a collage. They are
 * cut from the photograph in its own size.
 * @param maxSide longest side of each of them, pixels
 */
export async function framePhoto(photo: DecodedImage, maxSide: number): Promise<[RgbImage, ...RgbImage[]]> {
  const whole = await toRgbImage(photo, framingSide);
  const { inside, pictures } = findPictures([whole], maxPhotoPictures);
  const scaled = (part: Rectangle) => toRgbImage(photo, maxSide, toPixels(part, photo));
  const first = isWhole(inside) && maxSide === framingSide ? whole : await scaled(inside);
  return [first, ...(await Promise.all(pictures.map(scaled)))];
}

/** The same of moments of one shot: a border does not move within it. Each element has all moments. */
export function frameMoments(moments: Moment[]): [Moment[], ...Moment[][]] {
  const { inside, pictures } = findPictures(
    moments.map(({ image }) => image),
    maxVideoPictures,
  );
  return [cropMoments(moments, inside), ...pictures.map((part) => cropMoments(moments, part))];
}

function cropMoments(moments: Moment[], part: Rectangle): Moment[] {
  if (isWhole(part)) return moments;
  const crop = (image: RgbImage) => cutOut(image, toPixels(part, image));
  return moments.map(({ image, next }) => ({ image: crop(image), next: next && { ...next, image: crop(next.image) } }));
}

const isWhole = ({ left, top, right, bottom }: Framing['inside']): boolean =>
  left === 0 && top === 0 && right === 1 && bottom === 1;

/** The pixels that lie in a part of an image as a whole, so that nothing of a border is among them. */
function toPixels(part: Rectangle, { width, height }: { width: number; height: number }) {
  const left = Math.min(width - 1, Math.ceil(part.left * width));
  const top = Math.min(height - 1, Math.ceil(part.top * height));
  return {
    left,
    top,
    width: Math.max(1, Math.floor(part.right * width) - left),
    height: Math.max(1, Math.floor(part.bottom * height) - top),
  };
}
