import { decodePhoto, toPicture } from '../indexing/decode-photo.ts';
import { embedPhoto, embedSpans } from '../indexing/embed-chunks.ts';
import { readMoments } from '../indexing/read-moments.ts';
import type { Embedder, Moment } from '../models/embedder.ts';
import type { MediaSpan } from './query-tasks.ts';

/** Moments of a span looked at. */
const momentCount = 3;

const never = new AbortController().signal;

/** Vectors of a span's moments, or of the crops of a photograph, as indexing keeps them. Throws `UnreadableMediaError`. */
export async function embedViews(span: MediaSpan, embedder: Embedder): Promise<Float32Array[]> {
  const moments = await readSpan(span, embedder.photoSide);
  const [first] = moments;
  if (span.type === 'image' && first) return (await embedPhoto(embedder, first.picture)).views;
  return (await embedSpans(embedder, [moments]))[0]?.views ?? [];
}

/** Some moments spread evenly over a span. Throws `UnreadableMediaError`. */
export async function readSpan({ path, type, mimeType, start, end }: MediaSpan, photoSide: number): Promise<Moment[]> {
  if (type === 'image') return [{ picture: await toPicture(await decodePhoto(path, mimeType), photoSide), next: null }];
  const times = Array.from({ length: momentCount }, (_, i) => start + ((i + 0.5) / momentCount) * (end - start));
  return readMoments(path, times, never);
}
