import { addRange, wordsFor } from '@media-search/search-engine/index/slot-set';
import { labelBits } from '@media-search/search-engine/ranking/find-labelled';
import type { SearchIndex } from '@media-search/search-engine/ranking/run-search';
import { Accumulator } from '@media-search/search-engine/text/accumulator';
import { findWords, fold, stemOf } from '@media-search/search-engine/text/analyse-text';
import { findExcluded } from '@media-search/search-engine/text/find-excluded';
import type { LabelMatch } from '@media-search/search-engine/text/label-names';
import { createTextLoader, type ReadTexts } from '@media-search/search-engine/text/phrases';
import { type FoundTexts, searchTexts, type TextMatch } from '@media-search/search-engine/text/search-texts';
import type { TextQuery } from '@media-search/search-engine/text/text-query';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import type { SourceSet } from '@media-search/search-engine/text/text-sources';
import { blockOf, decodeBlock, type PostingBlock } from '../../catalog/postgres/posting-block.ts';
import type { PostingStore, StoredBlock } from '../../catalog/postgres/posting-store.ts';
import { buildSmallSegment, type LoadedTerm, type SmallSegment } from './small-segment.ts';

/** Postings that are read of one term, unless it is in the same chunks as a rarer one: a word in more chunks than that hardly counts. */
const maxOfTerm = 50_000;
/** Postings that are read of some terms together. */
const maxOfAll = 200_000;
/** Blocks in which frequent terms are looked for because a rarer one is there. */
const maxChosenBlocks = 400;
/** Words that begin with a prefix, the most frequent ones. */
const maxPrefixed = 2000;

type LoadedTerms = ReturnType<typeof createLoadedTerms>;

/**
 * The postings of terms that a query asks for. Of a word in very many chunks those of the newest are read, and of those that hold a rarer word, however old, so that a query
 * costs the same in a large workspace.
 */
