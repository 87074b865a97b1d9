import sharp from 'sharp';

/**
 * Brings a thumbnail into the 16:9 of a card. What is wider than high is cut around what attracts the eye: edges, saturated colours and skin
 * (the attention strategy of libvips). A cut of what is higher would keep two fifths of a 3:4 and a third of a 9:16, and often not the
 * face: it is shown whole, over itself blurred. Never enlarges.
 * @param width of the result at most, pixels
 * @returns WebP
 */
export async function cropThumbnail(image: Buffer, width: number): Promise<Buffer> {
  const own = await sharp(image).metadata();
  const isPortrait = own.height > own.width;
  const target = Math.min(width, isPortrait ? Math.round((own.height * 16) / 9) : own.width);
  const size = { width: target, height: Math.max(1, Math.round((target * 9) / 16)) };
  const card = isPortrait
    ? sharp(await blurred(image, size)).composite([
        { input: await sharp(image).resize({ height: size.height }).toBuffer(), gravity: 'centre' },
      ])
    : sharp(image).resize({ ...size, fit: 'cover', position: sharp.strategy.attention });
  return card.webp({ quality: 80 }).toBuffer();
}

/** An image as the background of itself. It is blurred small: that costs less and looks the same. */
const blurred = async (image: Buffer, { width, height }: { width: number; height: number }): Promise<Buffer> =>
  sharp(
    await sharp(image)
      .resize({ width: 64, height: 36, fit: 'cover' })
      .blur(3)
      .modulate({ brightness: 0.75 })
      .toBuffer(),
  )
    .resize({ width, height, fit: 'fill' })
    .toBuffer();
