import { openDecoder } from '@media-search/media/decode-video';
import { probeVideo, toSeconds } from '@media-search/media/probe-video';
import type { Frame } from 'node-av/lib';

const neverAborted = new AbortController().signal;

/**
 * Decodes a video; times count from its first frame, seconds.
 * @param onFrame the frame is freed after it; returns whether more are wanted
 */
export async function forEachFrame(
  file: string,
  onFrame: (frame: Frame, time: number) => Promise<boolean>,
): Promise<void> {
  await using probed = await probeVideo(file, neverAborted);
  using decoder = await openDecoder(probed, neverAborted);
  let first: number | undefined;
  let isWanted = true;
  const handle = async (frames: Frame[]) => {
    for (using frame of frames) {
      if (!isWanted) continue;
      const time = toSeconds(frame.bestEffortTimestamp, frame) ?? 0;
      first ??= time;
      isWanted = await onFrame(frame, time - first);
    }
  };
  for await (using packet of probed.demuxer.packets()) {
    if (!isWanted) return;
    if (packet?.streamIndex === probed.video.index) await handle(await decoder.decodeAll(packet));
  }
  await handle(await decoder.decodeAll(null));
}
