import { parseArgs } from 'node:util';
import {
  combination,
  type Combination,
  combineImage,
  combineText,
} from '@media-search/models/builtin/builtin-embedder';
import { builtinReference, createEmbedderLoader } from '@media-search/models/load-embedder';
import { dot, mean, median, toUnit } from '@media-search/search-engine/vectors';
import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { parseQuery } from '../../packages/models/descriptors/parse-query.ts';
import { embedAll } from './embed-library.ts';
import { halfOf } from './halves.ts';
import { type Judged, readJudged } from './judged.ts';
import { format, precisionAt10, recallAt } from './measures.ts';

/**
 * How the semantic part and the descriptors of the built-in embedder combine, on queries of both kinds. The images are embedded once; then
 * each share of the descriptors is tried on the stored vectors, with the functions of the embedder. The share is chosen on one half of
 * the queries and reported on the other. Figures are precision at 10, of captions recall at 10.
 *
 *     npm run node -- lab/bench/combination.ts --photos <folder> --clips <folder> --flickr8k <folder> [--cache <file>]
 *
 * `--cache` keeps the vectors of the images for the next run: delete it when weights change.
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    flickr8k: { type: 'string', default: '.' },
    cache: { type: 'string' },
  },
});

/** A query with the similarities of both of its parts to the images that it is to be found among. */
type Compared = Judged & {
  half: 'first' | 'second';
  files: string[];
  semantic: Float32Array;
  descriptors: Float32Array | null;
  knownShare: number;
};

const candidates = 60;
/** A query without descriptors has the same scores under all constants. */
const ranked = new WeakMap<Float32Array, string[]>();
const judged = await readJudged(values);
const embedder = await createEmbedderLoader(1)(builtinReference);
const images = await readParts();
const isLabelled = ({ group }: { group: string }) => group === 'labelled';
const isPhotographed = (image: { group: string; file: string }) =>
  isLabelled(image) && judged.photographs.includes(image.file);

const compareAll = (queries: Judged[], isSearched: Parameters<typeof compare>[1]) =>
  Promise.all(queries.map((each) => compare(each, isSearched)));
const sets: Record<string, Compared[]> = {
  'for descriptors': (await compareAll(judged.descriptors, isLabelled)).map((each, i) => ({
    ...each,
    half: judged.descriptors[i]?.part === 'tuning' ? 'first' : 'second',
  })),
  things: await compareAll(judged.things, () => true),
  'class names': await compareAll(judged.names, isPhotographed),
  kinds: await compareAll(judged.kinds, isPhotographed),
  captions: await compareAll(judged.captions, ({ group }) => group === 'flickr8k'),
};
const spreads = measureSpreads();
console.log(
  `Spread of similarities: semantic ${format(spreads.semantic)}, descriptors ${format(spreads.descriptors)}\n`,
);

console.log('| share of the descriptors | | for descriptors | things | class names | kinds | captions |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const half of ['first', 'second'] as const) {
  report('semantic part alone', half, ({ semantic }) => semantic);
  report('descriptors alone', half, ({ descriptors, files }) => descriptors ?? new Float32Array(files.length));
  for (const dictionaryShare of [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]) {
    const inUse = dictionaryShare === combination.dictionaryShare ? ' (**in use**)' : '';
    report(`${dictionaryShare}${inUse}`, half, (query) => score(query, { ...combination, dictionaryShare, spreads }));
  }
}

/** The vectors of the images, taken apart again. */
async function readParts() {
  return (await embedAll(embedder, judged.uploads, values.cache)).map(({ vector, ...image }) => ({
    ...image,
    semantic: toUnit(vector.subarray(0, -descriptorsEmbedder.dimensions)),
    descriptors: toUnit(vector.subarray(-descriptorsEmbedder.dimensions)),
  }));
}

async function compare(
  { query, right }: Judged,
  isSearched: (image: (typeof images)[number]) => boolean,
): Promise<Compared> {
  const searched = images.filter(isSearched);
  const { vector } = await embedder.embedText(query);
  // Its weight is taken away again; only words that no part can read leave nothing.
  const semantic = vector && toUnit(vector.subarray(0, -descriptorsEmbedder.dimensions));
  const { vector: descriptors, knownShare } = parseQuery(query);
  return {
    query,
    right,
    half: halfOf(right.length === 1 ? (right[0] as string) : query),
    files: searched.map(({ file }) => file),
    semantic: Float32Array.from(searched, (image) => (semantic ? dot(image.semantic, semantic) : 0)),
    descriptors: descriptors && Float32Array.from(searched, (image) => dot(image.descriptors, descriptors)),
    knownShare,
  };
}

/** Similarities of a query to its images with other constants: those of the parts, by the weights that the embedder gives them. */
function score({ semantic, descriptors, knownShare }: Compared, settings: Combination): Float32Array {
  if (!descriptors) return semantic;
  const one = Float32Array.of(1);
  const image = combineImage(one, one, settings);
  const text = combineText(one, one, knownShare, { semantic: 1, descriptors: 1 }, settings) as Float32Array;
  return semantic.map((value, i) => image[0]! * text[0]! * value + image[1]! * text[1]! * (descriptors[i] as number));
}

function report(name: string, half: 'first' | 'second', scoreOf: (query: Compared) => Float32Array): void {
  const cells = Object.entries(sets).map(([set, queries]) => {
    const asked = queries
      .filter((query) => query.half === half)
      .map((query) => ({ ...query, found: rank(query.files, scoreOf(query)) }));
    return format(set === 'captions' ? recallAt(asked, 10) : precisionAt10(asked));
  });
  console.log(`| ${name} | ${half === 'first' ? 'chosen on' : 'reported'} | ${cells.join(' | ')} |`);
}

/** The first ten files, each by its best chunk. No file has more chunks than make up for the others among the candidates. */
function rank(files: string[], scores: Float32Array): string[] {
  const known = ranked.get(scores);
  if (known) return known;
  const limit = Float32Array.from(scores).sort().at(-candidates) ?? -Infinity;
  const order = Array.from(scores.keys()).filter((i) => (scores[i] as number) >= limit);
  order.sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const found = [...new Set(order.map((i) => files[i] as string))].slice(0, 10);
  ranked.set(scores, found);
  return found;
}

/** How far the similarities of both parts to a query spread over the images: what their shares are relative to. */
function measureSpreads(): Combination['spreads'] {
  const deviation = (similarities: Float32Array) => {
    const middle = median([...similarities]);
    return Math.sqrt(mean([...similarities].map((similarity) => (similarity - middle) ** 2)));
  };
  const all = [...(sets['things'] as Compared[]), ...(sets['for descriptors'] as Compared[])];
  const semantic = median(all.map((query) => deviation(query.semantic)));
  const descriptors = median(all.flatMap((query) => (query.descriptors ? [deviation(query.descriptors)] : [])));
  return { semantic, descriptors };
}
