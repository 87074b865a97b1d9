import { readFile, stat } from 'node:fs/promises';
import type decodeHeic from 'heic-decode';
import { Decoder, FilterAPI } from 'node-av/api';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { isTruncated } from './detect-truncation.ts';
import { openDemuxer } from './open-demuxer.ts';
import { rawFormats } from './raw/raw-photo.ts';
import { readRawPreview } from './raw/read-raw-preview.ts';
import { readRaw } from './raw/read-raw.ts';
import type { RgbImage } from './rgb-image.ts';
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

/** The same of what a decoder holds as a whole, and cannot scale down while it reads: the pixels of 100 megapixels take 400 MB, often twice. */
const maxWholePixels = 100_000_000;

/** What has more pixels is scaled down to as many while it is read: a file of one megabyte can have 268 million, which take a gigabyte. */
export const maxDecodedPixels = 67_108_864;

type Size = { width: number; height: number };

/** A photograph decoded once, upright and in sRGB: raw pixels to make everything else from. */
export type DecodedImage = Size & {
  channels: 1 | 2 | 3 | 4;
  data: Buffer;
  /** The size of the photograph itself, of which `data` may be scaled down. */
  full: Size;
};

/** Decodes a photograph, scaled down to `maxDecodedPixels`. Throws `UnreadableMediaError`. */
export async function decodeImage(file: string, mimeType: string): Promise<DecodedImage> {
  try {
    const { image, full } = await openImage(file, mimeType);
    const { data, info } = await image.toColourspace('srgb').toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { width, height, channels, data, full: full ?? { width, height } };
  } catch (error) {
    if (error instanceof UnreadableMediaError) throw error;
    if (error instanceof Error && /pixel limit|too large/i.test(error.message)) throw tooLarge(maxImagePixels, error);
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
const toSharp = ({ width, height, channels, data }: Omit<DecodedImage, 'full'>): Sharp =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels });

const tooLarge = (most: number, cause?: unknown) =>
  new UnreadableMediaError(
    'too_large',
    `This image has more than ${most / 1e6} million pixels. Scale it down and upload that.`,
    { cause },
  );

/** A raw photograph, and its size where that is another. */
type OpenedImage = { image: Sharp; full?: Size };

async function openImage(file: string, mimeType: string): Promise<OpenedImage> {
  if (/hei[cf]/.test(mimeType)) return { image: await openHeic(file) };
  if (/bmp|jp2|jpx/.test(mimeType)) return { image: await openWithFfmpeg(file) };
  const source = mimeType in rawFormats ? await openRaw(file) : file;
  // A JPEG that is cut off shows what is there; the rest is grey. Other formats do not report what could not be decoded.
  const cutOff = mimeType === 'image/jpeg' && (await isTruncated(file, mimeType));
  const image = sharp(source, { limitInputPixels: maxImagePixels, failOn: cutOff ? 'none' : 'truncated' });
  const metadata = await image.metadata();
  const pixels = metadata.width * metadata.height;
  // libpng holds an interlaced image as a whole, libheif and libnsgif any.
  const isWhole = ['heif', 'gif'].includes(metadata.format) || (metadata.format === 'png' && metadata.isProgressive);
  if (isWhole && pixels > maxWholePixels) throw tooLarge(maxWholePixels);
  if (pixels <= maxDecodedPixels) return { image: image.autoOrient().raw() };
  return { image: await scaleWhileRead(image, metadata), full: metadata.autoOrient };
}

/** The picture that the camera put into a raw photograph. */
async function openRaw(file: string): Promise<Buffer> {
  const raw = await readRaw(file);
  if (!raw) throw new Error('The file is no raw photograph.');
  return await readRawPreview(file, raw);
}

/** How an image is turned and mirrored to be upright, by its EXIF orientation: degrees, and whether it is mirrored left to right before that. */
const orientations: Record<number, [degrees: number, mirrored: boolean]> = {
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [270, true],
  6: [90, false],
  7: [90, true],
  8: [270, false],
};

/** Scales an image down to `maxDecodedPixels`. It is turned upright afterwards: to turn it while it is read would hold it as a whole. */
async function scaleWhileRead(image: Sharp, { width, height, orientation = 1 }: Metadata): Promise<Sharp> {
  const scale = Math.sqrt(maxDecodedPixels / (width * height));
  const toLength = (length: number) => Math.max(1, Math.floor(length * scale));
  const size = { width: toLength(width), height: toLength(height), fit: 'fill' } as const;
  const { data, info } = await image.resize(size).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const [degrees, mirrored] = orientations[orientation] ?? [0, false];
  return toSharp({ ...info, data })
    .rotate(degrees)
    .flop(mirrored)
    .raw();
}

type HeicImages = ({ width: number; height: number } & Awaited<ReturnType<typeof decodeHeic.all>>[number])[] & {
  dispose(): void;
};

/** libheif applies the image's own rotation while decoding. */
async function openHeic(file: string): Promise<Sharp> {
  if ((await stat(file)).size > maxHeicBytes) throw tooLarge(maxImagePixels);
  // Loaded on demand: most processes never need it, and it takes a while to load.
  const { default: heic } = await import('heic-decode');
  // Its types lack sizes and `dispose`, its documentation has them.
  const images = (await heic.all({ buffer: await readFile(file) })) as HeicImages;
  try {
    const [image] = images;
    if (!image) throw new Error('The file has no image.');
    if (image.width * image.height > maxWholePixels) throw tooLarge(maxWholePixels);
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
  if (stream.codecpar.width * stream.codecpar.height > maxWholePixels) throw tooLarge(maxWholePixels);
  using decoder = await Decoder.create(stream, { options: { max_pixels: maxWholePixels } });
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
