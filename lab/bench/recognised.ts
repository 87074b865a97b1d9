import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { mean } from '@media-search/search-engine/vectors';
import { expectQuality } from './expected-quality.ts';
import { readFlickr8k } from './judged.ts';
import { openLibrary } from './library.ts';
import { type Answer, format, precisionAt10, precisionOf } from './measures.ts';
import { readAbsent } from './unseen.ts';

/**
 * What the objects and classes that the built-in embedder recognises change in a search, by the HTTP API of a running service, over Flickr8k's test
 * photographs: each query with them, and with `rerank=0`, which leaves them out. Things that are nowhere (`absent.txt`), and things, numbers and colours
 * (`recognised.tsv`), each right where one of the captions of a photograph names it. Exits 1 below what is expected.
 *
 *     npm run node -- lab/bench/recognised.ts --flickr8k <folder> [--keep <folder>] [--each]
 *
 * `--keep` keeps what was indexed for the next run.
 */

const { values } = parseArgs({
  options: {
    flickr8k: { type: 'string', default: '.' },
    keep: { type: 'string' },
    each: { type: 'boolean', default: false },
  },
});

type Query = { kind: string; query: string; right: string[] };
type Answered = Query & Answer & { isUnclear: boolean };

/** What is expected at least, and of false alarms at most. */
const expected = { named: 0.6, false: 0.05, count: 0.2, colour: 0.45 };

const captioned = await readFlickr8k(values.flickr8k, 'test');
const queries = await readQueries();
await using library = await openLibrary(
  'builtin',
  [{ group: 'flickr8k', folder: `${values.flickr8k}/images`, files: captioned.map(({ file }) => file) }],
  values.keep,
);

const ways = { without: '&rerank=0', recognised: '' };
const figures = new Map<string, Record<string, number>>();
console.log(
  '| | things missing, said so | right first, said to be missing | precision at 10: things | numbers | colours | ms |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const [name, parameter] of Object.entries(ways)) {
  const answers: Answered[] = [];
  const began = performance.now();
  for (const query of queries) answers.push(await ask(query, parameter));
  const ms = (performance.now() - began) / queries.length;
  const of = (kind: string) => answers.filter((each) => each.kind === kind);
  const unclear = (some: Answered[]) => mean(some.map(({ isUnclear }) => Number(isUnclear)));
  const rightFirst = answers.filter(({ right, found: [first = ''] }) => right.includes(first));
  const row = {
    named: unclear(of('absent')),
    false: unclear(rightFirst),
    thing: precisionAt10(of('thing')),
    count: precisionAt10(of('count')),
    colour: precisionAt10(of('colour')),
  };
  figures.set(name, row);
  console.log(`| ${[name, ...Object.values(row).map(format), ms.toFixed(1)].join(' | ')} |`);
  if (values.each)
    for (const each of answers)
      console.log(
        name,
        each.kind,
        each.isUnclear ? 'unclear' : '',
        each.right.length === 0 ? '' : format(precisionOf(each)),
        each.query,
      );
}
const { named = 0, false: wrong = 1, count = 0, colour = 0 } = figures.get('recognised') ?? {};
expectQuality([
  { name: 'missing things that are named', value: named, least: expected.named },
  { name: 'right first hits that are clear', value: 1 - wrong, least: 1 - expected.false },
  { name: 'numbers: precision at 10', value: count, least: expected.count },
  { name: 'colours: precision at 10', value: colour, least: expected.colour },
]);

/** Words for what is nowhere, and rows of `recognised.tsv` that at least three photographs are right for. */
async function readQueries(): Promise<Query[]> {
  const lines = (await readFile(new URL('recognised.tsv', import.meta.url), 'utf8')).split('\n');
  const present = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [kind = '', query = '', expression = ''] = line.split('\t');
      const pattern = new RegExp(expression, 'i');
      const shows = captioned.filter(({ captions }) => captions.some((caption) => pattern.test(caption)));
      return { kind, query, right: shows.map(({ file }) => file) };
    });
  const absent = (await readAbsent()).map((query) => ({ kind: 'absent', query, right: [] }));
  return [...absent, ...present.filter(({ right }) => right.length >= 3)];
}

async function ask(query: Query, parameter: string): Promise<Answered> {
  const { data, meta } = await library.client.search(query.query, `&n=20${parameter}`);
  const found = data.map(({ id }) => library.files.get(id) as string).slice(0, 10);
  return { ...query, found, isUnclear: meta.notice?.includes('No clear matches') === true };
}
