import type { MediaType } from '../../contract/media.ts';

/** The sizes in which pictures of an item are stored, and the names of their files. Nothing here reads a picture. */

export type Size = { width: number; height: number };

/** Longest sides of thumbnails, pixels: rows of the grid on screens with one and with two pixels to each CSS pixel, and large rows. */
const thumbnailSides = [320, 640, 1280];

/** Longest side of the images that embedders get, and of the thumbnails of a video's chunks, pixels. */
export const sampleSide = 480;

/** Longest side of what a viewer shows of a photograph before it asks for the original, pixels. */
export const previewSide = 2048;

export const previewFile = 'preview.webp';

/** The poster of an item that an earlier release indexed; those of today have their longest side in their name. */
export const earlierPoster = 'poster.webp';
/** The same of a film, whose larger frame is not read again, once its smaller sizes are there. */
export const earlierVideoPoster = `poster-${sampleSide}.webp`;
/** Longest sides of such posters. */
const earlierPosterSides = { image: 640, video: sampleSide, audio: sampleSide };

/** A picture that is stored, or can be made from one that is. */
export type Picture = Size & { file: string };

/** A size scaled down so that no side is longer than `side`; never up, never below one pixel. */
export function fitWithin({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

const longestSide = ({ width, height }: Size): number => Math.max(width, height);

const posterName = (side: number): string => `poster-${side}.webp`;

/** The posters that indexing makes of an item of this size, the smallest first. The last one holds as much of it as any. */
export function posterSizes(full: Size): (Picture & { side: number })[] {
  const enough = thumbnailSides.findIndex((side) => side >= longestSide(full));
  const sides = enough < 0 ? thumbnailSides : thumbnailSides.slice(0, enough + 1);
  return sides.map((side) => ({ side, file: posterName(side), ...fitWithin(full, side) }));
}

/** The preview of a photograph of this size; null where the largest poster shows every pixel. */
export const previewSize = (full: Size): Picture | null =>
  longestSide(full) > (thumbnailSides.at(-1) ?? 0) ? { file: previewFile, ...fitWithin(full, previewSide) } : null;

/** Longest side of a thumbnail, by its name. */
function sideOf(file: string, type: MediaType): number {
  const [, side] = /^poster-(\d+)\.webp$/.exec(file) ?? [];
  if (side !== undefined) return Number(side);
  return file === earlierPoster ? earlierPosterSides[type] : sampleSide;
}

/** The name of a thumbnail in a smaller size. */
const sizedName = (file: string, side: number): string =>
  file.startsWith('poster') ? posterName(side) : file.replace(/\.webp$/, `-${side}.webp`);

/**
 * A thumbnail in all sizes that it comes in, the smallest first, itself last.
 * @param full size of the item; null: unknown, as of none that is indexed
 */
export function thumbnailSizes(file: string, type: MediaType, full: Size | null): Picture[] {
  const own = full ? fitWithin(full, sideOf(file, type)) : null;
  if (!full || !own) return [];
  const smaller = thumbnailSides
    .filter((side) => side < longestSide(own))
    .map((side) => ({ file: sizedName(file, side), ...fitWithin(full, side) }));
  return [...smaller, { file, ...own }];
}

/** The poster in the size of small cards, by the name of the largest. */
export const smallPoster = (poster: string): string => (sideOf(poster, 'image') > 640 ? posterName(640) : poster);

/** The thumbnail that a smaller one is cut from, with the longest side of that one; null for any other file. */
export function cutFrom(file: string, poster: string | null): { from: string; side: number } | null {
  const [, stem = '', digits] = /^(.+)-(\d+)\.webp$/.exec(file) ?? [];
  const side = [...thumbnailSides, sampleSide].find((each) => String(each) === digits);
  const from = stem === 'poster' ? poster : `${stem}.webp`;
  return side === undefined || from === null || from === file ? null : { from, side };
}
