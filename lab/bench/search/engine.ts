import type { Corpus, Filter, Query } from './corpus.ts';

/** How an engine is opened: over a corpus that is stored, or one that it stores first. */
export type OpenEngine = (options: {
  corpus: Corpus;
  /** Where the engine keeps its data; what an earlier process has built is there. */
  folder: string;
  isBuilt: boolean;
  /** Called when rows are stored, by an engine whose service leaves that to another process. */
  onStored?: () => void;
}) => Promise<Engine>;

/** A search engine over a corpus. Searches return places, the best first. */
export type Engine = {
  /** Settings of a search, from the quickest to the one with the best recall: as printed, and how they are taken. */
  efforts: { name: string; use: () => void | Promise<void> }[];
  /** Ranks alone: no engine reads what it has stored with the hits. */
  hybrid: (query: Query, filter: Filter) => Promise<number[]>;
  /** The same, with what a page shows of the hits: peers read text and owner, ours also the row of the item and the passage that matched. */
  shown: (query: Query, filter: Filter) => Promise<ShownHit[]>;
  vector: (query: Query, filter: Filter) => Promise<number[]>;
  /** Stores more chunks, an item of ten: the vectors and texts of some places, as the places after the last one. */
  add: (places: number[]) => Promise<void>;
  /** Deletes the item that was added first of those that are there. */
  removeAdded: () => Promise<void>;
  /** Processes that work for the engine, besides this one. */
  processes?: () => Promise<number[]>;
  /** Our score of a similarity to a query, where the engine has one: at -1, -0.999, …, 1. */
  relevances?: (query: Query) => Promise<number[]>;
  close: () => Promise<void>;
};

/** A hit as a page can show it. `text` is empty where a hit is shown without. */
export type ShownHit = { place: number; text: string };

/** Reciprocal rank fusion (k = 60), for engines without fusion. */
export function fuseByRank(...lists: number[][]): number[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [rank, place] of list.entries()) scores.set(place, (scores.get(place) ?? 0) + 1 / (60 + rank + 1));
  }
  return [...scores].toSorted((a, b) => b[1] - a[1]).map(([place]) => place);
}
