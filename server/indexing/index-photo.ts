import { readFile } from 'node:fs/promises';
import path from 'node:path';
import decodeHeic from 'heic-decode';
import { Decoder, Demuxer, FilterAPI } from 'node-av/api';
import sharp, { type Sharp } from 'sharp';
import type { Picture } from '../models/embedder.ts';
import { type IndexedMedia, type IndexingTask, UnreadableMediaError } from './indexed-media.ts';

/** More than this is taken for a decompression bomb. */
const maxPixels = 268_000_000;
const posterSide = 640;
const embedSide = 480;
const displaySide = 4096;

/** What every browser shows as it is. */
const displayable = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

const posterFile = 'poster.webp';
const thumbnailFile = 'chunk-00000.webp';
const displayFile = 'display.webp';

/** Indexes a photograph as one chunk. Throws `UnreadableMediaError`. */
export async function indexPhoto(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, embedder, onProgress, signal } = task;
  onProgress('reading', 0);
  try {
    // One decode, upright and in sRGB; everything else is made from it.
    const upright = await (await openPhoto(task.path, mimeType)).autoOrient().toColourspace('srgb').toBuffer({
      resolveWithObject: true,
    });
    signal.throwIfAborted();
    const { width, height, channels } = upright.info;
    const photo = () => sharp(upright.data, { raw: { width, height, channels }, limitInputPixels: maxPixels });
    onProgress('analysing', 0.5);
    const [vector] = await embedder.embedChunks([[{ picture: await toPicture(photo()), next: null }]]);
    if (!vector) throw new Error('The embedder gave no vector.');
    onProgress('rendering', 0.7);
    await writeWebp(photo(), posterSide, path.join(outputDirectory, posterFile));
    await writeWebp(photo(), embedSide, path.join(outputDirectory, thumbnailFile));
    const asItIs = displayable.has(mimeType) && !(await isCmyk(task.path, mimeType));
    if (!asItIs) await writeWebp(photo(), displaySide, path.join(outputDirectory, displayFile));
    onProgress('storing', 0.99);
    return {
      type: 'image',
      mimeType,
      duration: null,
      width,
      height,
      poster: posterFile,
      rendition: asItIs ? null : { file: displayFile, mimeType: 'image/webp' },
      tags: '',
      chunks: [{ start: 0, end: 0, thumbnail: thumbnailFile, text: null, vector }],
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableMediaError) throw error;
    if (error instanceof Error && /pixel limit|too large/i.test(error.message)) throw tooLarge(error);
    throw new UnreadableMediaError(
      'unreadable_media',
      'This image cannot be decoded. It may be damaged or cut off; open it on your computer and export it anew.',
      { cause: error },
    );
  }
}

const tooLarge = (cause?: unknown) =>
  new UnreadableMediaError('too_large', 'This image has more than 268 million pixels. Scale it down and upload that.', {
    cause,
  });

/** A raw, decoded photograph. */
async function openPhoto(file: string, mimeType: string): Promise<Sharp> {
  if (/hei[cf]/.test(mimeType)) return openHeic(file);
  if (mimeType === 'image/bmp' || mimeType === 'image/jp2' || mimeType === 'image/jpx') return openByFfmpeg(file);
  // Damaged ends are common and show as a grey rest; only what cannot be decoded at all is refused.
  const image = sharp(file, { limitInputPixels: maxPixels, failOn: 'truncated' });
  await image.metadata();
  return image.raw();
}

/** libheif applies the picture's own rotation while decoding. */
async function openHeic(file: string): Promise<Sharp> {
  const { width, height, data } = await decodeHeic({ buffer: await readFile(file) });
  return sharp(new Uint8Array(data), { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .raw();
}

/** Formats that sharp cannot read: FFmpeg sees a video of one frame. */
async function openByFfmpeg(file: string): Promise<Sharp> {
  await using demuxer = await Demuxer.open(file);
  const stream = demuxer.video();
  if (!stream) throw new Error('There is no picture in the file.');
  if (stream.codecpar.width * stream.codecpar.height > maxPixels) throw tooLarge();
  using decoder = await Decoder.create(stream);
  using filter = FilterAPI.create('format=rgb24');
  for await (using frame of filter.frames(decoder.frames(demuxer.packets(stream.index)))) {
    if (!frame) continue;
    const { width, height } = frame;
    return sharp(frame.toBuffer(), { raw: { width, height, channels: 3 } }).raw();
  }
  throw new Error('No frame could be decoded.');
}

async function toPicture(photo: Sharp): Promise<Picture> {
  const { data, info } = await photo
    .resize({ width: embedSide, height: embedSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { width: info.width, height: info.height, data };
  // Grey pictures come with one channel whatever colour space is asked for.
  const rgb = new Uint8Array(info.width * info.height * 3);
  for (let i = 0; i < rgb.length; i++) rgb[i] = data[Math.floor(i / 3) * info.channels] as number;
  return { width: info.width, height: info.height, data: rgb };
}

async function writeWebp(photo: Sharp, side: number, file: string): Promise<void> {
  await photo
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toFile(file);
}

async function isCmyk(file: string, mimeType: string): Promise<boolean> {
  return mimeType === 'image/jpeg' && (await sharp(file, { limitInputPixels: maxPixels }).metadata()).space === 'cmyk';
}
