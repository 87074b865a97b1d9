import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Language } from '@media-search/search-engine/text/stems';

/** What kind of word an English translation is: it decides on the order of words. */
export type WordClass = 'noun' | 'verb' | 'adjective' | 'adverb';

/** An English word or fixed expression. */
export type English = { text: string; wordClass: WordClass };

/** What the lexicon holds of a word of a language. */
export type Entry = {
  /** English words of the same meaning, the likeliest first, at most three. */
  meanings: English[];
  /** How frequent the word is in its language, 0..15: 15 for the most frequent, 0 where it is not among the 10,000 most frequent ones. */
  frequency: number;
};

/** Tables of words: of each language, of the stems of each, and of the English words that stay as they are. */
type Tongue = 'en' | Language;
export type TableName = Tongue | `${Tongue}.stems`;

/**
 * The first bytes of a lexicon tell the length of its header in JSON, which lists what follows: the English words, then the tables.
 * @public for lab/languages, which is no part of the product
 */
export type LexiconHeader = { english: number; tables: { name: TableName; count: number; bytes: number }[] };

/**
 * How many meanings of a word are kept.
 * @public for lab/languages, which is no part of the product
 */
export const maxMeanings = 3;

const newLine = 10;
const classes: Record<string, WordClass> = { n: 'noun', v: 'verb', a: 'adjective', r: 'adverb' };
const utf8 = new TextEncoder();

/** Words in the order of their bytes: what belongs to each is found by binary search. 11 bytes a word and its letters. */
class WordTable {
  readonly #words: Buffer;
  readonly #starts: Uint32Array;
  readonly #meanings: Uint16Array;
  readonly #frequencies: Uint8Array;

  constructor(words: Buffer, meanings: Uint16Array, frequencies: Uint8Array) {
    this.#words = words;
    this.#meanings = meanings;
    this.#frequencies = frequencies;
    this.#starts = new Uint32Array(frequencies.length + 1);
    let place = 0;
    for (let i = 0; i < words.length; i++) if (words[i] === newLine) this.#starts[++place] = i + 1;
  }

  /** The numbers of the meanings of a word, counted from 1, and its frequency; null where the table lacks it. */
  find(word: string): { meanings: number[]; frequency: number } | null {
    const wanted = utf8.encode(word);
    const place = this.#placeOf(wanted);
    return this.#compare(place, wanted) === 0 ? this.#read(place) : null;
  }

  /** Whether one of the words begins with these letters. */
  begins(letters: string): boolean {
    const wanted = utf8.encode(letters);
    const start = this.#starts[this.#placeOf(wanted)] as number;
    const end = start + wanted.length;
    return end <= this.#words.length && this.#words.compare(wanted, 0, wanted.length, start, end) === 0;
  }

  /** The place of the first word that does not come before these letters. */
  #placeOf(wanted: Uint8Array): number {
    let [low, high] = [0, this.#frequencies.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(place: number, wanted: Uint8Array): number {
    if (place >= this.#frequencies.length) return 1;
    const end = (this.#starts[place + 1] as number) - 1;
    return this.#words.compare(wanted, 0, wanted.length, this.#starts[place], end);
  }

  #read(place: number): { meanings: number[]; frequency: number } {
    const meanings = this.#meanings.subarray(maxMeanings * place, maxMeanings * (place + 1));
    return { meanings: [...meanings].filter((number) => number > 0), frequency: this.#frequencies[place] ?? 0 };
  }
}

/** Words of ten languages with their English meanings. `lab/languages/README.md` says where they come from. */
export class Lexicon {
  readonly #english: string[];
  readonly #tables: Map<TableName, WordTable>;

  /** @param bytes a lexicon as `lab/languages/build-lexicon.ts` writes it, decompressed */
  constructor(bytes: Buffer) {
    const headerEnd = 4 + bytes.readUInt32LE(0);
    const header = JSON.parse(bytes.toString('utf8', 4, headerEnd)) as LexiconHeader;
    let at = headerEnd;
    const take = (length: number): Buffer => bytes.subarray(at, (at += length));
    this.#english = take(header.english).toString('utf8').split('\n');
    this.#tables = new Map(
      header.tables.map(({ name, count, bytes: length }) => {
        const words = take(length);
        const numbers = new Uint16Array(maxMeanings * count);
        take(numbers.byteLength).copy(new Uint8Array(numbers.buffer));
        return [name, new WordTable(words, numbers, take(count))];
      }),
    );
  }

  /**
   * What a table holds of a word or fixed expression; null where it lacks it.
   * @param word in lower case, with or without its diacritics
   */
  find(table: TableName, word: string): Entry | null {
    const found = this.#tables.get(table)?.find(word);
    if (!found) return null;
    const meanings = found.meanings.map((number) => {
      const [text = '', letter = 'n'] = (this.#english[number - 1] ?? '').split('\t');
      return { text, wordClass: classes[letter] ?? 'noun' };
    });
    return { meanings, frequency: found.frequency };
  }

  /** Whether a table holds a fixed expression that begins with a word. */
  beginsExpression(table: TableName, word: string): boolean {
    return this.#tables.get(table)?.begins(`${word} `) ?? false;
  }
}

/** Reads the lexicon that comes with the package: about 0.1 s, and as much memory as its words take. */
export async function readLexicon(): Promise<Lexicon> {
  const compressed = await readFile(new URL('lexicon.bin', import.meta.url));
  return new Lexicon(await promisify(brotliDecompress)(compressed));
}
