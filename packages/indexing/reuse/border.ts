import { findPictures } from '@media-search/media/framing/find-pictures';
import type { RgbImage } from '@media-search/media/rgb-image';
import { isWhole, type Part } from './frame-descriptor.ts';

/** How far a pixel of a border may be from what it was before: compression noise. Of 255. */
const maxNoise = 14;
/** The share of its pixels that may be further away. */
const maxOutliers = 0.01;
/** How far from its place the side of a border may be found. Pixels. */
const sideError = 6;

/**
 * Finds what is inside of the border of a video, one part of it after the other. In dark pictures no border is seen: it is where it was as long as what lies outside of
 * it does not change.
 */
export function createBorderFollower() {
  let before: { image: RgbImage; inside: Part } | undefined;

  return {
    /** @param images of a part of the video, one at least */
    findInside(images: RgbImage[]): Part {
      let { inside } = findPictures(images, 0);
      if (before && isWhole(inside) && isUnchangedOutside(images, before.image, before.inside)) inside = before.inside;
      before = { image: images.at(-1) as RgbImage, inside };
      return inside;
    },
  };
}

/** Whether images show outside of a part what an earlier one showed there. */
function isUnchangedOutside(images: RgbImage[], { width, height, data }: RgbImage, inside: Part): boolean {
  if (isWhole(inside) || images.some((image) => image.width !== width || image.height !== height)) return false;
  const [left, right] = [Math.round(inside.left * width) - sideError, Math.round(inside.right * width) + sideError];
  const [top, bottom] = [Math.round(inside.top * height) - sideError, Math.round(inside.bottom * height) + sideError];
  let [looked, changed] = [0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (y >= top && y < bottom && x >= left && x < right) continue;
      const at = 3 * (y * width + x);
      looked += 1;
      if (images.some((image) => differ(image.data, data, at))) changed += 1;
    }
  }
  return looked > 0 && changed <= maxOutliers * looked;
}

const differ = (a: Uint8Array, b: Uint8Array, at: number): boolean =>
  Math.abs(a[at]! - b[at]!) > maxNoise ||
  Math.abs(a[at + 1]! - b[at + 1]!) > maxNoise ||
  Math.abs(a[at + 2]! - b[at + 2]!) > maxNoise;
