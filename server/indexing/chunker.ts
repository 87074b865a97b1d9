import type { Sample } from './sample-video.ts';

/** A span of a video with the pictures sampled in it, of which there is at least one. */
export type SampledSpan = { start: number; end: number; samples: Sample[] };

/** Bounds of a chunk's length, seconds. A whole video may be shorter. */
const shortest = 1;
const longest = 10;

export type Chunker = {
  addSample(sample: Sample): SampledSpan[];
  addCut(time: number): SampledSpan[];
  /** Ends the video. Returns the remaining spans, so that all together cover 0..`duration` without gaps. */
  finish(duration: number): SampledSpan[];
};

/**
 * Cuts a video into spans of 1 to 10 seconds at its shot changes, as samples and cuts come. Long shots are divided; a shot
 * too short to stand alone goes with what follows it. Holds at most the samples of some 30 seconds.
 */
export function createChunker(): Chunker {
  let start = 0;
  let samples: Sample[] = [];
  /** Finished but not given out yet, in case the video ends right behind it. */
  let held: SampledSpan | undefined;

  function close(end: number): SampledSpan[] {
    const inside = samples.filter(({ time }) => time < end);
    const last = samples.at(-1);
    samples = samples.filter(({ time }) => time >= end);
    const parts = divide({ start, end, samples: inside.length > 0 || !last ? inside : [last] });
    start = end;
    const finished = held ? [held, ...parts] : parts;
    held = finished.pop();
    return finished;
  }

  return {
    addSample(sample) {
      samples.push(sample);
      return sample.time - start >= 2 * longest ? close(start + longest) : [];
    },
    addCut: (time) => (time - start < shortest ? [] : close(time)),
    finish(duration) {
      const rest = duration - start;
      if (held && rest < shortest) {
        return divide({ start: held.start, end: duration, samples: [...held.samples, ...samples] });
      }
      const finished = rest > 0 || !held ? close(duration) : [];
      return held ? [...finished, held] : finished;
    },
  };
}

/** Divides a span into equal parts of at most the longest length. Each part keeps a sample, if need be the one before it. */
function divide(span: SampledSpan): SampledSpan[] {
  const length = span.end - span.start;
  const count = Math.max(1, Math.ceil(length / longest - 1e-6));
  return Array.from({ length: count }, (_, i) => {
    const start = round(span.start + (length * i) / count);
    const end = round(span.start + (length * (i + 1)) / count);
    const inside = span.samples.filter(({ time }) => (time >= start || i === 0) && (time < end || i === count - 1));
    const before = span.samples.findLast(({ time }) => time < start) ?? span.samples[0];
    return { start, end, samples: inside.length > 0 || !before ? inside : [before] };
  });
}

/** To the millisecond. */
const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;
