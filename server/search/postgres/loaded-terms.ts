import { stemOf } from '@media-search/search-engine/text/analyse-text';
import { blockOf, decodeBlock, type PostingBlock } from '../../catalog/postgres/posting-block.ts';
import type { PostingStore, StoredBlock } from '../../catalog/postgres/posting-store.ts';
import type { LoadedTerm } from './small-segment.ts';

/** Postings that are read of one term, unless it is in the same chunks as a rarer one: a word in more chunks than that hardly counts. */
const maxOfTerm = 50_000;
/** Postings that are read of some terms together. */
const maxOfAll = 200_000;
/** Blocks in which frequent terms are looked for because a rarer one is there. */
const maxChosenBlocks = 400;
/** Words that begin with a prefix, the most frequent ones. */
const maxPrefixed = 2000;

export type LoadedTerms = ReturnType<typeof createLoadedTerms>;

/**
 * The postings of terms that a query asks for. Of a word in very many chunks those of the newest are read, and of those that hold a rarer word, however old, so that a query
 * costs the same in a large workspace.
 */
export function createLoadedTerms(store: PostingStore) {
  const terms = new Map<string, LoadedTerm>();
  const stems = new Set<string>();

  async function add(words: string[]): Promise<void> {
    const missing = [...new Set(words)].filter((term) => !terms.has(term));
    if (missing.length === 0) return;
    const budget = Math.min(maxOfTerm, Math.ceil(maxOfAll / missing.length));
    const read = Map.groupBy(await store.readBlocks(missing, budget), ({ term }) => term);
    for (const term of missing) terms.set(term, toLoaded(term, read.get(term) ?? []));
  }

  return {
    /** What is read until now. */
    list: (): LoadedTerm[] => [...terms.values()],

    /** What is read of the terms with the stem of a word. */
    formsOf: (word: string): LoadedTerm[] => [...terms.values()].filter(({ term }) => stemOf(term) === stemOf(word)),

    /** Reads words in all their forms. */
    async addWords(words: string[]): Promise<void> {
      const missing = [...new Set(words.map(stemOf))].filter((stem) => !stems.has(stem));
      for (const stem of missing) stems.add(stem);
      if (missing.length > 0) await add(await store.listForms(missing));
    },

    /** Reads the words that begin with a prefix. */
    async addPrefixed(prefix: string): Promise<void> {
      await add((await store.listPrefixed(prefix)).slice(0, maxPrefixed));
    },

    /**
     * Reads what is missing of frequent terms in the blocks of some chunks and of rarer terms.
     * @returns whether anything was missing
     */
    async complete(numbers: number[]): Promise<boolean> {
      const frequent = [...terms.values()].filter(({ isWhole }) => !isWhole);
      if (frequent.length === 0) return false;
      const wanted = new Set(numbers.map(blockOf));
      for (const { isWhole, blocks } of terms.values())
        if (isWhole) for (const block of blocks.keys()) wanted.add(block);
      // The newest first, as far as there is room.
      const places = [...wanted].sort((a, b) => b - a).slice(0, Math.ceil(maxChosenBlocks / frequent.length));
      const chosen = frequent.flatMap(({ term, blocks }) =>
        places.filter((block) => !blocks.has(block)).map((block) => ({ term, block })),
      );
      if (chosen.length === 0) return false;
      const found = await store.readChosenBlocks(chosen);
      for (const { term, block, data } of found) if (data) terms.get(term)?.blocks.set(block, decodeBlock(data));
      return found.length > 0;
    },
  };
}

function toLoaded(term: string, stored: StoredBlock[]): LoadedTerm {
  const blocks = new Map<number, PostingBlock>();
  for (const { block, data } of stored) if (data) blocks.set(block, decodeBlock(data));
  return {
    term,
    frequency: stored.reduce((sum, { held }) => sum + held, 0),
    isWhole: blocks.size === stored.length,
    blocks,
  };
}
