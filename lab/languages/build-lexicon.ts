import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { singularsOf } from '../../packages/languages/lemmas.ts';
import { maxMeanings, type LexiconHeader, type TableName } from '../../packages/languages/lexicon.ts';
import { readVocabulary } from '../../packages/models/builtin/read-vocabulary.ts';
import { fold, stemOf } from '../../packages/search-engine/text/analyse-text.ts';
import { type Language, languages, stemIn } from '../../packages/search-engine/text/stems.ts';
import { readWordNet, type WordNet } from './read-wordnet.ts';
import { readFrequencies, readOwnWords, readSenses } from './read-words.ts';

/**
 * Makes packages/languages/lexicon.bin of the wordnets that README.md beside this names.
 *
 *     npm run node -- lab/languages/build-lexicon.ts --wordnet <folder of database/3.0> --lists <folder of the .tab files>
 */
const { values } = parseArgs({ options: { wordnet: { type: 'string' }, lists: { type: 'string' } } });
if (!values.wordnet || !values.lists) throw new Error('Name the folders: --wordnet and --lists.');

/** Senses below are left out: names that hardly anybody knows, adverbs and abstract notions that no text of SemCor holds. */
const leastScore = 0.2;

/** A word of at least this frequency is a common one. */
const common = 3;
/** Languages whose plurals are told by their endings. */
const regular: ReadonlySet<Language> = new Set(['es', 'fr', 'it', 'pt']);
/** How much more frequent a form may be than its singular where that is a word of our own: people write “fiori” as often as “fiore”. */
const ownLead = 1;

/** A word with its meanings, the likeliest first, each as `text \t class`. */
type Words = Map<string, { meanings: string[]; frequency: number }>;

const wordNet = await readWordNet(values.wordnet);
const own = await readOwnWords();
const english = await listEnglish(wordNet);
const tables = new Map<TableName, Words>([
  ['en', english],
  [
    'en.stems',
    new Map([...english].filter(([, { frequency }]) => frequency > 0).map(([word, entry]) => [stemOf(word), entry])),
  ],
]);
for (const language of languages) {
  const words = await listWords(language, values.lists);
  tables.set(language, words);
  tables.set(`${language}.stems`, listStems(language, words));
}
const target = path.join(import.meta.dirname, '../../packages/languages/lexicon.bin');
const bytes = write(tables);
const compressed = brotliCompressSync(bytes, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
await writeFile(target, compressed);
for (const [name, words] of tables) console.log(`${name}: ${words.size}`);
console.log(`${bytes.length} bytes, compressed ${compressed.length}`);

/** The words of a language in lower case, and without diacritics where no other word is written so. */
async function listWords(language: Language, folder: string): Promise<Words> {
  const senses = await readSenses(folder, language);
  const frequencies = await readFrequencies(language);
  const words: Words = new Map();
  for (const [word, votes] of senses) {
    const ranked = [...votes]
      .flatMap(([synset, projects]) => {
        const sense = wordNet.get(synset);
        return sense && sense.score >= leastScore ? [{ ...sense, score: sense.score + 1.5 * (projects - 1) }] : [];
      })
      .toSorted((a, b) => b.score - a.score);
    const meanings = [...new Set(ranked.map(({ text, letter }) => `${text}\t${letter}`))].slice(0, maxMeanings);
    if (meanings.length > 0) words.set(word, { meanings, frequency: frequencies.get(word) ?? 0 });
  }
  for (const [word, meanings] of own.get(language) ?? []) {
    words.set(word, { meanings, frequency: frequencies.get(word) ?? 1 });
  }
  putSingularsFirst(language, words);
  for (const [word, entry] of words) {
    const folded = fold(word);
    const known = words.get(folded);
    if (!known || known.frequency < entry.frequency) words.set(folded, entry);
  }
  return words;
}

/**
 * Puts the meaning of a common singular first where its plural has an entry of its own that is rare, as “gatos” has the cat-o’-nine-tails. Common words are none's
 * plural: “fils” is no form of “fil”. A word of our own is known to be meant where its plural is about as frequent.
 */
function putSingularsFirst(language: Language, words: Words): void {
  // Nouns of German and Dutch end as the plurals of others do: Buche and Buch, Bürger and Burg.
  if (language === 'de' || language === 'nl') return;
  const ofOurOwn = own.get(language) ?? new Map<string, string[]>();
  const changed: Words = new Map();
  for (const [word, entry] of words) {
    if (ofOurOwn.has(word) || word.includes(' ') || !entry.meanings[0]?.endsWith('\tn')) continue;
    const [singular] = singularsOf(language, word)
      .flatMap((base) => {
        const known = words.get(base);
        if (!/^\p{Ll}.*\tn$/u.test(known?.meanings[0] ?? '') || !known) return [];
        const isOwn = ofOurOwn.has(base);
        const isCommoner = isOwn
          ? known.frequency + ownLead >= entry.frequency
          : regular.has(language) && known.frequency >= common && entry.frequency < common;
        return isCommoner ? [{ ...known, isOwn }] : [];
      })
      .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.frequency - a.frequency);
    if (!singular) continue;
    changed.set(word, {
      meanings: [...new Set([...singular.meanings, ...entry.meanings])].slice(0, maxMeanings),
      frequency: Math.max(singular.frequency, entry.frequency),
    });
  }
  for (const [word, entry] of changed) words.set(word, entry);
}

