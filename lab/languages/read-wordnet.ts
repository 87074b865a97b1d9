import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { conceptWords } from '../../packages/search-engine/highlights/concept-words.ts';
import { readFrequencies } from './read-words.ts';

/** A sense of WordNet: the word that is most used for it, its class as a letter, and how likely somebody who searches for pictures means it. */
type Sense = { text: string; letter: string; score: number };

export type WordNet = {
  /** By offset and class, as in the Open Multilingual Wordnet: `02084071-n`. */
  get: (synset: string) => Sense | undefined;
  lemmas: Set<string>;
  /** Lemmas that occur in texts of which somebody noted the senses (SemCor). */
  used: Set<string>;
  /** Names of places of several words, in lower case (Las Vegas, Costa Rica), and what English has borrowed with an article or the like (El Nino, al dente). */
  places: Set<string>;
  /** Animals, artifacts, food and plants of one word. */
  things: Set<string>;
};

/** The lexicographer file of places. */
const locationFile = 15;
/** English names and expressions that begin with such words, which else tell that a query is in another language: El Nino, al dente, au pair. */
const borrowed = /^(?:(?:El|La|Las|Le|Les|Lo|Los|Il|Der|Das|Des|Du) \p{Lu}|(?:al|au|et) )/u;
/** Those of animals, artifacts, food and plants. */
const thingFiles = new Set([5, 6, 13, 20]);

/** What a picture can show, by WordNet's lexicographer files (lexnames.5wn). */
const fileScores = new Map<number, number>([
  ...[5, 6, 8, 13, 18, 20].map((file) => [file, 3] as const), // animal, artifact, body, food, person, plant
  ...[17, 19, 27].map((file) => [file, 2] as const), // object, phenomenon, substance
  ...[4, 14, 15, 25, 28].map((file) => [file, 1] as const), // act, group, location, shape, time
  ...[0, 35, 36, 38].map((file) => [file, 1] as const), // adjectives; verbs of contact, creation, motion
  ...[29, 30, 33, 34, 39].map((file) => [file, 0.5] as const), // other verbs that can be seen
  [2, -1], // adverbs
  [1, -0.5],
  [44, -0.5],
]);

/** @param folder of `data.*` and `index.sense` of WordNet 3.0 */
export async function readWordNet(folder: string): Promise<WordNet> {
  const [counts, used, first] = await readCounts(path.join(folder, 'index.sense'));
  const frequencies = await readFrequencies('en');
  const shown = new Set(conceptWords);
  const senses = new Map<string, Sense>();
  const lemmas = new Set<string>();
  const places = new Set<string>();
  const things = new Set<string>();
  for (const [file, letter] of [
    ['noun', 'n'],
    ['verb', 'v'],
    ['adj', 'a'],
    ['adv', 'r'],
  ] as const) {
    for (const line of (await readFile(path.join(folder, `data.${file}`), 'utf8')).split('\n')) {
      if (!/^\d{8} /.test(line)) continue;
      const fields = line.split(' ');
      const [offset = '', lexFile = ''] = fields;
      const count = Number.parseInt(fields[3] ?? '0', 16);
      const words = Array.from({ length: count }, (_, i) =>
        (fields[4 + 2 * i] ?? '').replace(/\((?:a|p|ip)\)$/, '').replaceAll('_', ' '),
      );
      for (const word of words) {
        lemmas.add(word.toLowerCase());
        const isPlace = Number(lexFile) === locationFile && /^\p{Lu}.* /u.test(word);
        if (isPlace || borrowed.test(word)) places.add(word.toLowerCase());
        if (thingFiles.has(Number(lexFile)) && /^\p{Ll}+$/u.test(word)) things.add(word);
      }
      const key = (word: string) => `${offset} ${letter} ${word.toLowerCase()}`;
      const weigh = (word: string) =>
        10 * (counts.get(key(word)) ?? 0) +
        // In its first sense only: a word that is frequent by another one would be misunderstood.
        (first.has(key(word)) ? (frequencies.get(word.toLowerCase()) ?? 0) + (shown.has(word) ? 20 : 0) : 0);
      const best = words.reduce((a, b) => (weigh(b) > weigh(a) ? b : a));
      const isName = /^\p{Lu}/u.test(words[0] ?? '') && Number(lexFile) !== 6;
      const score =
        Math.log2(1 + (counts.get(key(best)) ?? 0)) +
        (fileScores.get(Number(lexFile)) ?? 0) +
        (first.has(key(best))
          ? 1 + (shown.has(best.toLowerCase()) ? 2 : 0) + 0.1 * (frequencies.get(best.toLowerCase()) ?? 0)
          : 0) -
        (isName ? 4 : 0);
      senses.set(`${offset}-${letter}`, { text: best, letter, score });
    }
  }
  return { get: (synset) => senses.get(synset.replace(/-s$/, '-a')), lemmas, used, places, things };
}

/** How often each word was noted with each sense, and which sense is its first. */
async function readCounts(file: string): Promise<[Map<string, number>, Set<string>, Set<string>]> {
  const counts = new Map<string, number>();
  const used = new Set<string>();
  const first = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [key = '', offset = '', number, count] = line.split(' ');
    const [lemma = '', rest = ''] = key.split('%');
    const letter = { 1: 'n', 2: 'v', 3: 'a', 4: 'r', 5: 'a' }[rest[0] ?? ''] ?? 'n';
    const word = lemma.replaceAll('_', ' ');
    if (Number(count) > 0) {
      counts.set(`${offset} ${letter} ${word}`, Number(count));
      used.add(word);
    }
    if (number === '1') first.add(`${offset} ${letter} ${word}`);
  }
  return [counts, used, first];
}
