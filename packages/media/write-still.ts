import { FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import sharp, { type Sharp } from 'sharp';
import type { MediaType } from '../../contract/media.ts';
import { decodeImage, maxImagePixels } from './decode-image.ts';
import { filterToRgb, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeFilterGraph } from './filter-graph.ts';
import { isMachineError } from './machine-error.ts';
import { fitWithin } from './picture-sizes.ts';
import { seekLeads, seekToClip } from './plan-clip.ts';
import { probeVideo, toSeconds } from './probe-video.ts';
import { readPackets } from './read-packets.ts';
import type { RgbImage } from './rgb-image.ts';
import { findOrigin } from './seek-moments.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

export type StillFormat = 'jpeg' | 'png' | 'webp';

/** A video or a photograph on this machine. */
export type StillSource = { file: string; type: MediaType; mimeType: string };

/** A time with three decimals may lie so much before the frame that it means, seconds. */
const rounding = 0.001;

/**
 * Writes the frame that a video shows at a time, or a photograph, in full size and upright.
 * Throws `UnreadableMediaError`, errors of the machine, and the signal's reason when aborted.
 * @param at seconds from the start; one past the end gives the last frame
 */
export async function writeStill(
  source: StillSource,
  at: number,
  format: StillFormat,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  const still = await openStill(source, at, (probed) => probed, signal);
  const encoded = {
    jpeg: () => still.flatten({ background: '#ffffff' }).jpeg({ quality: 92 }),
    png: () => still.png(),
    webp: () => still.webp({ quality: 90 }),
  }[format]();
  await encoded.toFile(destination);
}

/** No side of a still that is scaled down is longer, pixels. */
const maxScaledSide = 1920;

/**
 * Reads the frame that a video shows at a time, or a photograph, upright, as JPEG.
 * Throws as `writeStill` does.
 * @param at seconds from the start; one past the end gives the last frame
 * @param width pixels, at most
 */
export async function readStill(source: StillSource, at: number, width: number, signal: AbortSignal): Promise<Buffer> {
  const size = { width, height: maxScaledSide };
  const still = await openStill(source, at, (displayed) => fitInside(displayed, size), signal);
  return still
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 82 })
    .toBuffer();
}

type Size = { width: number; height: number };

/** A size scaled down to fit inside of another; never up, never below one pixel. */
function fitInside({ width, height }: Size, bounds: Size): Size {
  const scale = Math.min(1, bounds.width / width, bounds.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** @param toFrameSize from the displayed size of a video to that of the frame */
async function openStill(
  source: StillSource,
  at: number,
  toFrameSize: (displayed: Size) => Size,
  signal: AbortSignal,
): Promise<Sharp> {
  const image =
    source.type === 'image'
      ? await decodeImage(source.file, source.mimeType)
      : { ...(await readFrameAt(source.file, at, toFrameSize, signal)), channels: 3 as const };
  const { data, width, height, channels } = image;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: maxImagePixels });
}

/** Reading a frame for a poster ends after this, milliseconds: a film may have one keyframe at its start and none after. */
const posterMs = 10_000;

/**
 * Reads the frame that a video shows at a time, scaled down so that no side is longer than `side`.
 * @param origin time stamp of the first frame, in the container's clock, seconds
 * @returns null where seeking does not lead there, or takes long
 */
export async function readPosterFrame(
  file: string,
  { origin, at }: { origin: number; at: number },
  side: number,
  signal: AbortSignal,
): Promise<RgbImage | null> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(posterMs)]);
  try {
    for (const lead of seekLeads.filter((each) => each < Infinity)) {
      const image = await readFrom(file, { origin, lead, at }, (displayed) => fitWithin(displayed, side), ending);
      if (image) return image;
    }
  } catch (error) {
    signal.throwIfAborted();
    // Of a file that is damaged in part.
    if (!ending.aborted && isMachineError(error)) throw error;
  }
  return null;
}

async function readFrameAt(
  file: string,
  at: number,
  toFrameSize: (displayed: Size) => Size,
  signal: AbortSignal,
): Promise<RgbImage> {
  const origin = await findOrigin(file, { signal });
  for (const lead of seekLeads) {
    const image = await readFrom(file, { origin, lead, at }, toFrameSize, signal);
    if (image) return image;
  }
  throw new UnreadableMediaError('unreadable_media', 'No frame of this video could be decoded.');
}

/** @returns undefined when reading from there begins behind the time */
async function readFrom(
  file: string,
  { at, ...position }: { origin: number; lead: number; at: number },
  toFrameSize: (displayed: Size) => Size,
  signal: AbortSignal,
): Promise<RgbImage | undefined> {
  await using probed = await probeVideo(file, signal);
  if (!(await seekToClip(probed, position, at))) return undefined;
  using decoder = await openDecoder(probed, signal);
  using deinterlacer = createDeinterlacer();
  using filter = FilterAPI.create(describeFilterGraph(probed, toFrameSize(probed), 'rgb24', 'bicubic'));
  let shown: Frame | undefined;
  let isFirst = true;
  const isReadFromStart = position.lead === Infinity || at <= 0;
  try {
    for await (const decoded of decoder.frames(readPackets(probed.demuxer, { signal }, probed.video.index))) {
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
