import { FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import sharp from 'sharp';
import type { RgbImage } from '../models/embedder.ts';
import { decodeImage, maxImagePixels } from './decode-image.ts';
import { filterToRgb, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeFilterGraph } from './filter-graph.ts';
import { seekLeads, seekToClip } from './plan-clip.ts';
import { probeVideo, toSeconds } from './probe-video.ts';
import { findOrigin } from './seek-moments.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

export type StillFormat = 'jpeg' | 'png' | 'webp';

/** A time with three decimals may lie so much before the frame that it means, seconds. */
const rounding = 0.001;

/**
 * Writes the frame that a video shows at a time, or a photograph, in full size and upright.
 * Throws `UnreadableMediaError`, errors of the machine, and the signal's reason when aborted.
 * @param at seconds from the start; one past the end gives the last frame
 */
export async function writeStill(
  source: { file: string; type: 'video' | 'image'; mimeType: string },
  at: number,
  format: StillFormat,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  const image =
    source.type === 'image'
      ? await decodeImage(source.file, source.mimeType)
      : { ...(await readFrameAt(source.file, at, signal)), channels: 3 as const };
  const { data, width, height, channels } = image;
  const still = sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels });
  const encoded = {
    jpeg: () => still.flatten({ background: '#ffffff' }).jpeg({ quality: 92 }),
    png: () => still.png(),
    webp: () => still.webp({ quality: 90 }),
  }[format]();
  await encoded.toFile(destination);
}

async function readFrameAt(file: string, at: number, signal: AbortSignal): Promise<RgbImage> {
  const origin = await findOrigin(file, signal);
  for (const lead of seekLeads) {
    const image = await readFrom(file, { origin, lead }, at, signal);
    if (image) return image;
  }
  throw new UnreadableMediaError('unreadable_media', 'No frame of this video could be decoded.');
}

/** @returns undefined when reading from there begins behind the time */
async function readFrom(
  file: string,
  position: { origin: number; lead: number },
  at: number,
  signal: AbortSignal,
): Promise<RgbImage | undefined> {
  await using probed = await probeVideo(file, signal);
  if (!(await seekToClip(probed, position, at))) return undefined;
  using decoder = await openDecoder(probed, signal);
  using deinterlacer = createDeinterlacer();
  using filter = FilterAPI.create(describeFilterGraph(probed, probed, 'rgb24', 'bicubic'));
  let shown: Frame | undefined;
  let isFirst = true;
  const isReadFromStart = position.lead === Infinity || at <= 0;
  try {
    for await (const decoded of decoder.frames(probed.demuxer.packets(probed.video.index))) {
      signal.throwIfAborted();
      for (const frame of await deinterlacer.push(decoded)) {
        const time = (toSeconds(frame.pts, frame) ?? position.origin) - position.origin;
        const isLate = time > at + rounding;
        if (isLate && (shown || (isFirst && !isReadFromStart))) {
          frame[Symbol.dispose]();
          return shown && (await filterToRgb(filter, shown))[0];
        }
        isFirst = false;
        shown?.[Symbol.dispose]();
        shown = frame;
      }
    }
    return shown && (await filterToRgb(filter, shown))[0];
  } finally {
    shown?.[Symbol.dispose]();
  }
}
