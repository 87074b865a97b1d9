import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SoundEnvelope } from './sound-envelope.ts';

/** The rendition that holds the waveform of a recording: `{ "peaks": [0..255, …] }`, over all of its time. */
export const waveformFile = 'waveform.json';

/** Most values of a waveform: five a second of an hour, so that ten seconds of it can be drawn. */
const maxPeaks = 20_000;

/**
 * The loudest sound of each of some equal parts of a recording, relative to the loudest of all: quiet recordings show their form too.
 * @returns whole numbers from 0 to 255, at most `count`, at least one
 */
function toPeaks({ peaks }: Pick<SoundEnvelope, 'peaks'>, count = maxPeaks): number[] {
  const parts = Math.max(1, Math.min(count, peaks.length));
  const loudest = Array.from({ length: parts }, (_, i) =>
    peaks
      .subarray(Math.floor((i * peaks.length) / parts), Math.floor(((i + 1) * peaks.length) / parts))
      .reduce((most, peak) => Math.max(most, peak), 0),
  );
  const most = loudest.reduce((largest, peak) => Math.max(largest, peak), 0);
  return loudest.map((peak) => (most > 0 ? Math.round((255 * peak) / most) : 0));
}

/** Writes the waveform of a recording into the folder of its renditions. */
export const writeWaveform = (folder: string, envelope: SoundEnvelope): Promise<void> =>
  writeFile(path.join(folder, waveformFile), JSON.stringify({ peaks: toPeaks(envelope) }));

/** The picture of a waveform, pixels: the shape of most videos, so that it stands in lists beside them. */
const pictureSize = { width: 1280, height: 720 };
const bars = 64;
const [background, foreground] = [
  [24, 34, 38],
  [98, 202, 189],
] as const;

/** Draws the waveform of a recording: one picture for light and dark pages, as a frame of a video is. */
export function drawWaveform(envelope: SoundEnvelope): { width: number; height: number; channels: 3; data: Buffer } {
  const { width, height } = pictureSize;
  const data = Buffer.alloc(width * height * 3, Buffer.from(background));
  const margin = 0.08 * width;
  const pitch = (width - 2 * margin) / bars;
  const peaks = toPeaks(envelope, bars);
  const colour = Buffer.from(foreground);
  for (let bar = 0; bar < bars; bar++) {
    const peak = peaks[Math.floor((bar * peaks.length) / bars)] as number;
    const half = Math.max(2, (0.3 * height * peak) / 255);
    const [left, right] = [Math.round(margin + (bar + 0.2) * pitch), Math.round(margin + (bar + 0.8) * pitch)];
    for (let y = Math.round(height / 2 - half); y < Math.round(height / 2 + half); y++) {
      data.fill(colour, 3 * (y * width + left), 3 * (y * width + right));
    }
  }
  return { ...pictureSize, channels: 3, data };
}
