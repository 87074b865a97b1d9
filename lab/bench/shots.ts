import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sampleVideo } from '@media-search/indexing/sample-video';
import { filterToRgb } from '@media-search/media/decode-video';
import { probeVideo } from '@media-search/media/probe-video';
import type { RgbImage } from '@media-search/media/rgb-image';
import { detectorSize } from '@media-search/media/shots/frame-features';
import { FilterAPI } from 'node-av/api';
import { AV_LOG_ERROR } from 'node-av/constants';
import { Log } from 'node-av/lib';
import sharp from 'sharp';
import { encodeVideo } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { forEachFrame } from './each-frame.ts';
import { expectQuality } from './expected-quality.ts';
import { createRandom, type Film as MadeFilm, frameSize, kinds, makeFilm, sourceSize } from './shot-films.ts';
import { makeSplices } from './shot-splices.ts';

/**
 * How well shot changes are found: precision and recall within two frames, by ours (as videos are indexed), FFmpeg's `scene` filter at two
 * usual thresholds, and a histogram of colours whose threshold is the best one for this material. Films of twelve shots made
 * of moved photographs, with changes of every kind and with what only looks like one (`shot-films.ts`), and films of pieces of real clips
 * (`shot-splices.ts`); a gradual change counts as found anywhere within it, once. Ours was tuned on films 1 to 3 of the photographs that the other
 * benchmarks use: what is reported is of other photographs and other clips.
 *
 *     npm run node -- lab/bench/shots.ts <folder of photographs> [--films 4,5] [--clips <folder>] [--video <file> --changes 1.0,6.0,7.1-8.1]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    films: { type: 'string', default: '4,5' },
    clips: { type: 'string' },
    video: { type: 'string' },
    changes: { type: 'string', default: '' },
  },
});
Log.setLevel(AV_LOG_ERROR);
/** A change: a moment, or a while in which it happens, seconds. */
type Change = { from: number; to: number };
type Tally = { right: number; wrong: number; missed: number };
type Film = { kind: string; file: string; changes: Change[]; frame: number };

const neverAborted = new AbortController().signal;
await using folder = await temporaryFolder();
const films: Film[] = values.video === undefined ? await makeFilms() : [readFilm(values.video)];

const found = new Map<string, number[][]>();
const add = (name: string, times: number[]) => found.set(name, [...(found.get(name) ?? []), times]);
const thresholds = Array.from({ length: 30 }, (_, i) => 0.1 + i * 0.05);
for (const { file } of films) {
  add('ours', await findOurs(file));
  for (const threshold of [0.3, 0.4]) add(`FFmpeg, scene > ${threshold}`, await findByFilter(file, threshold));
  const distances = await histogramDistances(file);
  for (const threshold of thresholds) {
    const times = distances.filter(({ distance }) => distance > threshold).map(({ time }) => time);
    add(`histogram > ${threshold.toFixed(2)}`, times);
  }
}
const quality = (name: string) => f1(totalOf(name, films));
const histogram = thresholds
  .map((threshold) => `histogram > ${threshold.toFixed(2)}`)
  .reduce((best, name) => (quality(name) > quality(best) ? name : best));
const shown = ['ours', 'FFmpeg, scene > 0.3', 'FFmpeg, scene > 0.4', histogram];

console.log(`| precision / recall | changes | ${shown.join(' | ')} |`);
console.log(`| --- | --- |${' --- |'.repeat(shown.length)}`);
for (const kind of new Set(films.map((film) => film.kind))) {
  report(
    kind,
    films.filter((film) => film.kind === kind),
  );
}
report('**all**', films);
expectQuality([{ name: 'F1 of ours over all films', value: quality('ours'), least: 0.9 }]);

function report(name: string, some: Film[]): void {
  const cells = shown.map((detector) => {
    const { right, wrong, missed } = totalOf(detector, some);
    return `${(right / Math.max(1, right + wrong)).toFixed(3)} / ${(right / (right + missed)).toFixed(3)}`;
  });
  const changes = some.reduce((sum, film) => sum + film.changes.length, 0);
  console.log(`| ${name} | ${changes} | ${cells.join(' | ')} |`);
}

function totalOf(name: string, some: Film[]): Tally {
  const total = { right: 0, wrong: 0, missed: 0 };
  for (const film of some) {
    const times = found.get(name)?.[films.indexOf(film)] ?? [];
    const left = [...film.changes];
    let right = 0;
    for (const time of times) {
      const slack = 2 * film.frame + 0.001;
      const at = left.findIndex(({ from, to }) => time >= from - slack && time <= to + slack);
      if (at !== -1) left.splice(at, 1);
      right += at === -1 ? 0 : 1;
    }
    total.right += right;
    total.wrong += times.length - right;
    total.missed += left.length;
  }
  return total;
}

