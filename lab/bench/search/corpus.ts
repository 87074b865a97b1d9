import { closeSync, openSync, readSync } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { createRandom, openVectors, type VectorSource } from '../vectors.ts';

/** What is searched, by place 0..size - 1: vectors, texts and owners. */
export type Corpus = {
  dimensions: number;
  size: number;
  /** A vector of unit length, the caller's own: engines keep those of a whole batch. */
  vectorAt: (place: number) => Float32Array;
  textAt: (place: number) => string;
  ownerAt: (place: number) => Owner;
};

/** The creator of a chunk. A filter by owner passes half of the chunks, a hundredth, or a ten-thousandth. */
export type Owner = 'half' | 'hundredth' | 'tenThousandth' | 'nobody';
export type Filter = Exclude<Owner, 'nobody'> | null;

export type Query = { vector: Float32Array; words: string[] };

/** The queries of a run: each with one word and with three, beside the same vector. */
export type Queries = Record<WordCount, Query[]>;
export type WordCount = 'one' | 'three';

/** Hits per query. */
export const wanted = 20;

/** Candidates that engines without a complete fusion of their own take from each part. */
export const depth = 100;

/** Chunks of an item, which has one owner. */
export const perItem = 10;

/** Words occur as in a language: the k-th most frequent one is k times rarer than the first (Zipf). */
const vocabulary = 5000;

const consonants = 'bdfgklmnprtvz';
const vowels = 'aou';

/** The k-th most frequent word: six letters that no stemmer shortens and no tokenizer splits. */
export function wordAt(k: number): string {
  let rest = k;
  const syllable = () => {
    const [first, second] = [rest % consonants.length, Math.floor(rest / consonants.length) % vowels.length];
    rest = Math.floor(rest / (consonants.length * vowels.length));
    return `${consonants[first]}${vowels[second]}`;
  };
  return syllable() + syllable() + syllable();
}

/** Four to twelve words. */
export function textAt(place: number): string {
  const random = createRandom('text', place);
  const length = 4 + Math.floor(9 * random());
  return Array.from({ length }, () => wordAt(Math.floor(vocabulary ** random()))).join(' ');
}

export function ownerAt(place: number): Owner {
  const item = Math.floor(place / perItem);
  if (item % 10_000 === 4321) return 'tenThousandth';
  if (item % 100 === 0) return 'hundredth';
  return item % 2 === 0 ? 'half' : 'nobody';
}

/**
 * A frequent word (up to half of the texts), one of middle frequency and a rare one; alone the one in the middle.
 * @param size of the corpus: of 2,200 chunks and more ten texts or so hold each word at least, because one that none holds would be taken for a
 *     typing error
 */
export function makeQueries({ near }: VectorSource, { size, count }: { size: number; count: number }): Queries {
  const queries: Queries = { one: [], three: [] };
  const rarest = Math.min(4000, Math.max(200, Math.floor(size / 11)));
  const rare = Math.floor(rarest / 8);
  for (let i = 0; i < count; i++) {
    const places = [1 + ((i * 7) % 19), 20 + ((i * 13) % (rare - 20)), rare + ((i * 29) % (rarest - rare))];
    const words = places.map(wordAt);
    const vector = near(i * 37);
    queries.one.push({ vector, words: [words[1] as string] });
    queries.three.push({ vector, words });
  }
  return queries;
}

/** What a process needs to make the same corpus and the same queries. */
export type Material = {
  /** Real vectors, float32. */
  sourceFile: string;
  /** The vectors of the corpus, as `writeVectors` writes them. */
  vectorFile: string;
  size: number;
  dimensions: number;
  queries: number;
};

export const readQueries = async ({ sourceFile, dimensions, size, queries: count }: Material): Promise<Queries> =>
  makeQueries(await openVectors(sourceFile, dimensions), { size, count });

/** Vectors that are read at once. */
const portion = 1000;

/** Writes the vectors of a corpus, so that computing them is no part of what is measured. A file of the right size is kept. */
export async function writeVectors({ sourceFile, vectorFile, size, dimensions }: Material): Promise<void> {
  const known = await stat(vectorFile).catch(() => null);
  if (known?.size === 4 * size * dimensions) return;
  const { vectorAt } = await openVectors(sourceFile, dimensions);
  const unfinished = `${vectorFile}.unfinished`;
  await writeFile(unfinished, '');
  for (let first = 0; first < size; first += portion) {
    const vectors = new Float32Array(Math.min(portion, size - first) * dimensions);
    for (let i = 0; i * dimensions < vectors.length; i++) vectors.set(vectorAt(first + i), i * dimensions);
    await writeFile(unfinished, new Uint8Array(vectors.buffer), { flag: 'a' });
  }
  await rename(unfinished, vectorFile);
}

/** A corpus over a file of vectors, of which it holds a portion at a time. */
export function openCorpus({ vectorFile, size, dimensions }: Material): Corpus & Disposable {
  const file = openSync(vectorFile, 'r');
  const held = new Float32Array(portion * dimensions);
  let firstHeld = -portion;
  return {
    dimensions,
    size,
    textAt,
    ownerAt,
    vectorAt(place) {
      if (place < firstHeld || place >= firstHeld + portion) {
        firstHeld = place - (place % portion);
        readSync(file, held, 0, held.byteLength, 4 * firstHeld * dimensions);
      }
      return held.slice((place - firstHeld) * dimensions, (place - firstHeld + 1) * dimensions);
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** A part of a corpus as one of its own. */
export const partOf = (corpus: Corpus, first: number, size: number): Corpus => ({
  dimensions: corpus.dimensions,
  size,
  vectorAt: (place) => corpus.vectorAt(first + place),
  textAt: (place) => corpus.textAt(first + place),
  ownerAt: (place) => corpus.ownerAt(first + place),
});

/** All places of a corpus, in portions. */
export function* portionsOfPlaces({ size }: Pick<Corpus, 'size'>, count: number): Generator<number[]> {
  for (let first = 0; first < size; first += count) {
    yield Array.from({ length: Math.min(count, size - first) }, (_, i) => first + i);
  }
}
