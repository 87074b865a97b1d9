import { labelBits } from '@media-search/search-engine/ranking/find-labelled';
import type { SearchIndex } from '@media-search/search-engine/ranking/run-search';
import { Accumulator } from '@media-search/search-engine/text/accumulator';
import { findWords, fold, stemOf } from '@media-search/search-engine/text/analyse-text';
import { findExcluded } from '@media-search/search-engine/text/find-excluded';
import { commonBeginning } from '@media-search/search-engine/text/foreign-terms';
import type { LabelMatch } from '@media-search/search-engine/text/label-names';
import { createTextLoader, type ReadTexts } from '@media-search/search-engine/text/phrases';
import { type FoundTexts, searchTexts, type TextMatch } from '@media-search/search-engine/text/search-texts';
import { stemIn } from '@media-search/search-engine/text/stems';
import { findPhraseCandidates, findWord } from '@media-search/search-engine/text/term-postings';
import type { TextQuery } from '@media-search/search-engine/text/text-query';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import type { SourceSet } from '@media-search/search-engine/text/text-sources';
import { blockOf, decodeBlock, decodeBlocks } from '../../catalog/postgres/posting-block.ts';
import type { PostingStore, StoredTerm } from '../../catalog/postgres/posting-store.ts';
import { type Depth, type Passing, searchPassing } from './search-passing.ts';
import { buildSmallSegment, type LoadedTerm, type SmallSegment } from './small-segment.ts';

/** Postings that are read of one term, unless it is in the same chunks as a rarer one: a word in more chunks than that hardly counts. */
const maxOfTerm = 50_000;
/** Postings that are read of some terms together. */
const maxOfAll = 200_000;
/** Blocks in which frequent terms are looked for because a rarer one is there. */
const maxChosenBlocks = 400;
/** Words that begin with a prefix, the most frequent ones. */
const maxPrefixed = 2000;

const budget = { ofTerm: maxOfTerm, ofAll: maxOfAll };

type LoadedTerms = ReturnType<typeof createLoadedTerms>;

/**
 * The postings of terms that a query asks for. Of a word in very many chunks those of the newest are read, and of those that hold a rarer word, however old, so that a query
 * costs the same in a large workspace.
 */
function createLoadedTerms(store: PostingStore) {
  const terms = new Map<string, LoadedTerm>();
  const stems = new Set<string>();

  function add(read: StoredTerm[]): void {
    for (const one of read) if (!terms.has(one.term)) terms.set(one.term, toLoaded(one));
  }

  return {
    add,

    /** What is read until now. */
    list: (): LoadedTerm[] => [...terms.values()],

    /** What is read of the terms with the stem of a word. */
    formsOf: (word: string): LoadedTerm[] => [...terms.values()].filter(({ term }) => stemOf(term) === stemOf(word)),

    /** The stems of some words that are to be read, and will not be asked for again. */
    takeStems(words: string[]): string[] {
      const missing = [...new Set(words.map(stemOf))].filter((stem) => !stems.has(stem));
      for (const stem of missing) stems.add(stem);
      return missing;
    },

    /** Reads words in all their forms. */
    async addWords(words: string[]): Promise<void> {
      const missing = this.takeStems(words);
      if (missing.length > 0) add(await store.readForms(missing, budget));
    },

    /** Reads the words that begin with a prefix. */
    async addPrefixed(prefix: string): Promise<void> {
      add(await store.readPrefixed(prefix, maxPrefixed, budget));
    },

    /** Reads what is missing of frequent terms in the blocks of some chunks and of rarer terms. */
    async complete(numbers: number[]): Promise<void> {
      const frequent = [...terms.values()].filter(({ isWhole }) => !isWhole);
      if (frequent.length === 0) return;
      const wanted = new Set(numbers.map(blockOf));
      for (const { isWhole, blocks } of terms.values())
        if (isWhole) for (const block of blocks.keys()) wanted.add(block);
      // The newest first, as far as there is room.
      const places = [...wanted].sort((a, b) => b - a).slice(0, Math.ceil(maxChosenBlocks / frequent.length));
      const chosen = frequent.flatMap(({ term, blocks }) =>
        places.filter((block) => !blocks.has(block)).map((block) => ({ term, block })),
      );
      if (chosen.length === 0) return;
      for (const { term, block, data } of await store.readBlocks(chosen))
        terms.get(term)?.blocks.set(block, decodeBlock(data));
    },
  };
}

function toLoaded({ term, blocks: numbers, held, data }: StoredTerm): LoadedTerm {
  const blocks = new Map(decodeBlocks(data, held).map((block, i) => [numbers[i] as number, block]));
  let frequency = 0;
  for (let i = 0; i < held.length; i++) frequency += held[i] as number;
  return { term, frequency, isWhole: blocks.size === numbers.length, blocks };
}

/** Chunks that one term finds by the name of a label, the newest: the others are found by their texts and images. */
const maxLabelled = 20_000;

/** Text search in one workspace for one query: chunks go by their numbers. */
type TextSearch = Pick<SearchIndex<number[]>, 'isLabelled' | 'findTexts' | 'findExcluded' | 'openTexts'>;

