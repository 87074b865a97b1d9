import { parseArgs } from 'node:util';
import type { ExtractedSegment } from '@media-search/media/extracted-text';
import { median } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { type Film, films, type FilmWord, writeFilm } from './drawn-films.ts';
import { drawBlanks, drawImages, listBlankPhotographs, type DrawnWord, type Split } from './drawn-images.ts';
import { expectQuality } from './expected-quality.ts';
import { readTexts } from './read-texts.ts';
import { loadOurs, loadTesseract, type TextReader } from './text-readers.ts';
import { matchWords, normalise, toWords } from './word-match.ts';

/**
 * How well words in pictures are read: 60 images with words in eight fonts, 10 to 80 pixels high, at contrasts from a quarter on, half of them
 * turned by up to 10°, over photographs; 40 images without text; and films with credits that move, captions that change, and no text. Each
 * word counts that was read exactly (without case and punctuation) in a box that holds it. Beside tesseract.js, which gets the same images.
 *
 * Height is from the top of `d` to the foot of `p`, as a box around a line has it. The development split may be looked at (`--show`) while
 * something is built; what is reported is the test split, of other words, places and photographs.
 *
 *     npm run node -- lab/bench/ocr.ts <folder of photographs> [--split development --show] [--reader ours --reader tesseract] [--images 60] [--no-films]
 */

// The service reads no SVG; what is drawn here is SVG.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    split: { type: 'string', default: 'test' },
    reader: { type: 'string', multiple: true, default: ['ours', 'tesseract'] },
    images: { type: 'string', default: '60' },
    blanks: { type: 'string', default: '40' },
    films: { type: 'boolean', default: true },
    show: { type: 'boolean', default: false },
  },
});
const [source = ''] = positionals;
if (source === '') throw new Error('Name a folder of photographs.');
const split: Split = values.split === 'development' ? 'development' : 'test';
const isShown = values.show && split === 'development';

/** What a reader made of the images. */
type Outcome = {
  words: (DrawnWord & { found: boolean })[];
  read: number;
  wrong: number;
  /** Words read in images without text, and how many such images. */
  falseWords: number;
  blanks: number;
  /** Seconds of processor time an image. */
  seconds: number[];
};

const photographs = await listBlankPhotographs(source, split);
const readers: TextReader[] = [];
if (values.reader.includes('ours')) readers.push(await loadOurs());
if (values.reader.includes('tesseract')) readers.push(await loadTesseract(60));
const outcomes = new Map<TextReader, Outcome>(
  readers.map((reader) => [reader, { words: [], read: 0, wrong: 0, falseWords: 0, blanks: 0, seconds: [] }]),
);

for await (const image of drawImages(photographs, split, Number(values.images))) {
  for (const [reader, outcome] of outcomes) {
    const read = await timed(outcome, () => reader.read(image.jpeg));
    const { found, wrong } = matchWords(image.words, read);
    outcome.words.push(...image.words.map((word, i) => ({ ...word, found: found[i] === true })));
    outcome.read += read.flatMap(({ text }) => toWords(text)).length;
    outcome.wrong += wrong.length;
    if (isShown)
      show(
        reader,
        image.name,
        image.words.filter((_, i) => !found[i]),
        wrong,
      );
  }
}
for await (const image of drawBlanks(photographs, split, Number(values.blanks))) {
  for (const [reader, outcome] of outcomes) {
    const words = (await timed(outcome, () => reader.read(image.jpeg))).flatMap(({ text }) => toWords(text));
    outcome.falseWords += words.length;
    outcome.blanks += 1;
    if (words.length > 0 && isShown) show(reader, image.name, [], words);
  }
}
for (const reader of readers) await reader.close();
reportImages();
if (values.films) await measureFilms();

async function timed<T>(outcome: Outcome, action: () => Promise<T>): Promise<T> {
  const began = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(began);
  outcome.seconds.push((user + system) / 1e6);
  return result;
}

function show({ name }: TextReader, image: string, missed: DrawnWord[], wrong: string[]): void {
  const describe = ({ text, height, contrast, rotation, font }: DrawnWord) =>
    `${text} (${height.toFixed(0)} px, contrast ${contrast.toFixed(2)}, ${rotation.toFixed(0)}°, ${font})`;
  console.error(
    `${name}, ${image}: missed ${missed.map(describe).join(', ') || '–'}; wrong ${wrong.join(', ') || '–'}`,
  );
}

