import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { halfOf } from './halves.ts';
import { listPhotographs } from './judged.ts';
import { type Library, openLibrary } from './library.ts';

/**
 * Whether a search says as often with one model as with another that nothing shows what is searched for, by the HTTP API of a running service: things that
 * none of the labelled photographs shows (`absent-things.txt`), and their own names. What is said by chance is sampled in the workspace for each model, by words
 * that nobody picked for these photographs. The first half of the queries, by a hash, is for development; the other half chose nothing.
 *
 *     npm run node -- lab/bench/false-alarms.ts --photos <folder> [--embedder <builtin|folder> ...] [--keep <folder>] [--each]
 *
 * Exits with 1 when the shares of two models differ by more than `mostApart` on the second half, or more right answers than `mostLost` are called weak.
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    keep: { type: 'string' },
    each: { type: 'boolean', default: false },
  },
});

/** As of 90 queries, a share of one half is known to a tenth (two standard errors). */
const mostApart = 0.15;
const mostLost = 0.1;

/** What a search says of one query: whether anything clearly shows it, and whether the first hit is right (null: nothing is). */
type Said = { query: string; isClear: boolean; isRight: boolean | null; score: number };

const files = await listPhotographs(values.photos);
const absent = (await readFile(new URL('absent-things.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
// Four photographs of one landscape are not named after what they show.
const names = files
  .filter((file) => !file.startsWith('orientation'))
  .map((file) => ({
    file,
    query: file
      .replace(/\.\w+$/, '')
      .replaceAll(/[_-]+/g, ' ')
      .toLowerCase(),
  }));

console.log(
  '| model | half | missing things, said so | right first hits, called weak | median score of missing things, of right ones |',
);
console.log(`|${' --- |'.repeat(5)}`);
const told: number[] = [];
for (const embedder of values.embedder) {
  await using library = await openLibrary(embedder, [{ group: 'labelled', folder: values.photos, files }], values.keep);
  await waitForSample(library);
  const said: Said[] = [];
  for (const query of absent) said.push(await ask(library, query));
  for (const { query, file } of names) said.push(await ask(library, query, file));
  for (const half of ['first', 'second'] as const) {
    const of = said.filter(({ query }) => halfOf(query) === half);
    const missing = of.filter(({ isRight }) => isRight === null);
    const right = of.filter(({ isRight }) => isRight === true);
    const [saidSo, lost] = [missing, right].map(
      (some) => some.filter(({ isClear }) => !isClear).length / some.length,
    ) as [number, number];
    const cells = [
      library.embedder,
      half,
      `${saidSo.toFixed(3)} of ${missing.length}`,
      `${lost.toFixed(3)} of ${right.length}`,
    ];
    console.log(`| ${[...cells, [missing, right].map(medianScore).join(', ')].join(' | ')} |`);
    if (half === 'first') continue;
    told.push(saidSo);
    if (lost <= mostLost) continue;
    console.error(
      `${library.embedder} calls ${lost.toFixed(3)} of its right first hits weak; ${mostLost} were expected at most.`,
    );
    process.exitCode = 1;
  }
  if (values.each)
    for (const { query, isClear, isRight, score } of said)
      console.log(isRight ?? 'missing', isClear, score.toFixed(3), query);
}
const apart = Math.max(...told) - Math.min(...told);
console.log(`\nApart by ${apart.toFixed(3)}.`);
if (apart > mostApart) process.exitCode = 1;

async function ask({ client, files: fileOf }: Library, query: string, right?: string): Promise<Said> {
  const { data } = await client.search(query, '&n=5&in=visual&as_written=1');
  const [first] = data;
  const isRight = right === undefined ? null : fileOf.get(first?.id ?? '') === right;
  return { query, isRight, isClear: data.some(({ weak }) => !weak), score: first?.score ?? 0 };
}

/** The first search has the sample taken, and those that follow are judged by it. The words of concepts are embedded for it. */
async function waitForSample({ client }: Library): Promise<void> {
  await client.search('anything');
  await client.get('/media/concepts');
  await new Promise((resolve) => setTimeout(resolve, 5000));
}

function medianScore(some: Said[]): string {
  const sorted = some.map(({ score }) => score).toSorted((a, b) => a - b);
  return (sorted[sorted.length >> 1] ?? 0).toFixed(2);
}
