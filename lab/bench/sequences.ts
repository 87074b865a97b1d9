import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { filterToRgb } from '@media-search/media/decode-video';
import type { RgbImage } from '@media-search/media/rgb-image';
import { mean } from '@media-search/search-engine/vectors';
import { FilterAPI } from 'node-av/api';
import { encodeVideo } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { forEachFrame } from './each-frame.ts';
import { expectQuality } from './expected-quality.ts';
import { readTable } from './judged.ts';
import { openLibrary } from './library.ts';
import { createRandom } from './shot-films.ts';

/**
 * What follows what, through the API: films of three pieces of real clips, each also with its pieces in the other order. `"a" then "b"` is right where the first hit is of a
 * film in which a is before b; one sentence ("a and then b") is what that is compared with. Nothing is chosen by these films. Exits 1 below what is expected.
 *
 *     npm run node -- lab/bench/sequences.ts --data <folder with clips/ and videos/> [--keep <folder>]
 */

const { values } = parseArgs({ options: { data: { type: 'string', default: '.' }, keep: { type: 'string' } } });

/** Films, half of them the others backwards. */
const filmCount = 60;
const piecesOfFilm = 3;
/** A piece has two seconds. */
const [fps, framesOfPiece] = [20, 40];
const frame = { width: 640, height: 360 };

/** Clips keep their proportions: what does not fit is cut off. */
const filled = `scale=${frame.width}:${frame.height}:force_original_aspect_ratio=increase,crop=${frame.width}:${frame.height}`;

/** A film by the places of its clips. */
type Film = { name: string; clips: number[] };

await using scratch = await temporaryFolder();
const folder = values.keep === undefined ? scratch.path : path.join(values.keep, 'films');
const clips = (await readTable(new URL('spliced-clips.tsv', import.meta.url))).map(([file = '', query = '']) => ({
  file,
  query,
}));
const films = chooseFilms();
await writeFilms();
const uploads = [{ group: 'films', folder, files: films.map(({ name }) => name) }];
await using library = await openLibrary('builtin', uploads, values.keep && path.join(values.keep, 'data'));

const asked = films.flatMap(({ clips: own }, i) => {
  // Neighbours, and those with another piece in between.
  const pairs = [
    [0, 1],
    [1, 2],
    [0, 2],
  ][i % 3] as [number, number];
  return [[own[pairs[0]] as number, own[pairs[1]] as number] as const];
});
const right = { sequence: [] as number[], marks: [] as number[], sentence: [] as number[] };
for (const [a, b] of asked) {
  const [first, second] = [clips[a]?.query ?? '', clips[b]?.query ?? ''];
  const { data } = await library.client.search(`"${first}" then "${second}"`);
  const hit = data[0];
  right.sequence.push(holds(hit?.id, a, b) ? 1 : 0);
  right.marks.push(
    hit?.steps && holds(hit.id, a, b) && isAt(hit.id, hit.steps[0]?.start, a) && isAt(hit.id, hit.steps[1]?.start, b)
      ? 1
      : 0,
  );
  const { data: bySentence } = await library.client.search(`${first} and then ${second}`, '&as_written=1');
  right.sentence.push(holds(bySentence[0]?.id, a, b) ? 1 : 0);
}
const figures = { sequence: mean(right.sequence), marks: mean(right.marks), sentence: mean(right.sentence) };
console.log(`${films.length} films, ${asked.length} queries, right at rank 1:`);
console.log(`  a then b: ${figures.sequence.toFixed(3)}, with both marks where they are: ${figures.marks.toFixed(3)}`);
console.log(`  one sentence: ${figures.sentence.toFixed(3)}`);
expectQuality([{ name: 'right at rank 1', value: figures.sequence, least: 0.8 }]);

function chooseFilms(): Film[] {
  const random = createRandom(34);
  return Array.from({ length: filmCount / 2 }, (_, i) => {
    const order = clips
      .map((_clip, place) => ({ place, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .slice(0, piecesOfFilm)
      .map(({ place }) => place);
    return [
      { name: `film-${i}.mp4`, clips: order },
      { name: `film-${i}-other.mp4`, clips: order.toReversed() },
    ];
  }).flat();
}

/** Writes those that are not there. */
async function writeFilms(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const present = new Set(await readdir(folder));
  if (films.every(({ name }) => present.has(name))) return;
  const pieces: RgbImage[][] = [];
  for (const { file } of clips) pieces.push(await readPiece(path.join(values.data, file)));
  for (const { name, clips: own } of films) {
    const images = own.flatMap((clip) => pieces[clip] as RgbImage[]);
    await encodeVideo(
      path.join(folder, name),
      images.map((image, pts) => ({ image, pts })),
      { ...frame, fps },
    );
  }
}

/** Two seconds of a clip, from the middle of its first eight in general. */
async function readPiece(file: string): Promise<RgbImage[]> {
  using filter = FilterAPI.create(`fps=${fps},${filled},format=rgb24`);
  const images: RgbImage[] = [];
  await forEachFrame(file, async (each) => {
    images.push(...(await filterToRgb(filter, each)));
    return images.length < 4 * framesOfPiece;
  });
  const piece = images.slice(Math.floor((images.length - framesOfPiece) / 2)).slice(0, framesOfPiece);
  if (piece.length < framesOfPiece) throw new Error(`${file} is too short.`);
  return piece;
}

/** Whether a film has one clip before another. */
function holds(id: string | undefined, a: number, b: number): boolean {
  const own = filmOf(id)?.clips ?? [];
  return own.includes(a) && own.indexOf(a) < own.indexOf(b);
}

/** Whether a moment of a film, seconds, is in the piece of a clip. */
function isAt(id: string, moment: number | undefined, clip: number): boolean {
  const place = filmOf(id)?.clips.indexOf(clip) ?? -1;
  return moment !== undefined && Math.floor(((moment + 0.1) * fps) / framesOfPiece) === place;
}

function filmOf(id: string | undefined): Film | undefined {
  const name = id === undefined ? undefined : library.files.get(id);
  return films.find((film) => film.name === name);
}
