import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startTestService } from '../server/testing/running-service.ts';

/**
 * How well the descriptors answer queries on colour, light, texture, layout, places and motion, by our HTTP API: precision at 10 (of
 * the right answers, if they are fewer) and mean reciprocal rank of the first right one, beside what a random order would give. A
 * person chose the right answers (`builtin-queries.tsv`) before any result was known. A third of the queries was not used for tuning.
 *
 *     node bench/builtin-quality.ts --photos <folder> --clips <folder> [--each]
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    each: { type: 'boolean', default: false },
  },
});
type Labelled = { kind: string; part: string; query: string; right: string[] };

const queries = await readQueries();
await using service = await startTestService({ workers: 2 });
const { client } = service;
const items = new Map<string, string>();
for (const folder of [values.photos, values.clips]) {
  for (const file of await readdir(folder)) {
    if (!/\.(jpe?g|png|webp|mp4|mkv|webm|avi)$/i.test(file)) continue;
    // File names carry no information, so that only the images decide.
    const { data } = await client.upload(path.join(folder, file), `${items.size}${path.extname(file)}`);
    items.set(data.id, file);
  }
}
for (const id of items.keys()) await client.waitUntilIndexed(id);

type Score = { precision: number; reciprocal: number; chance: number };
const scores = new Map<Labelled, Score>();
for (const labelled of queries) {
  const { data } = await client.search(labelled.query, '&n=100');
  const found = [...new Set(data.map(({ id }) => items.get(id) as string))];
  const { right } = labelled;
  const wanted = Math.min(10, right.length);
  const first = found.findIndex((file) => right.includes(file));
  const precision = found.slice(0, wanted).filter((file) => right.includes(file)).length / wanted;
  scores.set(labelled, {
    precision,
    reciprocal: first === -1 ? 0 : 1 / (first + 1),
    chance: right.length / items.size,
  });
  if (values.each) console.log(labelled.part, labelled.query, precision.toFixed(2), found.slice(0, wanted).join(' '));
}

console.log(`${queries.length} queries, ${items.size} items\n`);
console.log('| queries | number | precision at 10 | of a random order | mean reciprocal rank |');
console.log('| --- | --- | --- | --- | --- |');
for (const part of ['tuning', 'held out']) {
  const asked = queries.filter((labelled) => labelled.part === part);
  for (const kind of new Set(asked.map(({ kind }) => kind))) {
    report(
      `${part}: ${kind}`,
      asked.filter((labelled) => labelled.kind === kind),
    );
  }
  report(`**${part}**`, asked);
}

function report(name: string, asked: Labelled[]): void {
  const mean = (value: (score: Score) => number) =>
    (asked.reduce((sum, labelled) => sum + value(scores.get(labelled) as Score), 0) / asked.length).toFixed(3);
  console.log(
    `| ${name} | ${asked.length} | ${mean((score) => score.precision)} | ${mean((score) => score.chance)} | ` +
      `${mean((score) => score.reciprocal)} |`,
  );
}

async function readQueries(): Promise<Labelled[]> {
  const text = await readFile(new URL('builtin-queries.tsv', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [kind = '', part = '', query = '', right = ''] = line.split('\t');
      return { kind, part, query, right: right.split(' ') };
    });
}
