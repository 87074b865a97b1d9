import sharp from 'sharp';

/** Pixels of a side of the square that each picture gets, and squares to a row. */
const side = 64;
const perRow = 10;
const channels = 4;

/**
 * Draws pictures into squares side by side: each cut to its middle, in the order given.
 * @param reads read one picture each; null, or what is no image, leaves its square transparent
 * @returns WebP
 */
export async function composeSheet(reads: (() => Promise<Buffer | null>)[]): Promise<Buffer> {
  const width = side * Math.min(perRow, reads.length);
  const height = side * Math.ceil(reads.length / perRow);
  const sheet = Buffer.alloc(width * height * channels);
  // A few at once: each takes a thread of the four that also read files.
  await Promise.all(
    [0, 1].map(async (turn) => {
      for (let place = turn; place < reads.length; place += 2) {
        const square = await cutSquare(await (reads[place] as () => Promise<Buffer | null>)());
        if (square) copySquare(square, sheet, width, place);
      }
    }),
  );
  return sharp(sheet, { raw: { width, height, channels } }).webp({ quality: 72, effort: 2 }).toBuffer();
}

const cutSquare = (image: Buffer | null): Promise<Buffer | null> =>
  image === null
    ? Promise.resolve(null)
    : sharp(image)
        .resize(side, side, { fit: 'cover', kernel: 'cubic' })
        .ensureAlpha()
        .toColourspace('srgb')
        .raw()
        .toBuffer()
        .catch(() => null);

function copySquare(square: Buffer, sheet: Buffer, width: number, place: number): void {
  const [left, top] = [side * (place % perRow), side * Math.floor(place / perRow)];
  for (let row = 0; row < side; row++) {
    const to = ((top + row) * width + left) * channels;
    square.copy(sheet, to, row * side * channels, (row + 1) * side * channels);
  }
}
