import { envelopeStep, type SoundEnvelope } from '@media-search/media/sound-envelope';

/** A chunk of a recording is so long, seconds: no longer than one of a video. */
const minChunkSeconds = 5;
const maxChunkSeconds = 10;
/** The quietest place is that where sound is lowest over so long, steps: the pause between two sentences, not that within a word. */
const pauseSteps = 6;

/**
 * Cuts a recording into spans of 5 to 10 seconds, each ending at the quietest place there is, so that few words are cut in two. They leave nothing out; the
 * last one may be shorter.
 * @returns spans in order of time, seconds; at least one
 */
export function cutSound({
  levels,
  seconds,
}: Pick<SoundEnvelope, 'levels' | 'seconds'>): { start: number; end: number }[] {
  const cuts = [0];
  for (let start = 0; seconds - start > maxChunkSeconds;) {
    start = findQuietest(levels, start + minChunkSeconds, start + maxChunkSeconds);
    cuts.push(start);
  }
  const round = (time: number) => Math.round(1000 * time) / 1000;
  return cuts.map((start, i) => ({ start: round(start), end: round(cuts[i + 1] ?? seconds) }));
}

/** The middle of the quietest stretch between two times, seconds; of several the last, so that silence is cut into long chunks. */
function findQuietest(levels: Float32Array, from: number, to: number): number {
  const [first, end] = [Math.round(from / envelopeStep), Math.round(to / envelopeStep) - pauseSteps];
  let best = end;
  let least = Infinity;
  for (let step = first; step <= end; step++) {
    let sum = 0;
    for (let i = 0; i < pauseSteps; i++) sum += levels[step + i] ?? 0;
    if (sum > least) continue;
    least = sum;
    best = step;
  }
  return (best + pauseSteps / 2) * envelopeStep;
}
