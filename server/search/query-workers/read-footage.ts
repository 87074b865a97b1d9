import { chooseMoments } from '@media-search/indexing/choose-moments';
import { embedPhoto, embedSpans } from '@media-search/indexing/embed-chunks';
import { type Fingerprint, encodeFingerprint } from '@media-search/indexing/reuse/fingerprint';
import { fingerprintVideo } from '@media-search/indexing/reuse/fingerprint-item';
import { fingerprintPhoto } from '@media-search/indexing/reuse/make-fingerprint';
import { decodeImage, toRgbImage } from '@media-search/media/decode-image';
import { detectMediaType } from '@media-search/media/detect-media-type';
import { sampleSide } from '@media-search/media/picture-sizes';
import { probeVideo } from '@media-search/media/probe-video';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import type { Embedder } from '@media-search/models/embedder';
import { maxQueryVideoSeconds } from '../../../contract/query-video.ts';

/** What of a file is compared with items, as it goes between processes: the fingerprint in base64, and the moments with their vectors. */
export type ReadFootage = {
  fingerprint: string;
  moments: { start: number; end: number; vector: number[] }[];
  /** Seconds; null: a photograph. */
  duration: number | null;
  width: number;
  height: number;
};

/** Frames of a video that is searched by, at most: ten minutes at 60 frames a second. */
const maxFrames = maxQueryVideoSeconds * 60;

const neverAborted = new AbortController().signal;

/** Reads a video, or a photograph, as indexing does. Throws `UnreadableMediaError`, also where it is longer than a query may be. */
export async function readFootageOf(path: string, embedder: Embedder): Promise<ReadFootage> {
  const detected = await detectMediaType(path);
  if (!detected) {
    throw new UnreadableMediaError(
      'unreadable_media',
      'This is neither a video nor a photograph that can be read here.',
    );
  }
  return detected.type === 'image' ? readPhoto(path, detected.mimeType, embedder) : readVideo(path, embedder);
}

async function readPhoto(path: string, mimeType: string, embedder: Embedder): Promise<ReadFootage> {
  const photo = await decodeImage(path, mimeType);
  const fingerprint = fingerprintPhoto(await toRgbImage(photo, sampleSide));
  const { vector } = await embedPhoto(embedder, photo);
  return {
    fingerprint: toBase64(fingerprint),
    moments: [{ start: 0, end: 0, vector: Array.from(vector) }],
    duration: null,
    ...photo.full,
  };
}

async function readVideo(path: string, embedder: Embedder): Promise<ReadFootage> {
  await using probed = await probeVideo(path, neverAborted);
  const moments: ReadFootage['moments'] = [];
  const limits = { maxSeconds: maxQueryVideoSeconds, maxFrames };
  const { fingerprint, duration } = await fingerprintVideo(probed, { signal: neverAborted }, limits, async (span) => {
    const [embedding] = await embedSpans(embedder, [chooseMoments(span.samples)]);
    if (embedding) moments.push({ start: span.start, end: span.end, vector: Array.from(embedding.vector) });
  });
  return { fingerprint: toBase64(fingerprint), moments, duration, width: probed.width, height: probed.height };
}

const toBase64 = (fingerprint: Fingerprint): string => Buffer.from(encodeFingerprint(fingerprint)).toString('base64');
