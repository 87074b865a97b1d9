import { decodePhoto, toPicture } from '../indexing/decode-photo.ts';
import { readMoments } from '../indexing/read-moments.ts';
import type { Embedder, Moment, Picture } from '../models/embedder.ts';
import { dot } from '../search/vector-index.ts';
import type { MediaSpan } from './query-tasks.ts';

/** Moments of a span looked at. */
const momentCount = 3;
/** A crop's side as a share of the picture's. */
const cropShare = 0.6;

const never = new AbortController().signal;

/**
 * Looks at a span again, closer than when it was indexed: several moments, each whole and in five overlapping crops, so that
 * something small or short counts. Throws `UnreadableMediaError`.
 * @returns similarity to the query, -1..1: half of it the whole pictures' mean, half the best view
 */
export async function verifySpan(span: MediaSpan, query: Float32Array, embedder: Embedder): Promise<number> {
  const moments = await readSpan(span, embedder.photoSide);
  const views = moments.map(({ picture, next }) => [
    { picture, next },
    ...cropsOf(picture).map((crop) => ({ picture: crop, next: null })),
  ]);
  const vectors = await embedder.embedChunks(views.flat().map((view) => [view]));
  const similarities = vectors.map((vector) => dot(vector, query));
  const whole = similarities.filter((_, i) => i % (views[0]?.length ?? 1) === 0);
  return (whole.reduce((sum, similarity) => sum + similarity, 0) / whole.length + Math.max(...similarities)) / 2;
}

/** Some moments spread evenly over a span. Throws `UnreadableMediaError`. */
export async function readSpan({ path, type, mimeType, start, end }: MediaSpan, photoSide: number): Promise<Moment[]> {
  if (type === 'image') return [{ picture: await toPicture(await decodePhoto(path, mimeType), photoSide), next: null }];
  const times = Array.from({ length: momentCount }, (_, i) => start + ((i + 0.5) / momentCount) * (end - start));
  return readMoments(path, times, never);
}

/** The four corners and the middle. */
function cropsOf({ width, height, data }: Picture): Picture[] {
  const w = Math.max(1, Math.round(width * cropShare));
  const h = Math.max(1, Math.round(height * cropShare));
  const corners = [
    [0, 0],
    [width - w, 0],
    [0, height - h],
    [width - w, height - h],
    [(width - w) >> 1, (height - h) >> 1],
  ] as const;
  return corners.map(([left, top]) => {
    const crop = new Uint8Array(w * h * 3);
    for (let y = 0; y < h; y++) {
      const from = 3 * ((top + y) * width + left);
      crop.set(data.subarray(from, from + 3 * w), 3 * y * w);
    }
    return { width: w, height: h, data: crop };
  });
}
