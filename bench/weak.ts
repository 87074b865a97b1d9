import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { halfOf } from './halves.ts';
import { readJudged } from './judged.ts';
import { type Library, openLibrary } from './library.ts';
import { standardScoreOf } from './visual-evidence.ts';

/**
 * Whether a search says that nothing clearly matches, for each embedder, by the HTTP API: all hits should be weak for what nothing in the
 * workspace shows (`absent.txt`), and the first should not be for what is there (things, kinds and class names). The threshold that
 * separates both best on one half of the queries is reported on the other.
 *
 *     node bench/weak.ts --photos <folder> --clips <folder> [--flickr8k <folder>] [--embedder <builtin|preset|folder> ...] [--keep <folder>]
 *
 * Without Flickr8k the workspace is a small one. `--keep` takes what `bench/recall.ts --keep` indexed. `--each` prints the score of each query.
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

/** A query with the standard score of its first hit; no hit counts as the lowest. */
type Scored = { query: string; half: 'first' | 'second'; score: number; weak: boolean };

const judged = await readJudged(values);
const absent = (await readFile(new URL('absent.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const present = [...judged.things, ...judged.kinds, ...judged.names].map(({ query }) => query);
const thresholds = Array.from({ length: 33 }, (_, i) => i / 8 + 1);

console.log('| embedder | weak below | | absent, said so | present, wrongly weak |');
console.log('| --- | --- | --- | --- | --- |');
for (const embedder of values.embedder) {
  await using library = await openLibrary(embedder, judged.uploads, values.keep);
  const found = { absent: await ask(library, absent), present: await ask(library, present) };
  const better = (half: Scored['half'], threshold: number) =>
    shareBelow(found.absent, half, threshold) - shareBelow(found.present, half, threshold);
  const chosen = thresholds.reduce((best, each) => (better('first', each) > better('first', best) ? each : best));
  for (const threshold of [...new Set([1, 1.5, 2, 2.5, 3, 3.5, 4, chosen])].toSorted((a, b) => a - b)) {
    const name = threshold === chosen ? `**${threshold}**` : threshold;
    for (const [half, label] of [
      ['first', 'chosen on'],
      ['second', 'reported'],
    ] as const) {
      const rates = [found.absent, found.present].map((queries) => shareBelow(queries, half, threshold).toFixed(2));
      console.log(`| ${library.embedder} | ${name} | ${label} | ${rates.join(' | ')} |`);
    }
  }
  const said = [found.absent, found.present].map((queries) =>
    (queries.filter(({ weak }) => weak).length / queries.length).toFixed(2),
  );
  console.log(`| ${library.embedder} | in use | all | ${said.join(' | ')} |`);
}

async function ask(library: Library, queries: string[]): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const query of queries) {
    const { data } = await library.client.search(query, '&n=20');
    const score = data[0] ? standardScoreOf(data[0]) : -Infinity;
    scored.push({ query, half: halfOf(query), score, weak: data.every((hit) => hit.weak) });
  }
  if (values.each) {
    for (const { query, score } of scored.toSorted((a, b) => a.score - b.score)) console.log(score.toFixed(2), query);
  }
  return scored;
}

function shareBelow(queries: Scored[], half: Scored['half'], threshold: number): number {
  const asked = queries.filter((query) => query.half === half);
  return asked.filter(({ score }) => score < threshold).length / asked.length;
}