function createLoadedTerms(store: PostingStore) {
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

/** Chunks that one term finds by the name of a label, the newest: the others are found by their texts and images. */
const maxLabelled = 20_000;

/** How many of the best matches are wanted; words that begin with the last one are looked for where fewer than `enough` match. */
type Depth = { count: number; enough: number };

/** Text search in one workspace for one query: chunks go by their numbers. */
type TextSearch = Pick<SearchIndex<number[]>, 'isLabelled' | 'findTexts' | 'findExcluded' | 'openTexts'>;

type Query = { text: TextQuery; sources: SourceSet };

type Context = Query & {
  store: PostingStore;
  totals: { documents: number; length: number };
  loaded: LoadedTerms;
  /** Of each term the newest chunks whose labels hold it. */
  labelled: number[][];
  readTexts: (numbers: number[]) => Promise<(IndexedTexts | undefined)[]>;
};

/** Searches share it: it holds nothing between two of its calls. */
const accumulator = new Accumulator();

/** Text search over postings in a database: those of the query's terms are read, and ranked by the engine that ranks all others. */
export async function openTextSearch(store: PostingStore, query: Query): Promise<TextSearch> {
  const { text, sources } = query;
  const loaded = createLoadedTerms(store);
  const totals = await store.readTotals();
  const [labelled] = await Promise.all([listLabelled(store, query), loaded.addWords(text.terms.flatMap(tokensOf))]);
  const readTexts = createTextLoader((numbers) => store.readTexts(numbers), sources);
  const context: Context = { ...query, store, totals, loaded, labelled, readTexts };
  return {
    isLabelled: labelled.some(({ length }) => length > 0),
    findTexts: (depth, others) => findTexts(context, depth, [...others]),
    findExcluded: (numbers) => findExcludedChunks(context, numbers),
    async openTexts(numbers) {
      const texts = await readTexts(numbers);
      const found = new Map(numbers.map((number, i) => [number, texts[i]]));
      return (number) => found.get(number);
    },
  };
}

const tokensOf = (term: string): string[] => Array.from(findWords(term), ({ token }) => token);

async function listLabelled(store: PostingStore, { text: { terms }, sources }: Query): Promise<number[][]> {
  const labels = (await store.findLabels(terms)).filter(({ name }) => (sources & labelBits[name]) !== 0);
  const byTerm = Map.groupBy(labels, ({ term }: LabelMatch) => term);
  return Promise.all(
    terms.map((_, place) => {
      const held = byTerm.get(place);
      return held ? store.listLabelled(held, maxLabelled) : Promise.resolve([]);
    }),
  );
}

async function findTexts(context: Context, depth: Depth, others: number[]): Promise<FoundTexts<number[]>> {
  const { loaded, text, sources } = context;
  const last = text.terms.at(-1);
  let { prefix } = text;
  for (const [place, term] of text.terms.entries()) {
    const [word, ...more] = tokensOf(term);
    const isKnown = more.length > 0 || context.labelled[place]?.length || isHeld(loaded.formsOf(word ?? ''), sources);
    if (isKnown || word === undefined) continue;
    // It may be the beginning of another word, or have a typing error.
    if (term === last && prefix !== null) {
      await loaded.addPrefixed(fold(prefix));
      prefix = null;
    }
    const decided = text.corrections.find(({ from }) => from === term);
    if (decided) await loaded.addWords([fold(decided.to)]);
    else if (!text.kept.includes(term)) await loaded.addWords(await context.store.listNear(word));
  }
  const isPrefixRead = prefix === null;
  await loaded.complete(others);
  const found = await rank(context, isPrefixRead ? text : { ...text, prefix: null }, depth);
  if (prefix === null || found.matches.length >= Math.min(depth.enough, depth.count)) return found;
  await loaded.addPrefixed(fold(prefix));
  return rank(context, text, depth);
}

/** Whether a text of some sources holds one of some terms, as far as they were read. */
const isHeld = (terms: LoadedTerm[], wanted: SourceSet): boolean =>
  terms.some(({ blocks }) => [...blocks.values()].some(({ sources }) => sources.some((held) => (held & wanted) !== 0)));

/** Ranks by what is read of the terms. */
async function rank(context: Context, query: TextQuery, { count, enough }: Depth): Promise<FoundTexts<number[]>> {
  const { sources, totals } = context;
  const small = buildSmallSegment(context.loaded.list(), context.labelled.flat(), totals);
  const { segment, numbers, slotOf } = small;
  const selected = await selectSlots(context.store, small);
  const labelled = context.labelled.map((own) => own.flatMap((number) => slotOf(number) ?? []));
  const numberOf = (slot: number) => numbers[slot] as number;
  const found = await searchTexts([segment], query, {
    selected,
    sources,
    labelled,
    count,
    enough,
    readTexts: (slots) => context.readTexts(slots.map(numberOf)),
    accumulator,
  });
  const toMatch = (match: TextMatch): TextMatch => ({ ...match, slot: numberOf(match.slot) });
  return {
    ...found,
    matches: found.matches.map(toMatch),
    async matchesOf(some) {
      const slots = some.flatMap((number) => slotOf(number) ?? []);
      const matches = await found.matchesOf(slots);
      return new Map([...matches].map(([slot, match]) => [numberOf(slot), toMatch(match)]));
    },
    levels: found.levels,
    covering: (least, below) => listSlots(found.covering(least, below).words).map(numberOf),
  };
}

/** The slots that may be found, as bits. */
async function selectSlots(store: PostingStore, { numbers }: SmallSegment): Promise<Uint32Array> {
  const words = new Uint32Array(wordsFor(numbers.length));
  const passing = await store.listPassing(numbers);
  if (passing === null) addRange(words, 0, numbers.length);
  else for (const [slot, number] of numbers.entries()) if (passing.has(number)) addRange(words, slot, slot + 1);
  return words;
}

function listSlots(words: Uint32Array): number[] {
  const slots: number[] = [];
  for (const [i, word] of words.entries()) {
    for (let bits = word; bits !== 0; bits &= bits - 1) slots.push(32 * i + 31 - Math.clz32(bits & -bits));
  }
  return slots;
}

async function findExcludedChunks(context: Context, numbers: number[]): Promise<number[]> {
  const { store, sources, totals, text } = context;
  if (text.excluded.length === 0) return [];
  // What is excluded is in terms of its own, read where the candidates are.
  const loaded = createLoadedTerms(store);
  await loaded.addWords(text.excluded.flatMap(tokensOf));
  await loaded.complete(numbers);
  const { segment, slotOf, numbers: numbersOf } = buildSmallSegment(loaded.list(), [], totals);
  const slots = numbers.flatMap((number) => slotOf(number) ?? []);
  const numberOf = (slot: number) => numbersOf[slot] as number;
  const readTexts: ReadTexts = (some) => context.readTexts(some.map(numberOf));
  const found = await findExcluded([segment], text.excluded, slots, readTexts, sources);
  return [...found].map(numberOf);
}
