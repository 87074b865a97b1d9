import { stat } from 'node:fs/promises';
import { Decoder, FilterAPI } from 'node-av/api';
import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { Frame, Packet, Stream } from 'node-av/lib';
import { maxOverhangSeconds } from './audio-track.ts';
import { isInvalidDataError } from './invalid-data-error.ts';
import { soundSecondsFor } from './media-limits.ts';
import { type ProbedMedia, probeMedia, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import { findOrigin } from './seek-moments.ts';

/** Samples a second. */
const soundRate = 16_000;

/** A stretch of sound. It continues the one before it, or comes after a gap. */
export type SoundBlock = {
  /** The time of the first sample, seconds on the item's clock. */
  start: number;
  /** Mono, -1..1, 16,000 a second; at least one. */
  samples: Float32Array;
  /** Whether parts of the track before it could not be decoded. */
  damaged: boolean;
};

/** What became of the track as a whole. */
export type SoundReport = {
  /** How much of it was read, seconds. */
  seconds: number;
  /** Whether parts of it could not be decoded. */
  damaged: boolean;
};

/**
 * How channels become one. People speak in the centre, where there is one: it counts four times as much as left and right, and the surround
 * channels half of those. The factors sum to 1, so that loud sound is not cut off.
 */
const mixing = 'center_mix_level=2:surround_mix_level=0.5:rematrix_maxval=1';
/** How far before its start reading begins, seconds: a decoder needs some sound before it, and without an index a seek is a guess. */
const seekLeads = [2, Infinity];
/** Sound further than this from where it should continue is placed by its time stamp, seconds. */
const tolerance = 0.02;
/** Packets that do not decode before a track counts as damaged: a cut at either end spoils one or two. */
const minDamagedPackets = 3;

/**
 * Reads the first audio track of a file on the item's clock, whose time 0 is the first frame that can be shown, or without pictures the first sound. What comes before that,
 * what overlaps and what does not decode is left out; gaps stay gaps. Memory does not grow with the length.
 * @param from seconds; no block begins before it
 * @param duration of the item, seconds
 * Throws `UnreadableMediaError` where the file cannot be opened, and the signal's reason when aborted.
 */
export async function* readSound(
  path: string,
  { from, duration, ...reading }: Reading & { from: number; duration: number },
): AsyncGenerator<SoundBlock, SoundReport> {
  const origin = await findOrigin(path, reading);
  const until = Math.min(duration + maxOverhangSeconds, soundSecondsFor((await stat(path)).size));
  for (const lead of from > 0 ? seekLeads : [Infinity]) {
    await using probed = await probeMedia(path, reading.signal);
    if (!probed.audio) break;
    const seeking = lead < Infinity;
    if (seeking && (await probed.demuxer.seek(origin + from - lead, -1, AVSEEK_FLAG_BACKWARD)) < 0) continue;
    const span = { origin, from, until, seeking, reading };
    const report = yield* readTrack(probed, probed.audio, span);
    if (report) return report;
  }
  return { seconds: 0, damaged: false };
}

type Span = { origin: number; from: number; until: number; seeking: boolean; reading: Reading };

/** @returns undefined when the seek led past the start */
async function* readTrack(
  { demuxer }: ProbedMedia,
  audio: Stream,
  { origin, from, until, seeking, reading }: Span,
): AsyncGenerator<SoundBlock, SoundReport | undefined> {
  using converter = await openConverter(audio);
  if (!converter) return { seconds: 0, damaged: true };
  const place = createPlacement(from);
  let firstTime: number | undefined;
  let samples = 0;
  for await (using packet of readPackets(demuxer, reading, audio.index)) {
    for (using frame of await converter.push(packet)) {
      const stamp = toSeconds(frame.pts, frame);
      const time = stamp === undefined ? undefined : stamp - origin;
      firstTime ??= time;
      if (seeking && (firstTime ?? from) > from) return undefined;
      const block = place(time, frame);
      if (block && block.start > until) return { seconds: samples / soundRate, damaged: converter.damaged };
      samples += block?.samples.length ?? 0;
      if (block) yield { ...block, damaged: converter.damaged };
    }
  }
  return { seconds: samples / soundRate, damaged: converter.damaged };
}

/** Turns packets into frames of one channel at 16 kHz; null when the codec cannot be decoded here. */
async function openConverter(audio: Stream) {
  const decoder = await Decoder.create(audio, { threadCount: 1 }).catch(() => null);
  if (!decoder) return null;
  const filter = FilterAPI.create(`aresample=${soundRate}:${mixing},aformat=sample_fmts=flt:channel_layouts=mono`);
  let damagedPackets = 0;
  return {
    get damaged() {
      return damagedPackets >= minDamagedPackets;
    },
    /** Null ends it. What does not decode is left out. */
    async push(packet: Packet | null): Promise<Frame[]> {
      const converted: Frame[] = [];
      try {
        // Synchronous calls: a frame takes less than a switch of threads, and there are 47 of them in a second.
        for (using frame of decoder.decodeAllSync(packet)) converted.push(...filter.processAllSync(frame));
        if (!packet) converted.push(...(await filter.processAll(null)));
      } catch (error) {
        if (!isInvalidDataError(error)) throw error;
        damagedPackets += 1;
      }
      return converted;
    },
    [Symbol.dispose]() {
      filter[Symbol.dispose]();
      decoder[Symbol.dispose]();
    },
  };
}

/** Puts frames in their places: each sample is at its time, and none comes twice. */
function createPlacement(from: number) {
  /** Where the sound continues, seconds. */
  let end = from;
  return (time: number | undefined, frame: Frame): Omit<SoundBlock, 'damaged'> | null => {
    // A file without time stamps counts on.
    const continues = time === undefined || (end > from && Math.abs(time - end) <= tolerance);
    const start = continues ? end : time;
    const early = Math.max(0, Math.round((end - start) * soundRate));
    if (early >= frame.nbSamples) return null;
    const samples = samplesOf(frame);
    const block = { start: Math.max(start, end), samples: samples.subarray(early) };
    end = block.start + block.samples.length / soundRate;
    return block;
  };
}

/** The samples of a frame. A file of floating-point numbers may hold any: one that is none would spoil all that is heard with it. */
function samplesOf(frame: Frame): Float32Array {
  const samples = new Float32Array(frame.nbSamples);
  new Uint8Array(samples.buffer).set(frame.toBuffer().subarray(0, samples.byteLength));
  return samples.map((sample) => (Number.isNaN(sample) ? 0 : Math.min(1, Math.max(-1, sample))));
}
