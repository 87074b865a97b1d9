/** A row of pictures side by side: from a position on, so many, all of one height. Lengths are CSS pixels. */
export type JustifiedRow = {
  first: number;
  count: number;
  top: number;
  height: number;
  lefts: number[];
  widths: number[];
};

/** The widest and the highest picture that rows keep the shape of; beyond, a picture is cut to it: a panorama would be a thread. */
const bounds = { least: 0.5, most: 3 };

export const shownRatio = (ratio: number): number => Math.min(bounds.most, Math.max(bounds.least, ratio));

/**
 * Lays pictures out in justified rows, as Flickr and Google Photos do: each keeps its shape, and each row fills the width. Greedy: a row ends
 * with the picture whose height comes nearest to the target. The last row is not stretched.
 * @param ratios width through height of each picture, in order
 * @param width of the rows
 * @param target height of a row; rows are between about two thirds and one and a half of it
 * @param gap between pictures and between rows
 */
export function justifyRows(ratios: ArrayLike<number>, width: number, target: number, gap: number): JustifiedRow[] {
  const rows: JustifiedRow[] = [];
  let top = 0;
  let first = 0;
  while (first < ratios.length) {
    const { count, height, isFull } = takeRow(ratios, first, width, target, gap);
    const row: JustifiedRow = { first, count, top, height, lefts: [], widths: [] };
    let left = 0;
    for (let i = 0; i < count; i++) {
      const exact = shownRatio(ratios[first + i] ?? 1) * height;
      // The last one takes what rounding leaves, so that the right edge is straight.
      const own = isFull && i === count - 1 ? width - left : Math.round(exact);
      row.lefts.push(left);
      row.widths.push(own);
      left += own + gap;
    }
    rows.push(row);
    top += height + gap;
    first += count;
  }
  return rows;
}

/** How many pictures the row from a position on takes, and its height. */
function takeRow(ratios: ArrayLike<number>, first: number, width: number, target: number, gap: number) {
  let sum = 0;
  for (let count = 1; first + count <= ratios.length; count++) {
    const before = { count: count - 1, height: Math.round((width - gap * Math.max(0, count - 2)) / sum) };
    sum += shownRatio(ratios[first + count - 1] ?? 1);
    const height = Math.round((width - gap * (count - 1)) / sum);
    if (height > target) continue;
    const isNearer = count > 1 && before.height / target < target / height;
    return { ...(isNearer ? before : { count, height }), isFull: true };
  }
  return { count: ratios.length - first, height: target, isFull: false };
}
