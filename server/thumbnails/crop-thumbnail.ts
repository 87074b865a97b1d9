import sharp from 'sharp';

/**
 * Cuts a thumbnail to 16:9 for a card, around what attracts the eye: edges, saturated colours and skin (the attention strategy of libvips), so
 * that the face of a portrait is not cut off as it is by the middle. Never enlarges.
 * @param width of the result, pixels
 * @returns WebP
 */
export async function cropThumbnail(image: Buffer, width: number): Promise<Buffer> {
  const { width: ownWidth } = await sharp(image).metadata();
  const target = Math.min(width, ownWidth);
  return sharp(image)
    .resize({
      width: target,
      height: Math.max(1, Math.round((target * 9) / 16)),
      fit: 'cover',
      position: sharp.strategy.attention,
    })
    .webp({ quality: 80 })
    .toBuffer();
}
