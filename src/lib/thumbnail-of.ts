type Pictures = { thumbnails: readonly { width: number; url: string }[]; thumbnail: string | null };

/** A small picture of an item, the smallest that is as wide as asked for, pixels; null before it has one. */
export const thumbnailOf = ({ thumbnails, thumbnail }: Pictures, width: number): string | null =>
  thumbnails.find((picture) => picture.width >= width)?.url ?? thumbnail;

/** As wide, pixels, as lists show most pictures, so that the browser has it. */
export const usualWidth = 480;
