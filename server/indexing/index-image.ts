import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { decodeImage, maxImagePixels, toRgbImage, toSharp } from '../media/decode-image.ts';
import { describeTruncation, isTruncated } from '../media/detect-truncation.ts';
import { readPlaceholder } from '../media/thumbnails.ts';
import { embedImage } from './embed-chunks.ts';
import type { IndexedChunk, IndexedMedia, IndexingTask } from './indexed-media.ts';

const posterSide = 640;
const thumbnailSide = 480;
const displaySide = 4096;

/** What every browser shows as it is. */
const browserImageTypes = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

const posterFile = 'poster.webp';
const thumbnailFile = 'chunk-00000.webp';
const displayFile = 'display.webp';

/** Indexes a photograph as one chunk. Throws `UnreadableMediaError`. */
export async function indexImage(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, embedders, onProgress, signal } = task;
  onProgress('reading', 0);
  const photo = await decodeImage(task.path, mimeType);
  signal.throwIfAborted();
  onProgress('analysing', 0.5);
  const embeddings: IndexedChunk['embeddings'] = [];
  for (const embedder of embedders) {
    const picture = await toRgbImage(photo, embedder.maxPhotoSide);
    embeddings.push({ embedderId: embedder.id, ...(await embedImage(embedder, picture)) });
  }
  onProgress('rendering', 0.7);
  await writeWebp(toSharp(photo), posterSide, path.join(outputDirectory, posterFile));
  await writeWebp(toSharp(photo), thumbnailSide, path.join(outputDirectory, thumbnailFile));
  const isDisplayable = browserImageTypes.has(mimeType) && !(await isCmyk(task.path, mimeType));
  if (!isDisplayable) await writeWebp(toSharp(photo), displaySide, path.join(outputDirectory, displayFile));
  onProgress('storing', 0.99);
  return {
    type: 'image',
    mimeType,
    duration: null,
    width: photo.width,
    height: photo.height,
    poster: posterFile,
    placeholder: await readPlaceholder(path.join(outputDirectory, posterFile)),
    rendition: isDisplayable ? null : { file: displayFile, mimeType: 'image/webp' },
    tags: '',
    warning: (await isTruncated(task.path, mimeType)) ? describeTruncation(null) : null,
    chunks: [{ start: 0, end: 0, thumbnail: thumbnailFile, text: null, blank: false, embeddings }],
  };
}

async function writeWebp(photo: Sharp, side: number, file: string): Promise<void> {
  await photo
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toFile(file);
}

async function isCmyk(file: string, mimeType: string): Promise<boolean> {
  return (
    mimeType === 'image/jpeg' && (await sharp(file, { limitInputPixels: maxImagePixels }).metadata()).space === 'cmyk'
  );
}
