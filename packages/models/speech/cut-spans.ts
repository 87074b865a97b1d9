import { frameSeconds, frameSize } from './voice-activity.ts';

/** A span of speech without a long pause. */
export type SpeechSpan = {
  /** On the item's clock, seconds. */
  start: number;
  /** Mono at 16 kHz. */
  samples: Float32Array;
};

/** A frame of the voice detector. */
export type Frame = {
  /** On the item's clock, seconds. */
  start: number;
  samples: Float32Array;
  /** The probability of speech. */
  probability: number;
};

const framesIn = (seconds: number): number => Math.round(seconds / frameSeconds);

/** Speech begins at a frame as probable as this, and goes on while frames are not below the second: the thresholds of the authors. */
const beginsAt = 0.5;
const endsBelow = 0.35;
/** A pause this long ends a span. */
const pause = framesIn(0.5);
/** So much sound before and after speech belongs to it. */
const margin = framesIn(0.2);
/** Less speech than this is none. */
const leastSpeech = framesIn(0.25);
/** A longer span is cut where it is most like a pause, in its second half. */
const longest = framesIn(27);

/** Cuts frames that follow each other into spans of speech. Holds no more than the span that goes on. */
export function cutSpans() {
  /** The span that goes on, or the margin before one. */
  let frames: Frame[] = [];
  let isSpeaking = false;
  let quiet = 0;

  /** Makes a span of the first frames; the others stay. */
  function take(count: number): SpeechSpan[] {
    const taken = frames.slice(0, count);
    frames = frames.slice(count);
    if (taken.filter(({ probability }) => probability >= beginsAt).length < leastSpeech) return [];
    const samples = new Float32Array(taken.length * frameSize);
    taken.forEach((frame, i) => samples.set(frame.samples, i * frameSize));
    return taken[0] ? [{ start: taken[0].start, samples }] : [];
  }

  /** @returns the span that went on, if one did: no frame follows it */
  function end(): SpeechSpan[] {
    if (!isSpeaking) return [];
    isSpeaking = false;
    return take(frames.length - Math.max(0, quiet - margin));
  }

  return {
    /** @returns the span that ended, if one did */
    push(frame: Frame): SpeechSpan[] {
      frames.push(frame);
      if (!isSpeaking && frame.probability < beginsAt) {
        frames = frames.slice(-margin);
        return [];
      }
      isSpeaking = true;
      quiet = frame.probability < endsBelow ? quiet + 1 : 0;
      if (quiet >= pause) return end();
      if (frames.length < longest) return [];
      const half = frames.length >> 1;
      const probabilities = frames.slice(half).map(({ probability }) => probability);
      const cut = take(half + 1 + probabilities.indexOf(Math.min(...probabilities)));
      quiet = Math.min(quiet, frames.length);
      return cut;
    },
    end() {
      const spans = end();
      frames = [];
      return spans;
    },
    /** Where the span that goes on begins, seconds; null: none does. */
    get start() {
      return isSpeaking ? (frames[0]?.start ?? null) : null;
    },
  };
}
