import { Muxer } from 'node-av/api';
import { AV_CODEC_ID_HEVC, AV_DISPOSITION_DEFAULT } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import { encodeAudioTrack, encodeVideoTrack, type Track } from './encode-tracks.ts';
import { isMachineError } from './machine-error.ts';
import {
  type ClipPlan,
  type ClipSpan,
  type CopiedPackets,
  createPlacement,
  planClip,
  seekToClip,
} from './plan-clip.ts';
import { probeMedia, type ProbedVideo, probeVideo, toSeconds } from './probe-video.ts';
import { readPackets } from './read-packets.ts';
import { encodeSound } from './render-sound.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** A clip as it was cut: its ends on the item's clock, seconds, and whether its packets are those of the source. */
export type CutClip = { start: number; end: number; lossless: boolean };

/** The longest clip that is encoded, seconds. */
const maxEncodedSeconds = 600;

/** Longest side of a clip that is encoded, pixels: 4K, which every H.264 decoder of today takes. */
const maxSide = 3840;
/** On x264's scale: hard to tell from the source. */
const quality = 18;
/** Audio before the start that a decoder needs to be in full swing there, seconds. An edit list keeps it from being heard. */
const audioLead = 0.1;

/**
 * Cuts a span out of a video into an MP4 that holds exactly its frames. Where the span begins with a keyframe and its packets hold no other
 * frame they are taken over as they are; otherwise the span is encoded. Both ends are moved to the nearest boundary between frames. The
 * first audio track comes along, in sync; other tracks and what the file says of itself (place, camera, title) do not. Of a recording, its sound is
 * encoded alone.
 * Throws `UnreadableMediaError`, errors of the machine, and the signal's reason when aborted.
 * @param source path of the original
 * @param destination path of the MP4; what is there is replaced
 * @param onProgress is given the share that is done, 0..1
 */
