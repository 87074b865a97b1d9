import { probeVideo } from './probe-video.ts';

/** What an editing program has to know of a video, as the headers of its file say. */
export type EditingFacts = {
  /** Frames a second as a fraction. */
  rate: { num: number; den: number };
  /** Timecode of the first frame, such as `01:00:00:00`; before the frames `;` where some numbers are dropped. Null: none is said. */
  timecode: string | null;
  audio: { channels: number; sampleRate: number } | null;
};

/** Rates that cameras write, as fractions. */
const usualRates = [
  [24_000, 1001],
  [24, 1],
  [25, 1],
  [30_000, 1001],
  [30, 1],
  [48, 1],
  [50, 1],
  [60_000, 1001],
  [60, 1],
  [100, 1],
  [120_000, 1001],
  [120, 1],
] as const;

/** A rate that is so close to a usual one is that, as a share: headers round, and phones keep time loosely. */
const tolerance = 0.0004;
const looseTolerance = 0.02;

/** The usual rate that a measured one stands for, or else the measured one to a thousandth of a frame. */
export function toUsualRate(framesPerSecond: number): EditingFacts['rate'] {
  if (!(framesPerSecond > 0 && framesPerSecond < 1000)) return { num: 25, den: 1 };
  for (const limit of [tolerance, looseTolerance]) {
    const near = usualRates
      .map(([num, den]) => ({ num, den, error: Math.abs(num / den / framesPerSecond - 1) }))
      .filter(({ error }) => error < limit)
      .toSorted((a, b) => a.error - b.error)[0];
    if (near) return { num: near.num, den: near.den };
  }
  return { num: Math.round(framesPerSecond * 1000), den: 1000 };
}

/** Reads the headers of a video. Throws `UnreadableMediaError`, and the signal's reason when aborted. */
export async function describeEditing(file: string, signal: AbortSignal): Promise<EditingFacts> {
  await using probed = await probeVideo(file, signal);
  const { video, audio, demuxer } = probed;
  const { num, den } = video.avgFrameRate.num > 0 ? video.avgFrameRate : video.rFrameRate;
  const tags = [demuxer.getFormatContext().metadata, ...demuxer.streams.map(({ metadata }) => metadata)];
  const timecode = tags.map((each) => each?.getAll()['timecode']).find((each) => each !== undefined);
  return {
    rate: toUsualRate(den > 0 ? num / den : 0),
    timecode: timecode !== undefined && /^\d\d:\d\d:\d\d[:;.]\d\d$/.test(timecode) ? timecode : null,
    audio: audio ? { channels: audio.codecpar.channels, sampleRate: audio.codecpar.sampleRate } : null,
  };
}
