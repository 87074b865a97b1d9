import { Decoder, FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import { describeFilterGraph } from './filter-graph.ts';
import { maxFramePixels } from './media-limits.ts';
import { fitWithin, sampleSide, type Size } from './picture-sizes.ts';
import type { ProbedVideo } from './probe-video.ts';
import type { RgbImage } from './rgb-image.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/**
 * A decoder that skips frames which do not decode. Throws `UnreadableMediaError`.
 * @param extra options of FFmpeg's decoders
 */
export function openDecoder(
  probed: ProbedVideo,
  signal: AbortSignal,
  extra: { skip_frame?: 'noref' } = {},
): Promise<Decoder> {
  const options = { max_pixels: maxFramePixels, ...extra };
  return Decoder.create(probed.video, { exitOnError: false, signal, options }).catch((error: unknown) => {
    throw new UnreadableMediaError(
      'unsupported_codec',
      `Video coded as ${probed.videoCodec} cannot be decoded here. Convert it to H.264 in MP4 and upload that.`,
      { cause: error },
    );
  });
}

/** A filter that turns frames into upright images of the size that embedders get. */
export const createSampleFilter = (probed: ProbedVideo): FilterAPI => createUprightFilter(probed, sampleSide);

/** A filter that turns frames into upright images, no side longer than `side` pixels. */
export const createUprightFilter = (probed: ProbedVideo, side: number): FilterAPI =>
  FilterAPI.create(describeFilterGraph(probed, fitWithin(probed, side), 'rgb24', 'area'));

/** A filter that turns frames into images of a fixed size, quickly and without setting them upright. */
export function createFixedSizeFilter({ video }: ProbedVideo, size: Size): FilterAPI {
  const orientation = { mirrored: false, rotation: 0 } as const;
  return FilterAPI.create(describeFilterGraph({ video, orientation }, size, 'rgb24', 'fast_bilinear'));
}

/** Runs a frame through a filter that ends in packed RGB. The frame stays the caller's. */
export async function filterToRgb(filter: FilterAPI, frame: Frame): Promise<RgbImage[]> {
  using copy = frame.clone();
  if (!copy) return [];
  const images: RgbImage[] = [];
  for (using converted of await filter.processAll(copy)) {
    const { width, height } = converted;
    images.push({ width, height, data: converted.toBuffer() });
  }
  return images;
}
