import { AVDISCARD_ALL, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants';
import { readChapters } from './chapters.ts';
import { probeVideo } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import { findOrigin } from './seek-moments.ts';
import { createSubtitleCollector, type SubtitleLine, type TimedLine, toItemClock } from './subtitles.ts';

/**
 * Reads the subtitles and chapter titles of a video without its pictures, on the item's clock.
 * Throws `UnreadableMediaError` where the file cannot be opened, and the signal's reason when aborted.
 */
export async function readSubtitles(
  path: string,
  reading: Reading,
): Promise<{ subtitles: SubtitleLine[]; chapters: TimedLine[] }> {
  const origin = await findOrigin(path, reading);
  await using probed = await probeVideo(path, reading.signal);
  const { demuxer, container } = probed;
  const chapters = toItemClock(await readChapters(path, container), origin);
  if (probed.subtitles.length === 0) return { subtitles: [], chapters };
  // MP4 says where each sample lies: what is not asked for is not read from the disk. Other containers are read to their end anyway.
  if (container.includes('mp4')) {
    for (const stream of demuxer.streams) {
      if (stream.codecpar.codecType !== AVMEDIA_TYPE_SUBTITLE) stream.discard = AVDISCARD_ALL;
    }
  }
  const collector = createSubtitleCollector(probed.subtitles);
  for await (using packet of readPackets(demuxer, reading)) {
    if (packet) collector.push(packet);
  }
  return { subtitles: collector.take(origin).map(({ line }) => line), chapters };
}
