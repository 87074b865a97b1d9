import { parseArgs } from 'node:util';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { backgroundSize, measureBackground } from '@media-search/search-engine/ranking/calibration';
import { leastScore } from '@media-search/search-engine/ranking/fuse';
import { countWords } from '@media-search/search-engine/ranking/score-candidates';
import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { dot } from '@media-search/search-engine/vectors';
import { embedAll, type EmbeddedImage } from './embed-library.ts';
import { findReference } from './embedder-by-name.ts';
import { type Part, partOf, readAbsent, readUnseen, type Unseen } from './unseen.ts';

/**
 * Whether a search says that nothing clearly matches: not where the first hit is right, and where nothing shows what is searched for. Things and classes are
 * searched for among photographs that show them, and among those that certainly lack them. Margins are chosen on the development part alone; the report
 * part chose nothing. Exits 1 where the margins in use say too often or too seldom that nothing matches. Without a service: by the functions that it ranks by.
 *
 *     npm run node -- lab/bench/weak.ts --captioned <folder> --classes <101_ObjectCategories> [--embedder <builtin>] [--cache <file>] [--each]
 *
 * `unseen.ts` says what the folders hold. `--cache` keeps the vectors of the photographs for the next call. `--each` prints the margin of each query.
 */

const { values } = parseArgs({
  options: {
    captioned: { type: 'string', default: '.' },
    classes: { type: 'string', default: '.' },
    embedder: { type: 'string', default: 'builtin' },
    cache: { type: 'string' },
    each: { type: 'boolean', default: false },
  },
});

type Kind =
  | 'thing'
  | 'class'
  | 'class of an eighth'
  | 'caption'
  | 'caption without its thing'
  | 'word for what is nowhere';
/** A query: where the first right photograph is among the hits (from 0; null: there is none), and how its best hit stands to chance. */
type Asked = {
  query: string;
  part: Part;
  kind: Kind;
  words: number;
  place: number | null;
  margin: number;
  isUnclear: boolean;
};

const parts: Part[] = ['development', 'report'];
const lengths = { 'up to three words': [1, 3], 'four and more': [4, Infinity] } as const;
/** The largest share of searches whose first hit is right that may be called unclear. */
const mostFalse = 0.05;
/** A right answer that is called unclear must not be more frequent among the unseen, and a missing thing has to be told as often. */
const expected = { mostFalse: 0.065, leastTrue: 0.4 };

const unseen = await readUnseen(values);
const embedder = await createEmbedderLoader(1)(await findReference(values.embedder));
const images = new Map((await embedAll(embedder, unseen.uploads, values.cache)).map((image) => [image.file, image]));
const asked = [...(await askPresent(unseen)), ...(await askAbsent(unseen))];
if (values.each) {
  for (const { query, part, kind, margin, place } of asked.toSorted((a, b) => a.margin - b.margin))
    console.log(margin.toFixed(2), part, kind, place ?? 'missing', query);
}
printMargins();
printKinds();
checkExpected();

/** What is there: in all photographs of a part, and of classes one, three and all of the class among the others, or as an eighth of all. */
async function askPresent({ captions, things, classes }: Unseen): Promise<Asked[]> {
  const present: Asked[] = [];
  for (const part of parts) {
    const captioned = filesOf('captioned', part);
    for (const { query, right } of things.filter((thing) => thing.part === part)) {
      const there = right.filter((file) => partOf(file) === part);
      if (there.length > 0) present.push(await ask(query, part, 'thing', captioned, there));
    }
    // One of the five captions of each.
    for (const { query, right } of captions.filter((caption, i) => caption.part === part && i % 5 === 0))
      present.push(await ask(query, part, 'caption', captioned, right));
    for (const { query, right, without } of classes.filter((each) => each.part === part)) {
      for (const count of [1, 3, right.length]) {
        const there = right.slice(0, count);
        present.push(await ask(query, part, 'class', [...without, ...there], there));
      }
      present.push(
        await ask(query, part, 'class of an eighth', [...spread(without, 7 * right.length), ...right], right),
      );
    }
  }
  return present;
}

/** What is missing, among photographs that certainly lack it. */
async function askAbsent({ captions, things, classes }: Unseen): Promise<Asked[]> {
  const absent: Asked[] = [];
  for (const part of parts) {
    for (const { query, without, right } of things.filter((thing) => thing.part === part && thing.without.length > 0)) {
      absent.push(await ask(query, part, 'thing', without, []));
      const about = captions.filter(({ right: [file = ''] }) => right.includes(file) && partOf(file) === part);
      for (const caption of spread(about, 3))
        absent.push(await ask(caption.query, part, 'caption without its thing', without, []));
    }
    for (const { query, without } of classes.filter((each) => each.part === part))
      absent.push(await ask(query, part, 'class', without, []));
    for (const query of (await readAbsent()).filter((word) => partOf(word) === part)) {
      if (captions.some((caption) => caption.query.toLowerCase().includes(query))) continue;
      absent.push(await ask(query, part, 'word for what is nowhere', filesOf('captioned', part), []));
    }
  }
  return absent;
}

