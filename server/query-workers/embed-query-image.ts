import { readRgbImage } from '../media/decode-image.ts';
import { detectMediaType } from '../media/detect-media-type.ts';
import { readMoments } from '../media/seek-moments.ts';
import { UnreadableMediaError } from '../media/unreadable-media-error.ts';
import type { Embedder, Moment } from '../models/embedder.ts';

const neverAborted = new AbortController().signal;

/** Embeds an image file as a query; of an animation the first frame. Throws `UnreadableMediaError`. */
export async function embedImageFile(path: string, embedder: Embedder): Promise<Float32Array> {
  const detected = await detectMediaType(path);
  if (!detected?.mimeType.startsWith('image/')) {
    throw new UnreadableMediaError(
      'unreadable_media',
      'This is not an image. Send a JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, BMP or JPEG 2000 image.',
    );
  }
  if (detected.type === 'video') {
    const [moment] = await readMoments(path, [0], neverAborted);
    return embed({ image: (moment as Moment).image, next: null }, embedder);
  }
  return embed({ image: await readRgbImage(path, detected.mimeType, embedder.maxPhotoSide), next: null }, embedder);
}

/** Embeds one moment of a video, `at` seconds from its start. Throws `UnreadableMediaError`. */
export async function embedMoment(path: string, at: number, embedder: Embedder): Promise<Float32Array> {
  const [moment] = await readMoments(path, [at], neverAborted);
  return embed(moment as Moment, embedder);
}

async function embed(moment: Moment, embedder: Embedder): Promise<Float32Array> {
  const [embedded] = await embedder.embedChunks([[moment]]);
  if (!embedded) throw new Error('The embedder gave no vector.');
  return embedded.vector;
}
