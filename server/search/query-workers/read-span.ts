import { embedPhoto, embedSpans } from '@media-search/indexing/embed-chunks';
import { decodeImage, readRgbImage } from '@media-search/media/decode-image';
import type { Moment } from '@media-search/media/rgb-image';
import { readMoments } from '@media-search/media/seek-moments';
import type { Embedder } from '@media-search/models/embedder';
import type { MediaSpan } from './query-tasks.ts';

/** Number of moments that are read of a span. */
const momentsPerSpan = 3;

const neverAborted = new AbortController().signal;

/** Vectors of a span's moments, or of the crops of a photograph, as indexing keeps them. Throws `UnreadableMediaError`. */
export async function embedViews(span: MediaSpan, embedder: Embedder): Promise<Float32Array[]> {
  if (span.type === 'image') return (await embedPhoto(embedder, await decodeImage(span.path, span.mimeType))).views;
  const moments = await readSpan(span, embedder.maxPhotoSide);
  return (await embedSpans(embedder, [moments]))[0]?.views ?? [];
}

/** Some moments spread evenly over a span. Throws `UnreadableMediaError`. */
export async function readSpan({ path, type, mimeType, start, end }: MediaSpan, maxSide: number): Promise<Moment[]> {
  if (type === 'image') return [{ image: await readRgbImage(path, mimeType, maxSide), next: null }];
  const times = Array.from({ length: momentsPerSpan }, (_, i) => start + ((i + 0.5) / momentsPerSpan) * (end - start));
  return readMoments(path, times, neverAborted);
}
