import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createEmbedderLoader } from '../server/models/load-embedder.ts';
import { measureBackground } from '../server/search/ranking/calibration.ts';
import { dot } from '../server/vectors.ts';
import { findReference } from './embedder-by-name.ts';
import { halfOf } from './halves.ts';
import { readJudged } from './judged.ts';
import { type Library, openLibrary } from './library.ts';

/**
 * Whether a search says that nothing clearly matches: all hits should be weak for what nothing in the workspace shows (`absent.txt`), and
 * not for what is there. The shares are those at some margins above chance, for the half of the queries that the margin in use was chosen
 * on and for the other. The last line asks the HTTP API.
 *
 *     npm run node -- bench/weak.ts --photos <folder> --clips <folder> [--flickr8k <folder>] [--embedder <builtin|descriptors|folder> ...] [--keep <folder>]
 *
 * Without Flickr8k the workspace is a small one. `--keep` takes what `bench/recall.ts --keep` indexed. `--each` prints the margin of each query.
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    flickr8k: { type: 'string' },
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    keep: { type: 'string' },
    each: { type: 'boolean', default: false },
  },
});

/** A query with the margin of the best image above chance, and whether the service calls every hit weak. */
type Asked = { query: string; half: 'first' | 'second'; margin: number; weak: boolean };
/** Chunks that a background is drawn from, as in the service. */
const sampleSize = 500;

const judged = await readJudged(values);
const absent = (await readFile(new URL('absent.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const queries = {
  absent,
  things: judged.things.map(({ query }) => query),
  kinds: judged.kinds.map(({ query }) => query),
  names: judged.names.map(({ query }) => query),
};

console.log(
  '| embedder | margin | | nothing there, said so | things, wrongly | kinds, wrongly | class names, wrongly |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const name of values.embedder) {
  await using library = await openLibrary(name, judged.uploads, values.keep);
  const ask = await createAsk(library, name);
  const asked = {} as Record<keyof typeof queries, Asked[]>;
  for (const [set, some] of Object.entries(queries) as [keyof typeof queries, string[]][]) asked[set] = await ask(some);
  for (const margin of [0, 0.3, 0.5, 0.8]) {
    for (const half of ['first', 'second'] as const) {
      const rates = Object.values(asked).map((some) => shareBelow(some, half, margin).toFixed(2));
      const cells = [library.embedder, margin, half === 'first' ? 'chosen on' : 'reported', ...rates];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  const said = Object.values(asked).map((some) => (some.filter(({ weak }) => weak).length / some.length).toFixed(2));
  console.log(`| ${library.embedder} | in use | all, HTTP | ${said.join(' | ')} |`);
}

async function createAsk(library: Library, name: string) {
  const embedder = await createEmbedderLoader(1)(await findReference(name));
  const images = await library.readVectors();
  const step = Math.max(1, images.length / sampleSize);
  return async (some: string[]): Promise<Asked[]> => {
    const asked: Asked[] = [];
    for (const query of some) {
      const { vector } = await embedder.embedText(query);
      const { data } = await library.client.search(query, '&n=20');
      const similarities = images.map((image) => (vector ? dot(image.vector, vector) : 0));
      const sample = similarities.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
      const expected = { mean: embedder.mean, deviation: embedder.spread };
      const { mean, lowerDeviation, size } = measureBackground(sample, expected);
      const margin = (Math.max(...similarities) - mean) / lowerDeviation - Math.sqrt(2 * Math.log(size));
      asked.push({ query, half: halfOf(query), margin, weak: data.every((hit) => hit.weak) });
    }
    if (values.each) {
      for (const { query, margin } of asked.toSorted((a, b) => a.margin - b.margin))
        console.log(margin.toFixed(2), query);
    }
    return asked;
  };
}

function shareBelow(some: Asked[], half: Asked['half'], margin: number): number {
  const asked = some.filter((query) => query.half === half);
  return asked.filter((query) => query.margin < margin).length / asked.length;
}