function f1({ right, wrong, missed }: Tally): number {
  return (2 * right) / Math.max(1, 2 * right + wrong + missed);
}

async function findOurs(file: string): Promise<number[]> {
  await using probed = await probeVideo(file, neverAborted);
  const times: number[] = [];
  for await (const event of sampleVideo(probed, { signal: neverAborted })) {
    if (event.kind === 'shot-change') times.push((event.change.from + event.change.to) / 2);
  }
  return times;
}

async function findByFilter(file: string, threshold: number): Promise<number[]> {
  using filter = FilterAPI.create(`select='gt(scene,${threshold})'`);
  const times: number[] = [];
  await forEachFrame(file, async (frame, time) => {
    using copy = frame.clone();
    if (!copy) return true;
    const passed = await filter.processAll(copy);
    if (passed.length > 0) times.push(time);
    for (using each of passed) each.free();
    return true;
  });
  return times;
}

/** How far the colours of each frame are from those of the one before: 512 bins, 0..2. */
async function histogramDistances(file: string): Promise<{ time: number; distance: number }[]> {
  using detectorFilter = FilterAPI.create(`scale=${detectorSize.width}:${detectorSize.height},format=rgb24`);
  const distances: { time: number; distance: number }[] = [];
  let previous: Float32Array | undefined;
  await forEachFrame(file, async (frame, time) => {
    for (const { data } of await filterToRgb(detectorFilter, frame)) {
      const bins = new Float32Array(512);
      const share = 3 / data.length;
      for (let i = 0; i < data.length; i += 3) {
        bins[((data[i]! >> 5) << 6) | ((data[i + 1]! >> 5) << 3) | (data[i + 2]! >> 5)]! += share;
      }
      if (previous) {
        const before = previous;
        distances.push({ time, distance: bins.reduce((sum, bin, i) => sum + Math.abs(bin - before[i]!), 0) });
      }
      previous = bins;
    }
    return true;
  });
  return distances;
}

async function makeFilms(): Promise<Film[]> {
  const photographs = (await readdir(positionals[0] ?? '.')).filter((name) => /\.jpe?g$/i.test(name)).toSorted();
  const made: Film[] = [];
  for (const number of values.films.split(',').map(Number)) {
    for (const [i, [kind, how]] of Object.entries(kinds).entries()) {
      const seed = number * 100 + i;
      const random = createRandom(seed);
      const chosen = photographs.toSorted(() => random() - 0.5).slice(0, 14);
      made.push(await write(kind, `${seed}.mp4`, makeFilm(how, await Promise.all(chosen.map(readSource)), seed)));
    }
  }
  if (values.clips === undefined) return made;
  for (const [i, { kind, film }] of (await makeSplices(values.clips, [1, 2, 3, 4])).entries()) {
    made.push(await write(kind, `splice-${i}.mp4`, film));
  }
  return made;
}

/** Encodes a film. */
async function write(kind: string, name: string, film: MadeFilm): Promise<Film> {
  const positions: { time: number; position: number }[] = [];
  function* frames() {
    for (const { image, pts, position } of film.frames) {
      positions.push({ time: pts / film.fps, position });
      yield { image, pts };
    }
  }
  const file = folder.file(name);
  await encodeVideo(file, frames(), { ...frameSize, fps: film.fps });
  return { kind, file, changes: changesOf(positions), frame: 1 / Math.min(film.fps, 30) };
}

async function readSource(name: string): Promise<RgbImage> {
  const { width, height } = sourceSize;
  const photograph = sharp(path.join(positionals[0] ?? '.', name))
    .autoOrient()
    .resize(width, height, { fit: 'cover' });
  return { width, height, data: await photograph.toColourspace('srgb').removeAlpha().raw().toBuffer() };
}

/** Where the number of the shot goes up: at once, or over fractions. */
function changesOf(positions: { time: number; position: number }[]): Change[] {
  const changes: Change[] = [];
  let began: number | undefined;
  for (const [i, { time, position }] of positions.entries()) {
    if (position % 1 !== 0) began ??= time;
    else if (began !== undefined) {
      changes.push({ from: began, to: time });
      began = undefined;
    } else if (i > 0 && position > (positions[i - 1] as { position: number }).position) {
      changes.push({ from: time, to: time });
    }
  }
  return changes;
}

function readFilm(file: string): Film {
  const changes = values.changes.split(',').map((each) => {
    const [from = 0, to = from] = each.split('-').map(Number);
    return { from, to };
  });
  return { kind: path.basename(file), file, changes, frame: 1 / 25 };
}
