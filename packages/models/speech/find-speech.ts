import type { SoundBlock } from '@media-search/media/read-sound';
import { cutSpans, type SpeechSpan } from './cut-spans.ts';
import { frameSeconds, frameSize, type VoiceDetector } from './voice-activity.ts';

const sampleRate = 16_000;

/** Blocks further apart than this are not one sound, seconds. */
const maxGap = 0.05;

/**
 * Finds speech in sound that is given block by block. Holds no more than the span that goes on.
 * @param from where the sound begins, seconds on the item's clock
 */
export function createSpeechFinder(detector: VoiceDetector, from: number) {
  /** Samples that do not fill a frame yet, and the time of the first of them. */
  let rest = new Float32Array(0);
  let time = from;
  const spans = cutSpans();
  detector.reset();
  return {
    /** @returns the spans that ended */
    async push(block: SoundBlock): Promise<SpeechSpan[]> {
      const ended: SpeechSpan[] = [];
      if (Math.abs(block.start - time - rest.length / sampleRate) > maxGap) {
        ended.push(...spans.end());
        detector.reset();
        rest = new Float32Array(0);
        time = block.start;
      }
      const samples = new Float32Array(rest.length + block.samples.length);
      samples.set(rest);
      samples.set(block.samples, rest.length);
      let at = 0;
      for (; at + frameSize <= samples.length; at += frameSize) {
        const frame = samples.slice(at, at + frameSize);
        ended.push(...spans.push({ start: time, samples: frame, probability: await detector.push(frame) }));
        time += frameSeconds;
      }
      rest = samples.slice(at);
      return ended;
    },
    /** @returns the span that goes on at the end of the sound */
    end: () => spans.end(),
    /** All speech before is in spans that were returned; seconds on the item's clock. */
    get position() {
      return spans.start ?? time;
    },
  };
}