export async function cutClip(
  source: string,
  span: ClipSpan,
  destination: string,
  signal: AbortSignal,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<CutClip> {
  if (await hasOnlySound(source, signal)) {
    await encodeSound(source, span, destination, { signal }, onProgress);
    return { ...span, lossless: false };
  }
  const plan = await planClip(source, span, signal);
  const { start, end, copied } = plan;
  // Audio that does not decode must not fail the clip, so the last attempt leaves it out.
  const ways: Way[] = [
    ...(copied ? [{ copied, audio: plan.hasAudio }] : []),
    { copied: null, audio: plan.hasAudio },
    ...(plan.hasAudio ? [{ copied: null, audio: false }] : []),
  ];
  let failure: unknown;
  for (const way of ways) {
    if (!way.copied && end - start > maxEncodedSeconds + 1) throw tooLong();
    try {
      const lossless = await writeClip(source, destination, plan, way, signal, onProgress);
      return { start, end, lossless };
    } catch (error) {
      signal.throwIfAborted();
      // A full disk is no reason to leave the audio out.
      if (isMachineError(error)) throw error;
      failure = error;
    }
  }
  throw new UnreadableMediaError('unreadable_media', 'This part of the video cannot be decoded.', { cause: failure });
}

async function hasOnlySound(source: string, signal: AbortSignal): Promise<boolean> {
  await using probed = await probeMedia(source, signal);
  return probed.video === undefined && probed.audio !== undefined;
}

type Way = { copied: CopiedPackets | null; audio: boolean };

const tooLong = () =>
  new UnreadableMediaError(
    'too_large',
    `A clip that has to be encoded may last ${maxEncodedSeconds / 60} minutes. Choose a shorter part, or download the original.`,
  );

/** @returns whether all packets are those of the source */
async function writeClip(
  source: string,
  destination: string,
  plan: ClipPlan,
  way: Way,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<boolean> {
  await using probed = await probeVideo(source, signal);
  await seekToClip(probed, plan, plan.start);
  // The index goes to the front, so that playing starts before all has arrived. Written in the background, a packet that cannot be
  // written would end the process.
  await using output = await Muxer.open(destination, {
    format: 'mp4',
    options: { movflags: '+faststart' },
    useAsyncWrite: false,
  });
  const { origin, start, end } = plan;
  const timing = { origin: origin + start, duration: end - start };
  using video = way.copied
    ? copyVideo(output, probed.video, way.copied)
    : await encodeVideoTrack(output, probed, { maxSide, quality, place: createPlacement(probed, plan) }, signal);
  const audioStream = way.audio ? probed.audio : undefined;
  const copiesAudio = way.copied !== null && canCopyAudio(probed) && !plan.hasAudioGaps;
  using audio = audioStream
    ? copiesAudio
      ? copyAudio(output, audioStream, timing)
      : await encodeAudioTrack(output, audioStream, { ...timing, endsWithVideo: true }, signal)
    : undefined;
  await pump(probed, plan, { video, audio }, signal, onProgress);
  return way.copied !== null && (!audioStream || copiesAudio);
}

/** Reads to the end of the clip and gives each track its packets. */
async function pump(
  { demuxer }: ProbedVideo,
  { origin, start, end }: ClipPlan,
  { video, audio }: { video: Track; audio: Track | undefined },
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<void> {
  /** Tracks that have all they need. Packets of a track come in order of decoding. */
  const ended = new Set<Track>();
  const tracks = audio ? [video, audio] : [video];
  for await (using packet of readPackets(demuxer, { signal })) {
    if (!packet) continue;
    const track = tracks.find(({ source }) => source.index === packet.streamIndex);
    if (!track) continue;
    const decodedAt = toSeconds(packet.dts, track.source) ?? toSeconds(packet.pts, track.source);
    const time = decodedAt === undefined ? undefined : decodedAt - origin;
    if (time !== undefined && time > end + trailSeconds) ended.add(track);
    if (ended.size === tracks.length || (time !== undefined && time > end + maxTrailSeconds)) break;
    if (track === video && time !== undefined) {
      onProgress(Math.min(1, Math.max(0, (time - start) / (end - start))));
    }
    if (!ended.has(track)) await track.push(packet);
  }
  for (const track of tracks) await track.push(null);
}

/** Packets are read for so much longer than the clip: some containers state no order of decoding. Seconds. */
const trailSeconds = 1;
/** Tracks lie next to each other within so many seconds, or one of them has ended. */
const maxTrailSeconds = 10;

const canCopyAudio = ({ audioCodec }: ProbedVideo): boolean =>
  audioCodec !== undefined && ['aac', 'mp3', 'ac3', 'eac3', 'opus', 'alac'].includes(audioCodec);

const noTime = -(2n ** 63n);

/** A track that keeps the coding of its source and nothing that its source says of itself. */
function addCopy(output: Muxer, source: Stream): number {
  const place = output.addStream(source);
  const copied = output.getStream(place);
  if (copied) {
    // The tag is the source's container's name of the codec. Players of Apple know HEVC by this one only.
    copied.codecpar.codecTag = source.codecpar.codecId === AV_CODEC_ID_HEVC ? 'hvc1' : 0;
    copied.metadata = null;
    copied.disposition = AV_DISPOSITION_DEFAULT;
  }
  return place;
}

function copyVideo(output: Muxer, source: Stream, { firstPts, count }: CopiedPackets): Track {
  const place = addCopy(output, source);
  let left = count;
  let started = false;
  return {
    source,
    async push(packet) {
      if (!packet || left === 0 || packet.pts === noTime) return;
      started ||= packet.pts === firstPts && packet.isKeyframe;
      // Frames that are shown before the keyframe are made from what lies before it.
      if (!started || packet.pts < firstPts) return;
      using copy = packet.clone() ?? fail('Out of memory.');
      copy.pts -= firstPts;
      if (copy.dts !== noTime) copy.dts -= firstPts;
      left -= 1;
      await output.writePacket(copy, place);
    },
    [Symbol.dispose]: () => undefined,
  };
}

function copyAudio(output: Muxer, source: Stream, { origin, duration }: { origin: number; duration: number }): Track {
  const place = addCopy(output, source);
  const toTicks = (seconds: number) => BigInt(Math.round((seconds * source.timeBase.den) / source.timeBase.num));
  const shift = toTicks(origin);
  const first = toTicks(origin - audioLead);
  const end = toTicks(origin + duration);
  return {
    source,
    async push(packet) {
      if (!packet || packet.pts === noTime || packet.pts < first || packet.pts >= end) return;
      using copy = packet.clone() ?? fail('Out of memory.');
      copy.pts -= shift;
      copy.dts = copy.pts;
      await output.writePacket(copy, place);
    },
    [Symbol.dispose]: () => undefined,
  };
}

function fail(message: string): never {
  throw new Error(message);
}
