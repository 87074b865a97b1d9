import type { createTextCache, ReadTexts } from '@media-search/search-engine/text/phrases';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import type { PostingStore } from '../../catalog/postgres/posting-store.ts';

/** Texts that have to be read before work can go on. */
class MissingTexts extends Error {
  readonly numbers: number[];

  constructor(numbers: number[]) {
    super('Texts are missing.');
    this.numbers = numbers;
  }
}

export type TextWaiter = ReturnType<typeof createTextWaiter>;

/**
 * Lets work that reads texts at once run over a database, which answers later: what is missing is read, and the work done again. It has to
 * be without other effects. Only phrases read texts, some hundred at once, so it is done a few times at most.
 */
export function createTextWaiter(store: Pick<PostingStore, 'readTexts'>, cache: ReturnType<typeof createTextCache>) {
  const read: ReadTexts = (numbers) => {
    if (cache.nextMissing(numbers).length > 0) throw new MissingTexts(numbers);
    return numbers.map((number) => cache.get(number));
  };

  async function fill(numbers: number[]): Promise<void> {
    for (let missing = cache.nextMissing(numbers); missing.length > 0; missing = cache.nextMissing(numbers)) {
      cache.add(missing, await store.readTexts(missing));
    }
  }

  return {
    /** Does work that reads the texts of chunks by their numbers. */
    async wait<Result>(work: (read: ReadTexts) => Result): Promise<Result> {
      for (;;) {
        try {
          return work(read);
        } catch (error) {
          if (!(error instanceof MissingTexts)) throw error;
          await fill(error.numbers);
        }
      }
    },

    /** The texts of chunks that exist, as far as they may be read. */
    async readAll(numbers: number[]): Promise<Map<number, IndexedTexts>> {
      await fill(numbers);
      return new Map(
        numbers.flatMap((number): [number, IndexedTexts][] => {
          const texts = cache.get(number);
          return texts ? [[number, texts]] : [];
        }),
      );
    },
  };
}