/** What words with a common stem mean: what the most frequent of them means, of equal ones the shortest. */
function listStems(language: Language, words: Words): Words {
  const chosen = new Map<string, { word: string; meanings: string[]; frequency: number }>();
  for (const [word, entry] of words) {
    const stem = word
      .split(' ')
      .map((part) => stemIn(language, fold(part)))
      .join(' ');
    const known = chosen.get(stem);
    const isBetter =
      !known ||
      entry.frequency > known.frequency ||
      (entry.frequency === known.frequency && word.length < known.word.length);
    if (stem !== '' && isBetter) chosen.set(stem, { word, ...entry });
  }
  return new Map(
    [...chosen].filter(([stem]) => !words.has(stem) || words.get(stem)?.meanings[0] !== chosen.get(stem)?.meanings[0]),
  );
}

/**
 * English words that stay as they are in doubt: those that people use, by the frequency lists, WordNet's own counts, and the vocabulary of the encoder; things
 * that a picture can show; names of places of several words; and, with frequency 0, other words of that vocabulary, most of which are names.
 */
async function listEnglish(wordNet: WordNet): Promise<Words> {
  const frequencies = await readFrequencies('en');
  const vocabulary = new Set(await readVocabulary());
  const words: Words = new Map();
  for (const word of vocabulary) words.set(word, { meanings: [], frequency: 0 });
  for (const word of wordNet.lemmas) {
    const isUsed = word.includes(' ')
      ? wordNet.places.has(word)
      : wordNet.used.has(word) || vocabulary.has(word) || wordNet.things.has(word);
    const frequency = frequencies.get(word) ?? (isUsed ? 1 : 0);
    if (frequency > 0) words.set(word, { meanings: [], frequency });
  }
  return words;
}

function write(tables: Map<TableName, Words>): Buffer {
  const english = [
    ...new Set([...tables.values()].flatMap((words) => [...words.values()].flatMap(({ meanings }) => meanings))),
  ].sort();
  if (english.length >= 2 ** 16)
    throw new Error(`${english.length} English words: a number of two bytes counts to 65,535.`);
  const numbers = new Map(english.map((text, i) => [text, i + 1]));
  const header: LexiconHeader = { english: Buffer.byteLength(english.join('\n')), tables: [] };
  const parts: Uint8Array[] = [Buffer.from(english.join('\n'))];
  for (const [name, words] of tables) {
    const sorted = [...words].map(([word, entry]) => ({
      bytes: Buffer.from(`${word}\n`),
      entry,
      key: Buffer.from(word),
    }));
    sorted.sort((a, b) => a.key.compare(b.key));
    const letters = Buffer.concat(sorted.map(({ bytes }) => bytes));
    const meanings = new Uint16Array(maxMeanings * sorted.length);
    for (const [i, { entry }] of sorted.entries()) {
      for (const [k, text] of entry.meanings.entries()) meanings[maxMeanings * i + k] = numbers.get(text) ?? 0;
    }
    header.tables.push({ name, count: sorted.length, bytes: letters.length });
    parts.push(
      letters,
      new Uint8Array(meanings.buffer),
      Uint8Array.from(sorted, ({ entry }) => entry.frequency),
    );
  }
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...parts]);
}
