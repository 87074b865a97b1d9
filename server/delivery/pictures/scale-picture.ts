import sharp from 'sharp';

/**
 * Scales a picture that this service encoded itself; never up.
 * @param side longest side of the result at most, pixels
 * @param destination a WebP file
 */
export async function scalePicture(picture: Buffer, side: number, destination: string): Promise<void> {
  await sharp(picture)
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toFile(destination);
}
