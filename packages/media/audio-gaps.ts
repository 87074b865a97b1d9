import type { Packet, Stream } from 'node-av/lib';
import { toSeconds } from './probe-video.ts';

/** Audio that starts further than this from where it should continue is heard to be off, seconds. */
const gapTolerance = 0.04;

/** Finds places where an audio track does not continue where it ended: a gap, or an overlap. */
export function createGapDetector() {
  let end: number | undefined;
  return {
    found: false,
    push(packet: Packet, stream: Stream) {
      const start = toSeconds(packet.pts, stream);
      const stated = toSeconds(packet.duration, stream) ?? 0;
      // MP4 stretches the packet before a gap.
      const { frameSize, sampleRate } = stream.codecpar;
      const duration = frameSize > 0 && sampleRate > 0 ? Math.min(stated, frameSize / sampleRate) : stated;
      if (start === undefined || duration <= 0) return;
      if (end !== undefined && Math.abs(start - end) > gapTolerance) this.found = true;
      end = start + duration;
    },
  };
}
