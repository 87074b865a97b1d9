import path from 'node:path';
import { Muxer } from 'node-av/api';
import { encodeAudioTrack } from './encode-tracks.ts';
import { isMachineError } from './machine-error.ts';
import { type ProbedMedia, probeMedia, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

const playback = { file: 'playback.m4a', mimeType: 'audio/mp4' };

/** Codecs that Chromium, Firefox and Safari play, by the container that they play them in. */
const played: Record<string, string[]> = {
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['aac'],
  'audio/wav': ['pcm_s16le', 'pcm_s24le'],
  'audio/flac': ['flac'],
};

/** Whether browsers play a recording as it is. A file with a cover is played too. */
export const playsInBrowsers = ({ audioCodec, majorBrand }: ProbedMedia, mimeType: string): boolean =>
  audioCodec !== undefined && (played[mimeType]?.includes(audioCodec) ?? false) && majorBrand !== 'qt';

/**
 * Makes the version of a recording that browsers play: AAC in MP4, without what the file says of itself.
 * Throws `UnreadableMediaError`, errors of the machine, and the signal's reason when aborted.
 * @param source path of the original
 * @param duration seconds
 * @param onProgress is given the share that is done, 0..1
 * @returns a file within the output directory
 */
export async function renderSound(
  { source, duration }: { source: string; duration: number },
  outputDirectory: string,
  reading: Reading,
  onProgress: (fraction: number) => void,
): Promise<{ file: string; mimeType: string }> {
  try {
    await encodeSound(
      source,
      { start: 0, end: duration },
      path.join(outputDirectory, playback.file),
      reading,
      onProgress,
    );
    return playback;
  } catch (error) {
    reading.signal.throwIfAborted();
    if (isMachineError(error)) throw error;
    throw new UnreadableMediaError(
      'unsupported_codec',
      'No version of this recording that browsers play could be made. Convert it to MP3 and upload that.',
      { cause: error },
    );
  }
}

/** How far before a span decoding begins, seconds: a decoder needs some sound before it. */
const decodingLead = 1;

/**
 * Encodes a span of the first audio track of a file as AAC in MP4.
 * @param span seconds on the item's clock
 * @param destination path of the file; what is there is replaced
 */
export async function encodeSound(
  source: string,
  { start, end }: { start: number; end: number },
  destination: string,
  reading: Reading,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<void> {
  await using probed = await probeMedia(source, reading.signal);
  const { demuxer, audio, startTime } = probed;
  if (!audio) throw new UnreadableMediaError('unreadable_media', 'This file has no sound.');
  const origin = startTime + start;
  await using output = await Muxer.open(destination, {
    format: 'mp4',
    options: { movflags: '+faststart' },
    useAsyncWrite: false,
  });
  const span = { origin, duration: end - start, endsWithVideo: true };
  using track = await encodeAudioTrack(output, audio, span, reading.signal);
  // From the beginning: sound takes so few bytes that a seek, which is a guess in files without an index, would save little.
  for await (using packet of readPackets(demuxer, reading, audio.index)) {
    if (!packet) continue;
    const time = toSeconds(packet.pts, audio);
    if (time !== undefined && time < origin - decodingLead) continue;
    if (time !== undefined && time > origin + span.duration) break;
    await track.push(packet);
    if (time !== undefined) onProgress(Math.min(1, Math.max(0, (time - origin) / span.duration)));
  }
  await track.push(null);
}
