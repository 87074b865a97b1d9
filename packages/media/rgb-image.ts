/** A decoded image: sRGB, 8 bits, three bytes a pixel, rows from the top, no padding. `data.length === width * height * 3`. */
export type RgbImage = { width: number; height: number; data: Uint8Array };

/**
 * One sampled instant of a chunk. `next` is the frame `after` seconds later (from the same shot, same
 * size), for embedders that look at motion; null for still images and at the very end.
 */
export type Moment = { image: RgbImage; next: { image: RgbImage; after: number } | null };
