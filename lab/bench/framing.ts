import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { embedPhoto } from '@media-search/indexing/embed-chunks';
import { type DecodedImage, decodeImage, toRgbImage } from '@media-search/media/decode-image';
import type { Embedder } from '@media-search/models/embedder';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { dot, mean } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { findPictures } from '../../packages/media/framing/find-pictures.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createRandom } from '../../packages/search-engine/testing/random.ts';
import { embedImageFile } from '../../server/search/query-workers/embed-query-image.ts';
import { viewSimilarity } from '../../server/search/rerank/scoring.ts';
import { findReference } from './embedder-by-name.ts';
import { expectQuality, type Quality } from './expected-quality.ts';
import { type Framed, frames } from './framed-pictures.ts';
import { halfOf } from './halves.ts';
import { isPhotograph } from './judged.ts';
import { format } from './measures.ts';

/**
 * What black bars, blurred fill, a player, a web page, a phone or a collage around a photograph cost, before and after the pictures inside are looked for:
 * recall at 1 in a library of all photographs of a folder.
 *
 * - `asked`: the framed photograph is the query, and the plain one is stored. Of a collage each of its photographs should be among as many hits.
 * - `stored`: the framed photograph is stored in place of the plain one, which is the query.
 * - `named`: framed photographs are stored, and the query is the name of the file (`Siamese_cat.jpg`, or `n02123597_Siamese_cat.jpg`).
 *
 * "before" embeds each image as a whole. Thresholds were chosen on the first half of the photographs (`halves.ts`); the second is what is
 * reported. Exits with status 1 where a figure of the second half is lower than expected.
 *
 *     npm run node -- lab/bench/framing.ts <folder of photographs> [--embedder builtin] [--queries 60] [--half second] [--library 1000]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: 'string', default: 'builtin' },
    queries: { type: 'string', default: '60' },
    half: { type: 'string', default: 'second' },
    library: { type: 'string', default: '1000' },
  },
});
const folder = path.resolve(positionals[0] ?? '.');

/** The least that each kind of frame has to reach after, and how much plain photographs may lose. */
const expected = {
  border: { asked: 0.9, stored: 0.9 },
  screenshot: { asked: 0.75, stored: 0.75 },
  collage: { asked: 0.75, stored: 0.5 },
};
const maxLoss = 0.01;
/** What borders may cost beside plain photographs in searches by name, on average. */
const maxNamedLoss = 0.1;
const named: number[] = [];

type Stored = { vector: Float32Array; views: Float32Array[] };
type Photo = { file: string; image: DecodedImage };

const load = async (file: string): Promise<Photo> => {
  const mimeType = /png$/i.test(file) ? 'image/png' : /webp$/i.test(file) ? 'image/webp' : 'image/jpeg';
  return { file, image: await decodeImage(path.join(folder, file), mimeType) };
};

/** The vector of an image as a whole, as it was before anything was looked for. */
async function embedWhole(embedder: Embedder, image: DecodedImage): Promise<Float32Array> {
  const rgb = await toRgbImage(image, embedder.maxPhotoSide);
  const [embedded] = await embedder.embedChunks([[{ image: rgb, next: null }]]);
  return (embedded as { vector: Float32Array }).vector;
}