type Query = { text: TextQuery; sources: SourceSet };

type Context = Query & {
  store: PostingStore;
  passing: Passing | null;
  totals: { documents: number; length: number };
  loaded: LoadedTerms;
  /** Of each term the newest chunks whose labels hold it. */
  labelled: number[][];
  /** Words that may stand in for one that no text holds. */
  near: string[];
  readTexts: (numbers: number[]) => Promise<(IndexedTexts | undefined)[]>;
};

/** Searches share it: it holds nothing between two of its calls. */
const accumulator = new Accumulator();

/**
 * Text search over postings in a database: those of the query's terms are read, and ranked by the engine that ranks all others. They are read at once, beside whatever else
 * the search does first; its methods wait for them.
 * @param passing which chunks may be found; null: all. Only the best matches are looked up: `covering` has also chunks that do not pass, and `matchesOf` takes
 *   those that do.
 */
export function openTextSearch(store: PostingStore, query: Query, passing: Promise<Passing | null>): TextSearch {
  const opening = openContext(store, query, passing);
  // They fail where they are waited for, and what is waited for by nobody because the other failed ends no process.
  for (const each of [opening, passing]) each.catch(() => undefined);
  let isLabelled = false;
  return {
    get isLabelled() {
      return isLabelled;
    },
    async findTexts(depth, others) {
      const context = await opening;
      isLabelled = context.labelled.some(({ length }) => length > 0);
      return findTexts(context, depth, [...others]);
    },
    findExcluded: async (numbers) => findExcludedChunks(await opening, numbers),
    async openTexts(numbers) {
      const texts = await (await opening).readTexts(numbers);
      const found = new Map(numbers.map((number, i) => [number, texts[i]]));
      return (number) => found.get(number);
    },
  };
}

async function openContext(store: PostingStore, query: Query, passing: Promise<Passing | null>): Promise<Context> {
  const { terms } = query.text;
  const loaded = createLoadedTerms(store);
  const others = Object.values(query.text.foreign?.others ?? {}).flat();
  const stems = loaded.takeStems([...terms, ...others].flatMap(tokensOf));
  const { totals, labels, terms: read } = await store.openQuery(terms, stems, budget);
  loaded.add(read);
  await addForms(loaded, query.text);
  const labelled = await listLabelled(store, query, labels);
  const readTexts = createTextLoader((numbers) => store.readTexts(numbers), query.sources);
  return { ...query, store, passing: await passing, totals, loaded, labelled, near: [], readTexts };
}

/** Reads the words that may be other forms of the terms of a query in another language: `text_terms` knows English stems alone. */
async function addForms(loaded: LoadedTerms, { foreign }: TextQuery): Promise<void> {
  for (const token of Object.keys(foreign?.others ?? {}).flatMap(tokensOf))
    if (foreign) await loaded.addPrefixed(commonBeginning(stemIn(foreign.language, token)));
}

const tokensOf = (term: string): string[] => Array.from(findWords(term), ({ token }) => token);

function listLabelled(
  store: PostingStore,
  { text: { terms }, sources }: Query,
  labels: LabelMatch[],
): Promise<number[][]> {
  const wanted = labels.filter(({ name }) => (sources & labelBits[name]) !== 0);
  const byTerm = Map.groupBy(wanted, ({ term }) => term);
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
    else if (!text.kept.includes(term)) {
      const near = await context.store.listNear(word);
      context.near.push(...near);
      await loaded.addWords(near);
    }
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
  const labelled = context.labelled.map((own) => own.flatMap((number) => slotOf(number) ?? []));
  const numberOf = (slot: number) => numbers[slot] as number;
  const asked = {
    count,
    enough,
    numbers,
    slotOf,
    hasPrefix: query.prefix !== null,
    listDecisive: () => listDecisive(context, small),
  };
  const found = await searchPassing(context.passing, asked, (selected, depth) =>
    searchTexts([segment], query, {
      ...depth,
      selected,
      sources,
      labelled,
      accumulator,
      readTexts: (slots) => context.readTexts(slots.map(numberOf)),
    }),
  );
  const toMatch = (match: TextMatch): TextMatch => ({ ...match, slot: numberOf(match.slot) });
  const matches = found.matches.map(toMatch);
  return {
    ...found,
    matches,
    async matchesOf(some) {
      const slots = some.flatMap((number) => slotOf(number) ?? []);
      const matches = await found.matchesOf(slots);
      return new Map([...matches].map(([slot, match]) => [numberOf(slot), toMatch(match)]));
    },
    covering: (least, below) => listSlots(found.covering(least, below).words).map(numberOf),
  };
}

/** The slots with all words of a phrase of the query, and those of words that may stand in for another. */
function* listDecisive({ text, sources, near }: Context, { segment }: SmallSegment): Generator<number> {
  const phrases = text.terms.map(tokensOf).filter(({ length }) => length > 1);
  for (const tokens of phrases) yield* findPhraseCandidates([segment], tokens, sources).postings[0]?.slots ?? [];
  for (const word of near) yield* findWord([segment], word, sources).postings[0]?.slots ?? [];
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
