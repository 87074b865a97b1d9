import path from 'node:path';
import { decodeImage, isBrowserImage, toRgbImage } from '@media-search/media/decode-image';
import { describeTruncation, isTruncated } from '@media-search/media/detect-truncation';
import { writeSizes } from '@media-search/media/encode-image';
import { posterSizes, previewSide, previewSize, sampleSide } from '@media-search/media/picture-sizes';
import { readImageTags } from '@media-search/media/read-image-tags';
import { readPlaceholder } from '@media-search/media/thumbnails';
import { embedPhoto } from './embed-chunks.ts';
import type { IndexedChunk, IndexedMedia, IndexingTask } from './indexed-media.ts';
import { fingerprintPhoto } from './reuse/make-fingerprint.ts';

const displaySide = 4096;
/** Longest side of the picture that hits show, pixels. */
const hitSide = 640;

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
  const isDisplayable = await isBrowserImage(task.path, mimeType);
  const posters = posterSizes(image.full);
  const preview = previewSize(image.full);
  const written = [
    ...posters,
    ...(preview ? [{ side: previewSide, file: preview.file }] : []),
    ...(isDisplayable ? [] : [{ side: displaySide, file: displayFile }]),
  ];
  await writeSizes(
    image,
    written.map(({ side, file }) => ({ side, file: path.join(outputDirectory, file) })),
  );
  const poster = (posters.at(-1) as (typeof posters)[number]).file;
  const thumbnail = posters.findLast(({ side }) => side <= hitSide)?.file ?? poster;
  onProgress('storing', 0.99);
  return {
    type: 'image',
    mimeType,
    duration: null,
    ...image.full,
    poster,
    placeholder: await readPlaceholder(path.join(outputDirectory, poster)),
    rendition: isDisplayable ? null : { file: displayFile, mimeType: 'image/webp' },
    ...(await readImageTags(task.path, mimeType)),
    warning: (await isTruncated(task.path, mimeType)) ? describeTruncation(null) : null,
    chunks: [{ start: 0, end: 0, thumbnail, blank: false, embeddings }],
    texts: [],
    fingerprint: fingerprintPhoto(await toRgbImage(image, sampleSide)),
  };
}