/** Files by descending similarity to the most similar of some vectors. */
function rank(queries: Float32Array[], library: Map<string, Float32Array>, count: number): string[] {
  return [...library]
    .map(([file, vector]) => ({ file, similarity: Math.max(...queries.map((query) => dot(query, vector))) }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, count)
    .map(({ file }) => file);
}

/** What a photograph shows, by its file name. */
const nameOf = (file: string): string =>
  path
    .parse(file)
    .name.replace(/^n\d+_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

const shareOf = (right: string[], found: string[]): number => mean(right.map((file) => (found.includes(file) ? 1 : 0)));

await using scratch = await temporaryFolder();
const embedder = await createEmbedderLoader(2)(await findReference(values.embedder));
const files = (await readdir(folder)).filter(isPhotograph).toSorted().slice(0, Number(values.library));
const half = files.filter((file) => halfOf(file) === values.half);
const step = Math.max(1, Math.floor(half.length / Number(values.queries)));
const asked = half.filter((_, i) => i % step === 0).slice(0, Number(values.queries));

const library: Record<'before' | 'after', Map<string, Float32Array>> = { before: new Map(), after: new Map() };
let encodings = 0;
let framed = 0;
let milliseconds = 0;
for (const file of files) {
  const { image } = await load(file);
  const whole = await toRgbImage(image, 480);
  const began = performance.now();
  const { inside, pictures } = findPictures([whole], 4);
  milliseconds += performance.now() - began;
  const isFramed = pictures.length > 0 || inside.right - inside.left < 1 || inside.bottom - inside.top < 1;
  library.before.set(file, await embedWhole(embedder, image));
  // What has no frame is embedded as before.
  library.after.set(
    file,
    isFramed ? (await embedPhoto(embedder, image)).vector : (library.before.get(file) as Float32Array),
  );
  framed += isFramed ? 1 : 0;
  encodings += pictures.length;
}
const perPhoto = (value: number) => (value / files.length).toFixed(3);
console.log(
  `${files.length} photographs, ${asked.length} of the ${values.half} half looked for, ${embedder.id}. In ${framed} plain ones a frame is found; ` +
    `looking takes ${perPhoto(milliseconds)} ms and ${perPhoto(encodings)} encodings more a photograph.\n`,
);

const names = new Map<string, Float32Array>();
for (const file of asked) {
  const { vector } = await embedder.embedText(nameOf(file));
  if (vector) names.set(file, vector);
}
/** Share of names that find their photograph first, where some of the library are replaced. */
const findByName = (kept: Map<string, Float32Array>, replaced: Map<string, Float32Array>): number =>
  mean([...names].map(([file, vector]) => shareOf([file], rank([vector], new Map([...kept, ...replaced]), 1))));

type Figures = { asked: number; stored: number; reranked: number; named: number };
type Row = Record<'before' | 'after', Figures>;

/** Frames each photograph that is looked for, and measures both ways. */
async function measure(
  frame: (file: string, others: string[]) => Promise<Framed & { isCollage?: boolean }>,
): Promise<Row> {
  const shares = {
    before: { asked: [] as number[], stored: [] as number[], reranked: [] as number[] },
    after: { asked: [] as number[], stored: [] as number[], reranked: [] as number[] },
  };
  const replaced = { before: new Map<string, Float32Array>(), after: new Map<string, Float32Array>() };
  for (const [place, file] of asked.entries()) {
    const others = [1, 2, 3, 4].map((i) => half[(place * step + i * 7) % half.length] as string);
    const { jpeg, places, isCollage } = { isCollage: false, ...(await frame(file, others)) };
    const shown = [file, ...others].slice(0, isCollage ? places.length : 1);
    const path = scratch.file('framed.jpg');
    await sharp(jpeg).toFile(path);
    const image = await decodeImage(path, 'image/jpeg');
    const whole = await embedWhole(embedder, image);
    const queries = { before: [whole], after: await embedImageFile(path, embedder) };
    const embedding = await embedPhoto(embedder, image);
    const stored: Record<'before' | 'after', Stored> = { before: { vector: whole, views: [] }, after: embedding };
    for (const time of ['before', 'after'] as const) {
      shares[time].asked.push(shareOf(shown, rank(queries[time], library[time], shown.length)));
      replaced[time].set(file, stored[time].vector);
      for (const each of shown) {
        const query = library[time].get(each) as Float32Array;
        // The plain ones are not stored then.
        const without = new Map([...library[time]].filter(([other]) => !shown.includes(other)));
        const found = rank([query], without.set('framed', stored[time].vector), 20);
        shares[time].stored.push(found[0] === 'framed' ? 1 : 0);
        const similarity = (other: string) =>
          other === 'framed'
            ? viewSimilarity(query, stored[time].vector, stored[time].views)
            : dot(query, without.get(other) as Float32Array);
        shares[time].reranked.push(found.toSorted((a, b) => similarity(b) - similarity(a))[0] === 'framed' ? 1 : 0);
      }
    }
  }
  const toFigures = (time: 'before' | 'after'): Figures => ({
    asked: mean(shares[time].asked),
    stored: mean(shares[time].stored),
    reranked: mean(shares[time].reranked),
    named: findByName(library[time], replaced[time]),
  });
  return { before: toFigures('before'), after: toFigures('after') };
}

const columns = ['asked', 'stored', 'reranked', 'named'] as const;
console.log(`| | ${columns.flatMap((column) => [`${column} before`, `${column} after`]).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(2 * columns.length)}`);
const figures: Quality[] = [];
const report = (name: string, row: Row) =>
  console.log(
    `| ${name} | ${columns.flatMap((column) => [format(row.before[column]), format(row.after[column])]).join(' | ')} |`,
  );

const toRgb = async (file: string) => toRgbImage((await load(file)).image, 1600);
const jpegOf = async (file: string): Promise<Framed> => {
  const { data, width, height } = await toRgb(file);
  const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer();
  return { jpeg, places: [{ left: 0, top: 0, right: 1, bottom: 1 }] };
};
const plain = await measure(jpegOf);
report('plain', plain);
for (const column of columns) {
  figures.push({ name: `plain, ${column}`, value: plain.after[column], least: plain.before[column] - maxLoss });
}
for (const [name, { kind, frame }] of Object.entries(frames)) {
  const row = await measure(async (file, others) => {
    const seed = createRandom(Array.from(file).reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_003);
    const made = await frame(await toRgb(file), await Promise.all(others.map(toRgb)), seed.next);
    return { ...made, isCollage: kind === 'collage' };
  });
  report(name, row);
  for (const way of ['asked', 'stored'] as const) {
    figures.push({ name: `${name}, ${way}`, value: row.after[way], least: expected[kind][way] });
  }
  if (kind === 'border') named.push(row.after.named);
}
figures.push({ name: 'borders, named', value: mean(named), least: plain.after.named - maxNamedLoss });
expectQuality(figures);
