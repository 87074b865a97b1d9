import type { LabelMatch } from '@media-search/search-engine/text/label-names';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';

/** The postings of a term in a block of chunk numbers. */
export type StoredBlock = {
  term: string;
  block: number;
  /** How many postings there are. */
  held: number;
  /** As `decodeBlock` reads it; null where it was not asked for. */
  data: Uint8Array | null;
};

/** What text search reads of one workspace, and of the chunks that may be found there. Items in the trash are in none of it. */
export type PostingStore = {
  /** Brings the index up to date where it is not. The number of chunks, and the tokens of all their texts. */
  readTotals(): Promise<{ documents: number; length: number }>;
  /** Terms that have one of some stems. */
  listForms(stems: string[]): Promise<string[]>;
  /** Terms that begin with a prefix, those in most chunks first. */
  listPrefixed(prefix: string): Promise<string[]>;
  /** Terms that may be one typing error away from a word of five letters and more: all that are, and others. */
  listNear(word: string): Promise<string[]>;
  /** All blocks of some terms, those of a term by falling number, with the data of the first that hold `budget` postings of it together. */
  readBlocks(terms: string[], budget: number): Promise<StoredBlock[]>;
  /** Some blocks with their data. */
  readChosenBlocks(blocks: Pick<StoredBlock, 'term' | 'block'>[]): Promise<StoredBlock[]>;
  /** The texts of chunks, in their order; undefined for those that are gone. */
  readTexts(numbers: number[]): Promise<(IndexedTexts | undefined)[]>;
  /** The creators, categories, collections and tags whose name holds one of some terms. */
  findLabels(terms: string[]): Promise<LabelMatch[]>;
  /** The newest chunks of items that have one of some labels. */
  listLabelled(labels: LabelMatch[], limit: number): Promise<number[]>;
  /** Those of some chunks that may be found; null: all. */
  listPassing(numbers: Float64Array): Promise<Set<number> | null>;
};
