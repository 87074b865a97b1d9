import { stat } from 'node:fs/promises';
import { Muxer } from 'node-av/api';
import { AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import { maxOverhangSeconds } from './audio-track.ts';
import { encodeAudioTrack, encodeVideoTrack, type Track } from './encode-tracks.ts';
import { createFrameClock } from './frame-clock.ts';
import { soundSecondsFor } from './media-limits.ts';
import { openDemuxer } from './open-demuxer.ts';
import { type ProbedVideo, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import type { ObservedVideo } from './read-video.ts';

/** What becomes of each track. */
export type RenditionPlan = {
  container: 'mp4' | 'webm';
  video: 'copy' | 'encode';
  audio: 'copy' | 'encode' | 'none';
};

const maxSide = 1280;
/** On x264's scale, where 23 is the default and lower is better. */
const quality = 23;

/**
 * Writes a rendition whose time 0 is the first frame, whatever the clock of the source.
 * @param target absolute path, in a folder that exists
 * @param onProgress is given the share that is done, 0..1
 */
export async function writeRendition(
  target: string,
  { container, video: videoMode, audio: audioMode }: RenditionPlan,
  input: { source: string; probed: ProbedVideo; observed: ObservedVideo },
  reading: Reading,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { probed, observed } = input;
  const until = Math.min(observed.duration + maxOverhangSeconds, soundSecondsFor((await stat(input.source)).size));
  await using opened = await openDemuxer(input.source, reading.signal);
  const { demuxer } = opened;
  // The index goes to the front, so that playing starts before all has arrived.
  await using output = await Muxer.open(
    // As a URL, because for a path the folder is created: that of an item which is deleted meanwhile would be there again.
    `file://${target}`,
    // Written in the background, a packet that cannot be written would end the process.
    container === 'mp4'
      ? { format: 'mp4', options: { movflags: '+faststart' }, useAsyncWrite: false }
      : { format: 'webm', useAsyncWrite: false },
  );
  const streamOf = ({ index }: Stream) => demuxer.getStream(index) ?? fail('A track is gone.');
  const source = { ...probed, video: streamOf(probed.video) };
  const clock = createFrameClock(source);
  using videoTrack =
    videoMode === 'copy'
      ? copyTrack(output, source.video, observed.origin)
      : await encodeVideoTrack(
          output,
          source,
          { maxSide, quality, place: (frame) => clock.advance(frame) },
          reading.signal,
        );
  using audioTrack =
    audioMode === 'none' || !probed.audio
      ? undefined
      : audioMode === 'copy'
        ? copyTrack(output, streamOf(probed.audio), observed.origin)
        : await encodeAudioTrack(output, streamOf(probed.audio), { ...observed, until }, reading.signal);
  const tracks: Track[] = audioTrack ? [videoTrack, audioTrack] : [videoTrack];
  for await (using packet of readPackets(demuxer, reading)) {
    if (!packet) continue;
    const track = tracks.find(({ source: { index } }) => index === packet.streamIndex);
    if (!track) continue;
    if (track === videoTrack) {
      const at = toSeconds(packet.pts, track.source);
      if (at !== undefined && observed.duration > 0) {
        onProgress(Math.min(1, Math.max(0, (at - observed.origin) / observed.duration)));
      }
    }
    await track.push(packet);
  }
  for (const track of tracks) await track.push(null);
}

function fail(message: string): never {
  throw new Error(message);
}

/** Takes packets over as they are; only their clock is set. What lies before the first frame is left out. */
function copyTrack(output: Muxer, source: Stream, origin: number): Track {
  const place = output.addStream(source);
  // The tag is the source's container's name of the codec.
  const copied = output.getStream(place);
  if (copied) copied.codecpar.codecTag = 0;
  const shift = BigInt(Math.round((origin * source.timeBase.den) / source.timeBase.num));
  const none = -(2n ** 63n);
  return {
    source,
    async push(packet) {
      // The last packet of a file that is cut off is not whole.
      if (!packet || packet.hasFlags(AV_PKT_FLAG_CORRUPT)) return;
      if (packet.pts !== none && packet.pts < shift && packet.pts + packet.duration <= shift) return;
      using copy = packet.clone() ?? fail('Out of memory.');
      if (copy.pts !== none) copy.pts -= shift;
      if (copy.dts !== none) copy.dts -= shift;
      await output.writePacket(copy, place);
    },
    [Symbol.dispose]: () => undefined,
  };
}
