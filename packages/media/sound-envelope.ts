import type { SoundBlock } from './read-sound.ts';

/** Samples of `SoundBlock` a second. */
const soundRate = 16_000;

/** How long one value of an envelope stands for, seconds. */
export const envelopeStep = 0.05;

const samplesPerStep = soundRate * envelopeStep;

/** How loud a recording is, step by step. Silence is 0, also where sound is missing. */
export type SoundEnvelope = {
  /** The largest sample of each step, 0..1. */
  peaks: Float32Array;
  /** The root mean square of each step, 0..1. */
  levels: Float32Array;
  /** From the beginning to the end of the last sound. */
  seconds: number;
};

/** Collects how loud a recording is from its blocks in order of time. Of ten hours it keeps 6 MB. */
export function createEnvelope() {
  let peaks = new Float32Array(1024);
  let squares = new Float32Array(1024);
  let end = 0;

  function reserve(steps: number): void {
    if (steps <= peaks.length) return;
    const grow = (values: Float32Array): Float32Array<ArrayBuffer> => {
      const larger = new Float32Array(2 ** Math.ceil(Math.log2(steps)));
      larger.set(values);
      return larger;
    };
    peaks = grow(peaks);
    squares = grow(squares);
  }

  return {
    push({ start, samples }: Pick<SoundBlock, 'start' | 'samples'>): void {
      const first = Math.round(start * soundRate);
      reserve(Math.ceil((first + samples.length) / samplesPerStep));
      // Counted: an hour has 58 million of them.
      for (let i = 0; i < samples.length; i++) {
        const sample = samples[i] as number;
        const step = Math.floor((first + i) / samplesPerStep);
        peaks[step] = Math.max(peaks[step] as number, Math.abs(sample));
        squares[step] = (squares[step] as number) + sample * sample;
      }
      end = Math.max(end, first + samples.length);
    },
    finish(): SoundEnvelope {
      const steps = Math.ceil(end / samplesPerStep);
      return {
        peaks: peaks.slice(0, steps),
        levels: squares.slice(0, steps).map((sum) => Math.sqrt(sum / samplesPerStep)),
        seconds: Math.round((1000 * end) / soundRate) / 1000,
      };
    },
  };
}
