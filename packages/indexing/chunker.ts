import type { ShotChange } from '@media-search/media/shots/shot-detector';
import type { Sample } from './sample-video.ts';

/** A span of a video, seconds, within one shot, with the frames sampled in it, at least one. */
export type SampledSpan = { start: number; end: number; samples: Sample[] };

/** A shot shorter than this is a flicker that nobody looks for: it belongs to no chunk. Seconds. */
const minShotSeconds = 0.4;
/** Two frames of a change that lie no further apart are a cut, seconds. */
const cutUncertainty = 0.05;
/** Longer shots are divided into chunks of at most this length, and one frame stands for no longer than this. Seconds. */
const maxChunkSeconds = 10;

export type Chunker = {
  addSample(sample: Sample): SampledSpan[];
  addShotChange(change: ShotChange): SampledSpan[];
  /** Ends the video at `duration`. Returns the remaining spans; a video whose shots are all too short has one. */
  finish(duration: number): SampledSpan[];
};

/**
 * Cuts a video into chunks at its shot changes, as samples and changes come. No chunk holds frames of two shots: a shot of at
 * least 0.4 s is a chunk of its own, or several of at most 10 s each; shorter shots, what lies between two shots (a
 * dissolve, black), and gaps without frames are left out. There are never more chunks than samples. Holds at most the samples of
 * some 30 seconds.
 */
export function createChunker(): Chunker {
  let start = 0;
  let samples: Sample[] = [];
  let isEmpty = true;
  /** The longest shot that is too short, in case the video has no other. */
  let longestShort: SampledSpan | undefined;

  /** Ends the shot at `end`; the next one begins at `next`. */
  function close(end: number, next: number): SampledSpan[] {
    const inside = samples.filter(({ time }) => time < end);
    samples = samples.filter(({ time }) => time >= next);
    const shot = { start, end, samples: inside };
    start = next;
    if (inside.length === 0) return [];
    // Of a cut at a high frame rate it is not known to the frame where the earlier shot ends: it counts as going up to the later one.
    const length = (next - end < cutUncertainty ? next : end) - shot.start;
    if (length < minShotSeconds - 1e-6) {
      if (!longestShort || end - shot.start > longestShort.end - longestShort.start) longestShort = shot;
      return [];
    }
    isEmpty = false;
    return divide(shot);
  }

  return {
    addSample(sample) {
      if (sample.time < start) return [];
      const previous = samples.at(-1);
      // A gap ends the span: what a file claims to last has no frames of its own.
      const gap = previous !== undefined && sample.time - previous.time > maxChunkSeconds;
      const closed = gap ? close(previous.time + maxChunkSeconds, sample.time) : [];
      samples.push(sample);
      // Changes are reported up to two seconds late, so the last ten seconds of a shot stay open.
      if (sample.time - start >= 2 * maxChunkSeconds)
        closed.push(...close(start + maxChunkSeconds, start + maxChunkSeconds));
      return closed;
    },
    addShotChange: ({ from, to }) => close(Math.max(start, from), Math.max(start, to)),
    finish(duration) {
      const last = samples.at(-1);
      const spans = last ? close(Math.min(duration, last.time + maxChunkSeconds), duration) : [];
      return isEmpty && longestShort ? [rounded(longestShort)] : spans;
    },
  };
}

/** Divides a span into equal parts of at most the longest length. Each part keeps a sample, if need be the one before it. */
function divide(span: SampledSpan): SampledSpan[] {
  const length = span.end - span.start;
  const count = Math.max(1, Math.ceil(length / maxChunkSeconds - 1e-6));
  return Array.from({ length: count }, (_, i) => {
    const start = span.start + (length * i) / count;
    const end = span.start + (length * (i + 1)) / count;
    const inside = span.samples.filter(({ time }) => (time >= start || i === 0) && (time < end || i === count - 1));
    const before = span.samples.findLast(({ time }) => time < start) ?? span.samples[0];
    return rounded({ start, end, samples: inside.length > 0 || !before ? inside : [before] });
  });
}

/** With times to the millisecond. */
const rounded = ({ start, end, samples }: SampledSpan): SampledSpan => ({
  start: Math.round(start * 1000) / 1000,
  end: Math.round(end * 1000) / 1000,
  samples,
});
