import { decodeImage, toRgbImage } from '@media-search/media/decode-image';
import type { MediaLimits } from '@media-search/media/media-limits';
import { sampleSide } from '@media-search/media/picture-sizes';
import { type ProbedVideo, probeVideo } from '@media-search/media/probe-video';
import type { Reading } from '@media-search/media/read-packets';
import type { MediaType } from '../../../contract/media.ts';
import { createChunker, type SampledSpan } from '../chunker.ts';
import { sampleVideo } from '../sample-video.ts';
import type { Fingerprint } from './fingerprint.ts';
import { createFingerprinter, fingerprintPhoto } from './make-fingerprint.ts';

/** Makes the fingerprint of a file that is not indexed now. Throws `UnreadableMediaError`, also where there is more of a video than the limits allow. */
export async function fingerprintItem(
  file: { path: string; type: MediaType; mimeType: string },
  reading: Reading,
  limits: MediaLimits,
): Promise<Fingerprint> {
  // Nothing is seen in a recording.
  if (file.type === 'audio') return [];
  if (file.type === 'image') {
    return fingerprintPhoto(await toRgbImage(await decodeImage(file.path, file.mimeType), sampleSide));
  }
  await using probed = await probeVideo(file.path, reading.signal);
  return (await fingerprintVideo(probed, reading, limits)).fingerprint;
}

/**
 * Reads a video for its fingerprint. Throws `UnreadableMediaError`, also where there is more of it than the limits allow.
 * @param onSpan is given each span within one shot, with its samples
 * @returns with its duration, seconds
 */
export async function fingerprintVideo(
  probed: ProbedVideo,
  reading: Reading,
  limits: MediaLimits,
  onSpan: (span: SampledSpan) => Promise<void> = () => Promise.resolve(),
): Promise<{ fingerprint: Fingerprint; duration: number }> {
  const chunker = createChunker();
  const fingerprinter = createFingerprinter();
  const add = async (spans: SampledSpan[]): Promise<void> => {
    for (const span of spans) await onSpan(span);
  };
  let duration = 0;
  for await (const event of sampleVideo(probed, reading, limits)) {
    if (event.kind === 'sample') {
      fingerprinter.add(event.sample);
      await add(chunker.addSample(event.sample));
    } else if (event.kind === 'shot-change') await add(chunker.addShotChange(event.change));
    else if (event.kind === 'end') duration = event.observed.duration;
  }
  await add(chunker.finish(duration));
  return { fingerprint: fingerprinter.finish(), duration };
}
