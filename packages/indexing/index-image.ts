import path from 'node:path';
import { decodeImage, isBrowserImage } from '@media-search/media/decode-image';
import { describeTruncation, isTruncated } from '@media-search/media/detect-truncation';
import { writeScaledWebp } from '@media-search/media/encode-image';
import { readImageTags } from '@media-search/media/read-image-tags';
import { readPlaceholder } from '@media-search/media/thumbnails';
import { embedPhoto } from './embed-chunks.ts';
import type { IndexedChunk, IndexedMedia, IndexingTask } from './indexed-media.ts';

const posterSide = 640;
const thumbnailSide = 480;
const displaySide = 4096;

const posterFile = 'poster.webp';
const thumbnailFile = 'chunk-00000.webp';
const displayFile = 'display.webp';

/** Indexes an image as one chunk. Throws `UnreadableMediaError`. */
export async function indexImage(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, embedders, onProgress, signal } = task;
  onProgress('reading', 0);
  const image = await decodeImage(task.path, mimeType);
  signal.throwIfAborted();
  onProgress('analysing', 0.5);
  const embeddings: IndexedChunk['embeddings'] = [];
  for (const embedder of embedders) {
    embeddings.push({ embedderId: embedder.id, ...(await embedPhoto(embedder, image)) });
  }
  onProgress('rendering', 0.7);
  await writeScaledWebp(image, posterSide, path.join(outputDirectory, posterFile));
  await writeScaledWebp(image, thumbnailSide, path.join(outputDirectory, thumbnailFile));
  const isDisplayable = await isBrowserImage(task.path, mimeType);
  if (!isDisplayable) await writeScaledWebp(image, displaySide, path.join(outputDirectory, displayFile));
  onProgress('storing', 0.99);
  return {
    type: 'image',
    mimeType,
    duration: null,
    ...image.full,
    poster: posterFile,
    placeholder: await readPlaceholder(path.join(outputDirectory, posterFile)),
    rendition: isDisplayable ? null : { file: displayFile, mimeType: 'image/webp' },
    tags: '',
    ...(await readImageTags(task.path, mimeType)),
    warning: (await isTruncated(task.path, mimeType)) ? describeTruncation(null) : null,
    chunks: [{ start: 0, end: 0, thumbnail: thumbnailFile, blank: false, embeddings }],
    texts: [],
  };
}
