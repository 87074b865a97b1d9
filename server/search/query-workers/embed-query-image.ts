import { decodeImage } from '@media-search/media/decode-image';
import { detectMediaType } from '@media-search/media/detect-media-type';
import { frameMoments, framePhoto } from '@media-search/media/framing/frame-media';
import type { Moment } from '@media-search/media/rgb-image';
import { readMoments } from '@media-search/media/seek-moments';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import type { Embedder } from '@media-search/models/embedder';

const neverAborted = new AbortController().signal;

/**
 * Embeds an image file as a query; of an animation the first frame. Throws `UnreadableMediaError`.
 * @param words that are embedded with it in one call; nothing for an embedder that does not compose
 * @returns the vectors of what is inside of its border, and of each picture inside of that
 */
export async function embedImageFile(path: string, embedder: Embedder, words?: string): Promise<Float32Array[]> {
  const detected = await detectMediaType(path);
  if (!detected?.mimeType.startsWith('image/')) {
    throw new UnreadableMediaError(
      'unreadable_media',
      'This is not an image. Send a JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, BMP or JPEG 2000 image.',
    );
  }
  if (detected.type === 'video') {
    const [moment] = await readMoments(path, [0], neverAborted);
    return embed(embedder, frameMoments([{ image: (moment as Moment).image, next: null }]), words);
  }
  const images = await framePhoto(await decodeImage(path, detected.mimeType), embedder.maxPhotoSide);
  return embed(
    embedder,
    images.map((image) => [{ image, next: null }]),
    words,
  );
}

/**
 * Embeds one moment of a video as a query, `at` seconds from its start. Throws `UnreadableMediaError`.
 * @param words as with an image
 * @returns the vectors, as of an image
 */
export async function embedMoment(
  path: string,
  at: number,
  embedder: Embedder,
  words?: string,
): Promise<Float32Array[]> {
  const [moment] = await readMoments(path, [at], neverAborted);
  return embed(embedder, frameMoments([moment as Moment]), words);
}

/** @param chunks of one moment each */
async function embed(embedder: Embedder, chunks: Moment[][], words: string | undefined): Promise<Float32Array[]> {
  if (words === undefined || !embedder.embedComposed) {
    return (await embedder.embedChunks(chunks)).map(({ vector }) => vector);
  }
  const vectors: Float32Array[] = [];
  for (const { image } of chunks.flat()) vectors.push(await embedder.embedComposed(image, words));
  return vectors;
}
