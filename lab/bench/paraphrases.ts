import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { findWords, stemOf } from '@media-search/search-engine/text/analyse-text';
import { mean, median } from '@media-search/search-engine/vectors';
import type { SearchHit } from '../../contract/search.ts';
import type { Workspace } from '../../contract/workspace.ts';
import { connectives } from '../../packages/models/descriptors/dictionary.ts';
import { everydayLines } from './everyday-lines.ts';
import { format } from './measures.ts';
import { startSeededService } from './seeded-service.ts';

/**
 * Whether a line is found by what it means: each of 200 queries says in other words what one of 2,200 lines says, and shares no content word with it, which is checked. Asked through the API of
 * the real service; lines are subtitles, pictures are noise. Right is the line's own chunk among the first five. Each line is asked for by its own words as well: that must find it first.
 * `--dev`: the 60 on which everything was tuned; the 200 only report. `--words`: by words alone, of a version that has no passages.
 *
 *     npm run node -- lab/bench/paraphrases.ts
 */

const { values } = parseArgs({ options: { dev: { type: 'boolean' }, words: { type: 'boolean' } } });
/** Below one of these the script fails. */
const gates = { meaning: 0.7, words: 0.97 };
const others = 2000;

type Pair = { query: string; line: string };

const readPairs = async (name: string): Promise<Pair[]> =>
  (await readFile(new URL(name, import.meta.url), 'utf8'))
    .trim()
    .split('\n')
    .map((row) => {
      const [query, line] = row.split('\t') as [string, string];
      return { query, line };
    });

/** The first words of a line that say something, as somebody types them who knows them. */
const contentWords = (line: string): string =>
  Array.from(findWords(line), ({ token }) => token)
    .filter((token) => !connectives.has(token))
    .slice(0, 6)
    .join(' ');

const contentOf = (text: string): Set<string> =>
  new Set(
    Array.from(findWords(text), ({ token }) => token)
      .filter((token) => !connectives.has(token))
      .map(stemOf),
  );

const [dev, test] = [await readPairs('paraphrases-dev.tsv'), await readPairs('paraphrases.tsv')];
const pairs = values.dev ? dev : test;
for (const { query, line } of pairs) {
  const words = contentOf(line);
  const shared = [...contentOf(query)].filter((stem) => words.has(stem));
  if (shared.length > 0) throw new Error(`“${query}” shares ${shared.join(', ')} with its line.`);
}

// Each pair among others, so that no two are neighbours.
const rest = everydayLines(others);
const every = Math.floor(others / pairs.length) + 1;
const lines = [...rest];
for (const [i, { line }] of pairs.entries()) lines.splice(i * every, 0, line);

await using service = await startSeededService(
  lines.length,
  { EMBEDDER: 'builtin', OCR: 'off', SPEECH: 'off' },
  undefined,
  (place) => lines[place] as string,
);
const began = performance.now();
if (!values.words) await waitForPassages();
const embeddingSeconds = (performance.now() - began) / 1000;

// Chunks were stored in the order of the lines.
const chunks = await service.db.selectFrom('chunks').select('id').orderBy('number').execute();
const lineOf = new Map(chunks.map(({ id }, place) => [id, lines[place] as string]));

async function waitForPassages(): Promise<void> {
  for (;;) {
    const { data } = await service.client.get<Pick<Workspace, 'text_extraction'>>('/workspace');
    if (data.text_extraction.meaning.pending === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

type Asked = { rank: number; hit: SearchHit | undefined; first: SearchHit | undefined; ms: number };

/** Asks for a line. `rank`: of its chunk from 1 on; Infinity where it is not among the first twenty. */
async function ask(query: string, line: string): Promise<Asked> {
  const start = performance.now();
  const { data } = await service.client.search(query, '&n=20&as_written=1');
  const ms = performance.now() - start;
  const place = data.findIndex(({ chunk_id }) => lineOf.get(chunk_id) === line);
  return { rank: place === -1 ? Infinity : place + 1, hit: data[place], first: data[0], ms };
}

async function askAll(queryOf: (pair: Pair) => string): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const pair of pairs) asked.push(await ask(queryOf(pair), pair.line));
  return asked;
}

const shareWithin = (asked: Asked[], depth: number): number => mean(asked.map(({ rank }) => (rank <= depth ? 1 : 0)));
const reciprocal = (asked: Asked[]): number => mean(asked.map(({ rank }) => 1 / rank));
const isStrong = ({ first }: Asked): boolean => first?.weak === false;

const byMeaning = await askAll(({ query }) => query);
const byWords = await askAll(({ line }) => contentWords(line));
// Once more, with embeddings that are known: what the ranking takes.
const again = await askAll(({ query }) => query);
// What no line says: letters that are no words, and things that nobody speaks of.
const absent: Asked[] = [];
for (const query of (await readFile(new URL('paraphrases-absent.txt', import.meta.url), 'utf8')).trim().split('\n')) {
  absent.push(await ask(query, ''));
}
const found = byMeaning.filter(({ rank }) => rank <= 5);
const figures = {
  lines: lines.length,
  pairs: pairs.length,
  'recall at 1': shareWithin(byMeaning, 1),
  'recall at 5': shareWithin(byMeaning, 5),
  'recall at 20': shareWithin(byMeaning, 20),
  'not weak, of those at 5': mean(found.map(({ hit }) => (hit?.weak === false ? 1 : 0))),
  'by its words: recall at 1': shareWithin(byWords, 1),
  'by its words: reciprocal rank': reciprocal(byWords),
  'absent: a strong hit': mean(absent.map((asked) => (isStrong(asked) ? 1 : 0))),
  'search ms, median': median(byMeaning.map(({ ms }) => ms)),
  'ranking ms, median': median(again.map(({ ms }) => ms)),
  'embedding of all lines, s': embeddingSeconds,
};
for (const [name, value] of Object.entries(figures)) {
  console.log(`${name.padEnd(32)} ${Number.isInteger(value) ? value : format(value)}`);
}
if (values.dev) {
  for (const [i, { query }] of pairs.entries()) {
    const { rank, hit, first } = byMeaning[i] as Asked;
    if (rank <= 5 && hit?.weak === false) continue;
    console.log(`${query}: ${rank}, ${hit?.score ?? '-'}; first: ${lineOf.get(first?.chunk_id ?? '')} ${first?.score}`);
  }
  for (const asked of absent.filter(isStrong))
    console.log(`absent: ${lineOf.get(asked.first?.chunk_id ?? '')} ${asked.first?.score}`);
}
const isMet =
  figures['by its words: recall at 1'] >= gates.words && (values.words || figures['recall at 5'] >= gates.meaning);
if (!isMet) process.exitCode = 1;
