import { parseArgs } from 'node:util';
import { readJudged, readTable } from './judged.ts';
import { openLibrary } from './library.ts';
import { type Answer, format, precisionAt10, precisionOf } from './measures.ts';

/**
 * What a search in ten languages finds of what it finds in English, through the API: the things of `things.tsv` as people type them in each language
 * (`languages.tsv`). For each language: precision at 10, that of the English words, and their ratio; then whether the answer names each word that no list of the
 * service holds (`untranslatable.tsv`).
 *
 * Exits with status 1 where a language has less than 0.9 of the precision of English, or an unknown word is not named.
 *
 *     npm run node -- lab/bench/languages.ts --photos <folder> --clips <folder> [--flickr8k <folder>] [--keep <folder>] [--dev]
 *
 * Folders as for `recall.ts`.
 */
const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    flickr8k: { type: 'string' },
    keep: { type: 'string' },
    /** What was seen while the lists were made, in place of what was not. */
    dev: { type: 'boolean', default: false },
  },
});
const least = 0.9;
const part = values.dev ? '-dev' : '';

const judged = await readJudged(values);
await using library = await openLibrary('builtin', judged.uploads, values.keep);
const { client } = library;
const beside = (name: string) => readTable(new URL(name, import.meta.url));
const right = new Map(judged.things.map((thing) => [thing.query, thing.right]));
const rows = (await beside(`languages${part}.tsv`)).filter(([thing = '']) => right.has(thing));
/** The columns of `languages.tsv`, from the second on. */
const languages = ['de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'hi'];

const english = await answer(0);
console.log(`${rows.length} things in English: precision at 10 ${format(precisionAt10(english))}`);
for (const [i, language] of languages.entries()) {
  const answers = await answer(i + 1);
  const share = precisionAt10(answers) / precisionAt10(english);
  console.log(`${language}: ${format(precisionAt10(answers))}, ${format(share)} of English`);
  for (const [row, found] of answers.entries()) await explain(found, english[row] as Answer);
  if (!(share >= least)) process.exitCode = 1;
}

const unknown = await beside(`untranslatable${part}.tsv`);
const missed: string[] = [];
for (const [query = '', word = ''] of unknown) {
  const { meta } = await client.search(query);
  if (!(meta.unknown_terms ?? []).includes(word)) missed.push(`${query}: ${word}`);
}
console.log(`unknown words named: ${unknown.length - missed.length} of ${unknown.length}`);
for (const line of missed) console.log(`   ${line}`);
if (missed.length > 0) process.exitCode = 1;

/** What is found for the things as one column of `languages.tsv` has them. */
async function answer(column: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const row of rows) {
    const query = row[column] as string;
    answers.push({ query, right: right.get(row[0] as string) as string[], found: await library.search(query) });
  }
  return answers;
}

/** Names a query that finds clearly less than the English one, and what the service took it for. */
async function explain(found: Answer, inEnglish: Answer): Promise<void> {
  if (precisionOf(found) > precisionOf(inEnglish) - 0.2) return;
  const { meta } = await client.search(found.query);
  const understood = (meta.translated ?? []).map(({ from, to }) => `${from} → ${to}`).join(', ');
  console.log(
    `   ${found.query} (${inEnglish.query}): ${format(precisionOf(found))} for ${format(precisionOf(inEnglish))}; ${understood || 'as it is written'}`,
  );
}
