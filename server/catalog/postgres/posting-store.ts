import type { LabelMatch } from '@media-search/search-engine/text/label-names';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';

/** The postings of a term in a block of chunk numbers. */
export type StoredBlock = {
  term: string;
  block: number;
  /** How many postings there are. */
  held: number;
  /** As `decodeBlock` reads it. */
  data: Uint8Array;
};

/** The postings of a term, block by block by falling number. */
export type StoredTerm = {
  term: string;
  blocks: ArrayLike<number>;
  /** How many postings there are in each block. */
  held: ArrayLike<number>;
  /** Those of the first blocks, one after the other, as `decodeBlock` reads each. */
  data: Uint8Array;
};

/** How many postings are read: so many of a term, and about so many of all terms together. A block is read as a whole. */
export type PostingBudget = { ofTerm: number; ofAll: number };

/** What a query begins with: the number of chunks, and the tokens of all their texts; labels whose names hold one of its terms; and its words. */
export type StoredQuery = {
  totals: { documents: number; length: number };
  labels: LabelMatch[];
  terms: StoredTerm[];
};

/** What text search reads of one workspace. Items in the trash are in none of it. */
export type PostingStore = {
  /**
   * Brings the index up to date where it is not, and reads what a query begins with.
   * @param names those of labels are searched for these
   * @param stems all terms that have one of them are read
   */
  openQuery(names: string[], stems: string[], budget: PostingBudget): Promise<StoredQuery>;
  /** Terms that have one of some stems. */
  readForms(stems: string[], budget: PostingBudget): Promise<StoredTerm[]>;
  /** Terms that begin with a prefix, those in most chunks. */
  readPrefixed(prefix: string, count: number, budget: PostingBudget): Promise<StoredTerm[]>;
  /** Terms that may be one typing error away from a word of five letters and more: all that are, and others. */
  listNear(word: string): Promise<string[]>;
  /** Some blocks. */
  readBlocks(blocks: Pick<StoredBlock, 'term' | 'block'>[]): Promise<StoredBlock[]>;
  /** The texts of chunks, in their order; undefined for those that are gone. */
  readTexts(numbers: number[]): Promise<(IndexedTexts | undefined)[]>;
  /** The newest chunks of items that have one of some labels. */
  listLabelled(labels: LabelMatch[], limit: number): Promise<number[]>;
};
