import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { decodePhoto, maxPixels, toPicture, toSharp } from './decode-photo.ts';
import { embedPhoto } from './embed-chunks.ts';
import { describeTruncation, isTruncated } from './find-truncation.ts';
import type { IndexedChunk, IndexedMedia, IndexingTask } from './indexed-media.ts';
import { readPlaceholder } from './thumbnails.ts';

const posterSide = 640;
const thumbnailSide = 480;
const displaySide = 4096;

/** What every browser shows as it is. */
const displayable = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

const posterFile = 'poster.webp';
const thumbnailFile = 'chunk-00000.webp';
const displayFile = 'display.webp';

/** Indexes a photograph as one chunk. Throws `UnreadableMediaError`. */
export async function indexPhoto(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, embedders, onProgress, signal } = task;
  onProgress('reading', 0);
  const photo = await decodePhoto(task.path, mimeType);
  signal.throwIfAborted();
  onProgress('analysing', 0.5);
  const embeddings: IndexedChunk['embeddings'] = [];
  for (const embedder of embedders) {
    const picture = await toPicture(photo, embedder.photoSide);
    embeddings.push({ embedderId: embedder.id, ...(await embedPhoto(embedder, picture)) });
  }
  onProgress('rendering', 0.7);
  await writeWebp(toSharp(photo), posterSide, path.join(outputDirectory, posterFile));
  await writeWebp(toSharp(photo), thumbnailSide, path.join(outputDirectory, thumbnailFile));
  const asItIs = displayable.has(mimeType) && !(await isCmyk(task.path, mimeType));
  if (!asItIs) await writeWebp(toSharp(photo), displaySide, path.join(outputDirectory, displayFile));
  onProgress('storing', 0.99);
  return {
    type: 'image',
    mimeType,
    duration: null,
    width: photo.width,
    height: photo.height,
    poster: posterFile,
    placeholder: await readPlaceholder(path.join(outputDirectory, posterFile)),
    rendition: asItIs ? null : { file: displayFile, mimeType: 'image/webp' },
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
  return mimeType === 'image/jpeg' && (await sharp(file, { limitInputPixels: maxPixels }).metadata()).space === 'cmyk';
}
