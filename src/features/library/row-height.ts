/** How high a row of pictures is on a wide page, pixels. */
export const gridSizes = { least: 90, most: 360, usual: 136 };

/** A size that there is, the nearest to another one. */
export const limitSize = (size: number): number => between(gridSizes.least, size, gridSizes.most);

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

/** The height that rows of a width are near to: smaller where there is less room, so that a phone has three to four pictures in a row. */
export function rowHeight(size: number, { width }: { width: number }): number {
  const share = between(0.6, 0.6 + (0.4 * (width - 390)) / 700, 1);
  return Math.round(Math.min(size * share, width * 0.6));
}
