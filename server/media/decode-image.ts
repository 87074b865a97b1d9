import { readFile, stat } from 'node:fs/promises';
import type decodeHeic from 'heic-decode';
import { Decoder, FilterAPI } from 'node-av/api';
import sharp, { type Sharp } from 'sharp';
import type { RgbImage } from '../models/embedder.ts';
import { isTruncated } from './detect-truncation.ts';
import { openDemuxer } from './open-demuxer.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

// libvips chooses a loader by what a file holds, and some read other files: an SVG does, by its references. Only those for what uploads
// may be are left.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].flatMap((format) => [
    `VipsForeignLoad${format}File`,
    `VipsForeignLoad${format}Buffer`,
  ]),
});

/** More than this is taken for a decompression bomb. */
export const maxImagePixels = 268_000_000;

/** A photograph decoded once, upright and in sRGB: raw pixels to make everything else from. */
export type DecodedImage = { width: number; height: number; channels: 1 | 2 | 3 | 4; data: Buffer };

/** Decodes a photograph. Throws `UnreadableMediaError`. */
export async function decodeImage(file: string, mimeType: string): Promise<DecodedImage> {
  try {
    const { data, info } = await (await openImage(file, mimeType)).autoOrient().toColourspace('srgb').toBuffer({
      resolveWithObject: true,
    });
    const { width, height, channels } = info;
    return { width, height, channels, data };
  } catch (error) {
    if (error instanceof UnreadableMediaError) throw error;
    if (error instanceof Error && /pixel limit|too large/i.test(error.message)) throw tooLarge(error);
    throw new UnreadableMediaError(
      'unreadable_media',
      'This image cannot be decoded. It may be damaged or cut off; open it on your computer and export it again.',
      { cause: error },
    );
  }
}

/** A longer HEIC file is not read into memory; cameras write a few megabytes. */
const maxHeicBytes = 2 ** 28;

/** A decoded photograph for sharp. */
const toSharp = ({ width, height, channels, data }: DecodedImage): Sharp =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels });

const tooLarge = (cause?: unknown) =>
  new UnreadableMediaError('too_large', 'This image has more than 268 million pixels. Scale it down and upload that.', {
    cause,
  });

/** A raw, decoded photograph. */
async function openImage(file: string, mimeType: string): Promise<Sharp> {
  if (/hei[cf]/.test(mimeType)) return openHeic(file);
  if (mimeType === 'image/bmp' || mimeType === 'image/jp2' || mimeType === 'image/jpx') return openWithFfmpeg(file);
  // Of a JPEG that is cut off, what is there is shown and the rest is grey. Other formats do not report what could not be decoded.
  const cutOff = mimeType === 'image/jpeg' && (await isTruncated(file, mimeType));
  const image = sharp(file, { limitInputPixels: maxImagePixels, failOn: cutOff ? 'none' : 'truncated' });
  await image.metadata();
  return image.raw();
}

type HeicImages = ({ width: number; height: number } & Awaited<ReturnType<typeof decodeHeic.all>>[number])[] & {
  dispose(): void;
};

/** libheif applies the image's own rotation while decoding. */
async function openHeic(file: string): Promise<Sharp> {
  if ((await stat(file)).size > maxHeicBytes) throw tooLarge();
  // Loaded on demand: most processes never need it, and it takes a while to load.
  const { default: heic } = await import('heic-decode');
  // Its types lack sizes and `dispose`, its documentation has them.
  const images = (await heic.all({ buffer: await readFile(file) })) as HeicImages;
  try {
    const [image] = images;
    if (!image) throw new Error('The file has no image.');
    if (image.width * image.height > maxImagePixels) throw tooLarge();
    const { width, height, data } = await image.decode();
    return sharp(new Uint8Array(data), { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .raw();
  } finally {
    images.dispose();
  }
}

/** Formats that sharp cannot read: FFmpeg sees a video of one frame. */
async function openWithFfmpeg(file: string): Promise<Sharp> {
  await using opened = await openDemuxer(file);
  const { demuxer } = opened;
  const stream = demuxer.video();
  if (!stream) throw new Error('The file has no image.');
  if (stream.codecpar.width * stream.codecpar.height > maxImagePixels) throw tooLarge();
  using decoder = await Decoder.create(stream, { options: { max_pixels: maxImagePixels } });
  using filter = FilterAPI.create('format=rgb24');
  for await (using frame of filter.frames(decoder.frames(demuxer.packets(stream.index)))) {
    if (!frame) continue;
    const { width, height } = frame;
    return sharp(frame.toBuffer(), { raw: { width, height, channels: 3 } }).raw();
  }
  throw new Error('No frame could be decoded.');
}

/** What every browser shows as it is. */
const browserTypes = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

/** Whether every browser shows an image file as it is. A JPEG in CMYK is shown in wrong colours. */
export async function isBrowserImage(file: string, mimeType: string): Promise<boolean> {
  if (mimeType !== 'image/jpeg') return browserTypes.has(mimeType);
  return (await sharp(file, { limitInputPixels: maxImagePixels }).metadata()).space !== 'cmyk';
}

/** Decodes an image file for embedders, no side longer than `maxSide` pixels. Throws `UnreadableMediaError`. */
export const readRgbImage = async (file: string, mimeType: string, maxSide: number): Promise<RgbImage> =>
  toRgbImage(await decodeImage(file, mimeType), maxSide);

/**
 * A decoded photograph as embedders take it, no side longer than `side` pixels.
 * @param part pixels of the photograph that are taken; all unless said
 */
export async function toRgbImage(
  photo: DecodedImage,
  side: number,
  part: { left: number; top: number; width: number; height: number } = { left: 0, top: 0, ...photo },
): Promise<RgbImage> {
  const { left, top, width, height } = part;
  const { data, info } = await toSharp(photo)
    .extract({ left, top, width, height })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { width: info.width, height: info.height, data };
  // Grey images come with one channel whatever colour space is asked for.
  const rgb = new Uint8Array(info.width * info.height * 3);
  for (let i = 0; i < rgb.length; i++) rgb[i] = data[Math.floor(i / 3) * info.channels] as number;
  return { width: info.width, height: info.height, data: rgb };
}