/** Searches among some photographs as the service does. */
async function ask(query: string, part: Part, kind: Kind, among: string[], right: string[]): Promise<Asked> {
  const { vector } = await embedder.embedText(query);
  if (!vector) throw new Error(`“${query}” cannot be read.`);
  const searched = among.map((file) => images.get(file) as EmbeddedImage);
  const similarities = searched.map((image) => dot(image.vector, vector));
  const sample = spread(similarities, backgroundSize);
  const background = measureBackground(sample, { mean: embedder.mean, deviation: embedder.spread });
  const best = Math.max(...similarities);
  const order = searched.map((_, i) => i).sort((a, b) => (similarities[b] as number) - (similarities[a] as number));
  const words = countWords(parseTextQuery(query).terms);
  const place = order.findIndex((i) => right.includes(searched[i]?.file as string));
  return {
    query,
    part,
    kind,
    words,
    place: place === -1 ? null : place,
    margin: best / embedder.spread - Math.sqrt(2 * Math.log(sample.length)),
    isUnclear: leastScore(embedder, background, best, words) === Infinity,
  };
}

/** For each length of queries: the margin that the development part chooses, and what it does on both. */
function printMargins(): void {
  const header = [
    'length',
    'margin',
    '',
    'right first, called unclear',
    'right among ten, called unclear',
    'missing, said so',
  ];
  console.log(`| ${header.join(' | ')} |\n|${' --- |'.repeat(header.length)}`);
  for (const [name, [least, most]] of Object.entries(lengths)) {
    const some = asked.filter(({ words }) => words >= least && words <= most);
    const first = some.filter(({ part, place }) => part === 'development' && place === 0).map(({ margin }) => margin);
    const chosen =
      Math.floor(20 * (first.toSorted((a, b) => a - b)[Math.floor(mostFalse * first.length)] as number)) / 20;
    for (const part of parts) {
      const ofPart = some.filter((each) => each.part === part);
      console.log(
        `| ${[name, chosen, `chosen on development: ${part}`, ...rates(ofPart, ({ margin }) => margin < chosen)].join(' | ')} |`,
      );
      console.log(`| ${[name, 'in use', part, ...rates(ofPart, ({ isUnclear }) => isUnclear)].join(' | ')} |`);
    }
  }
}

/** What is in use, by what is searched for. */
function printKinds(): void {
  const header = [
    'report part, in use',
    'right first, called unclear',
    'right among ten, called unclear',
    'missing, said so',
  ];
  console.log(`\n| ${header.join(' | ')} |\n|${' --- |'.repeat(header.length)}`);
  for (const kind of new Set(asked.map((each) => each.kind))) {
    const some = asked.filter((each) => each.part === 'report' && each.kind === kind);
    console.log(`| ${[kind, ...rates(some, ({ isUnclear }) => isUnclear)].join(' | ')} |`);
  }
}

/** Sentences that lack their main thing are not counted: the rest of a sentence may well fit. */
function checkExpected(): void {
  const report = asked.filter(({ part, kind }) => part === 'report' && kind !== 'caption without its thing');
  const rateOf = (some: Asked[]) => some.filter(({ isUnclear }) => isUnclear).length / some.length;
  const wrong = rateOf(report.filter(({ place }) => place === 0));
  const right = rateOf(report.filter(({ place }) => place === null));
  console.log(
    `\nReport part: ${wrong.toFixed(3)} of right first hits called unclear, ${right.toFixed(3)} of what is missing said to be.`,
  );
  if (wrong <= expected.mostFalse && right >= expected.leastTrue) return;
  console.error(`Expected were at most ${expected.mostFalse} and at least ${expected.leastTrue}.`);
  process.exitCode = 1;
}

function rates(some: Asked[], isUnclear: (each: Asked) => boolean): string[] {
  return [
    some.filter(({ place }) => place === 0),
    some.filter(({ place }) => place !== null && place < 10),
    some.filter(({ place }) => place === null),
  ].map((group) =>
    group.length === 0 ? '–' : `${(group.filter(isUnclear).length / group.length).toFixed(3)} of ${group.length}`,
  );
}

function filesOf(group: string, part: Part): string[] {
  const members = [...images.values()].filter((image) => image.group === group && partOf(image.file) === part);
  return members.map(({ file }) => file);
}

/** At most so many of some, spread evenly over all. */
function spread<Item>(all: Item[], most: number): Item[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as Item);
}