function reportImages(): void {
  const all = [...outcomes];
  const row = (name: string, cell: (outcome: Outcome) => string) =>
    console.log(`| ${name} | ${all.map(([, outcome]) => cell(outcome)).join(' | ')} |`);
  const recall = (name: string, of: (word: DrawnWord) => boolean) =>
    row(`${name} (${all[0]?.[1].words.filter(of).length ?? 0})`, ({ words }) => {
      const chosen = words.filter(of);
      return (chosen.filter(({ found }) => found).length / chosen.length).toFixed(3);
    });
  console.log(`| ${split} split: share of words found | ${readers.map(({ name }) => name).join(' | ')} |`);
  console.log(`| --- |${' --- |'.repeat(readers.length)}`);
  recall('below 16 pixels', ({ height }) => height < 16);
  recall('16 to 24 pixels', ({ height }) => height >= 16 && height < 24);
  recall('24 pixels and more', ({ height }) => height >= 24);
  recall('**16 pixels and more**', ({ height }) => height >= 16);
  const large = ({ height }: DrawnWord) => height >= 16;
  recall('of these: contrast below 0.4', (word) => large(word) && word.contrast < 0.4);
  recall('contrast from 0.4', (word) => large(word) && word.contrast >= 0.4);
  recall('level', (word) => large(word) && word.rotation === 0);
  recall('turned by up to 10°', (word) => large(word) && word.rotation !== 0);
  recall('handwriting', (word) => large(word) && word.font === 'handwriting');
  recall('other fonts', (word) => large(word) && word.font !== 'handwriting');
  recall('numbers', (word) => large(word) && /^\d/.test(word.text));
  for (const [{ name }, { words, read, wrong }] of all.filter(([reader]) => reader.name === 'ours')) {
    const readable = words.filter(large);
    const found = readable.filter((word) => word.found).length / readable.length;
    expectQuality([
      { name: `${name}: words of 16 pixels and more found`, value: found, least: 0.85 },
      { name: `${name}: precision`, value: 1 - wrong / read, least: 0.85 },
    ]);
  }
  row('precision', ({ read, wrong }) => (1 - wrong / read).toFixed(3));
  row('false words in ten images without text', ({ falseWords, blanks }) => ((10 * falseWords) / blanks).toFixed(2));
  row('seconds of processor time an image, median', ({ seconds }) => median(seconds).toFixed(2));
}

async function measureFilms(): Promise<void> {
  await using folder = await temporaryFolder();
  console.log(
    `\n| ${split} split | words | found | precision | read more than once | start found after, median / 95 %, s | false words a minute |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  // All are drawn before one is read: what reads them turns SVG off again.
  const drawn: { name: string; film: Film; file: string }[] = [];
  for (const [name, make] of Object.entries(films)) {
    const film = await make(photographs, split === 'development' ? 11 : 23);
    drawn.push({ name, film, file: folder.file(`${name}.mp4`) });
  }
  for (const { name, film, file } of drawn) {
    await writeFilm(file, film);
    const { found, late, repeated, wrong, read } = matchFilm(
      film.words,
      (await readTexts('ocr', file, film.seconds)).segments,
    );
    if (isShown)
      console.error(
        `${name}: missed ${found
          .filter((each) => !each.found)
          .map(({ text }) => text)
          .join(', ')}; wrong ${wrong.join(', ')}`,
      );
    const times = late.toSorted((a, b) => a - b);
    const cells = [
      film.words.length,
      film.words.length > 0 ? (found.filter((each) => each.found).length / film.words.length).toFixed(3) : '–',
      read > 0 ? (1 - wrong.length / read).toFixed(3) : '–',
      repeated,
      times.length > 0 ? `${median(times).toFixed(2)} / ${times[Math.floor(times.length * 0.95)]?.toFixed(2)}` : '–',
      ((60 * wrong.length) / film.seconds).toFixed(1),
    ];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

/** A word of a film counts as found where a text with it begins while it can be seen, give or take half a second. */
function matchFilm(words: FilmWord[], texts: ExtractedSegment[]) {
  const found = words.map((word) => ({ ...word, found: false }));
  const wrong: string[] = [];
  const late: number[] = [];
  let [repeated, read] = [0, 0];
  for (const { text, start } of texts.toSorted((a, b) => a.start - b.start)) {
    for (const word of toWords(text)) {
      read += 1;
      const fitting = found.filter(
        (each) => normalise(each.text) === word && start >= each.from - 0.5 && start <= each.to + 0.5,
      );
      const first = fitting.find((each) => !each.found);
      if (first) {
        first.found = true;
        late.push(start - first.from);
      } else if (fitting.length > 0) repeated += 1;
      else wrong.push(word);
    }
  }
  return { found, wrong, late, repeated, read };
}
