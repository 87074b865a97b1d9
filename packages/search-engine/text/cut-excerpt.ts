import { analyseFilename, hasStem, isAscii, listWords, mayContinue, partsOf, type Word } from './analyse-text.ts';
import { commonBeginning } from './foreign-terms.ts';
import { foldHan } from './han-variants.ts';
import { standsIn } from './label-names.ts';
import { type Language, stemIn } from './stems.ts';

/** A piece of text, and whether it matched the search. */
export type ExcerptPart = { text: string; matched: boolean };

/** Words of an excerpt. */
const excerptWords = 20;

/** A part of a text that matched: the term of the query, and its place in code units. */
type Match = { term: number; start: number; end: number };

/** What is marked: words by their stems (`form`: in another language), phrases by the stems of their words, words that begin with a prefix, or that contain a part. */
export type Wanted = { stems: string[] } | { form: string; language: Language } | { prefix: string } | { part: string };

/** The passage of a text that holds most terms. */
export type Passage = {
  /** The terms in it, by their places in the query. */
  terms: Set<number>;
  /** Cuts it out, about twenty words with the matches marked. */
  cut: () => ExcerptPart[];
};

/** The best passage of a file name, in which words are also parts of words; null if it holds nothing. */
export function findInFilename(filename: string, wanted: Wanted[]): Passage | null {
  // Words that it holds may be parted by signs.
  if (!mayHold(filename.replaceAll(/[^A-Za-z0-9\u0080-\uffff]/g, ''), wanted)) return null;
  const { pieces, subwords, runs } = analyseFilename(filename);
  return findPassage(filename, { start: 0, end: filename.length }, pieces, [subwords, runs], wanted);
}

/**
 * The best passage of a text; null if it holds nothing. Only a part is analysed where it is long: the excerpts of a page are cut while others
 * wait.
 */
export function findInText(text: string, wanted: Wanted[]): Passage | null {
  if (!mayHold(text, wanted)) return null;
  const range = chooseRange(text, wanted);
  const found = listWords(range.start === 0 && range.end === text.length ? text : text.slice(range.start, range.end));
  const move = ({ token, start, end }: Word): Word => ({ token, start: range.start + start, end: range.start + end });
  const words = range.start === 0 ? found : found.map(move);
  return findPassage(text, range, words, [], wanted);
}

/** Rules out most texts that hold nothing, without splitting them into words. Only the last letter of a stem may be another than in a word. */
function mayHold(text: string, wanted: Wanted[]): boolean {
  if (!isAscii(text)) return true;
  const lower = text.toLowerCase();
  return wanted.some((want) => {
    if ('form' in want) return lower.includes(commonBeginning(want.form));
    const [first = ''] = 'stems' in want ? want.stems : ['part' in want ? want.part : want.prefix];
    return lower.includes('stems' in want && /^[a-z]{3,}$/.test(first) ? first.slice(0, -1) : first);
  });
}

/** What the words that match begin with. The stem of an English word may end with a letter that the word has not. */
export const beginningOf = (want: Wanted): string => {
  if ('part' in want) return want.part;
  if ('form' in want) return commonBeginning(want.form);
  const [first = ''] = 'prefix' in want ? [want.prefix] : want.stems;
  return /^[a-z]{4,}$/.test(first) ? first.slice(0, -1) : first;
};

/**
 * The passage of one text that holds most terms.
 * @param range the part of the text that was analysed
 * @param words its words, which are counted
 * @param others words that lie in them or consist of them, which match as well
 */
function findPassage(
  text: string,
  range: TextRange,
  words: Word[],
  others: Word[][],
  wanted: Wanted[],
): Passage | null {
  const parts = isAscii(text)
    ? []
    : words.flatMap(({ token, start }) =>
        partsOf(token).map((part) => ({ token: part.token, start: start + part.start, end: start + part.end })),
      );
  const matches = [words, ...others, parts]
    .flatMap((some) => findMatches(some, wanted))
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  if (matches.length === 0) return null;
  const window = bestWindow(words, matches);
  return { terms: window.terms, cut: () => toParts(text, range, words, window, matches) };
}

function findMatches(words: Word[], wanted: Wanted[]): Match[] {
  const matches: Match[] = [];
  for (let term = 0; term < wanted.length; term++) {
    const want = wanted[term] as Wanted;
    const length = 'stems' in want ? want.stems.length : 1;
    if (length === 0) continue;
    for (let i = 0; i < words.length; i++) {
      const { token, start, end } = words[i] as Word;
      if (isMatch(token, words, i, want)) matches.push({ term, start, end: words[i + length - 1]?.end ?? end });
    }
  }
  return matches;
}

/** Whether a word is the first of those that are wanted. */
function isMatch(token: string, words: Word[], i: number, want: Wanted): boolean {
  if ('part' in want) return token.includes(want.part) && standsIn(token, want.part);
  if ('prefix' in want) return mayContinue(want.prefix, token);
  if ('form' in want) return token.startsWith(commonBeginning(want.form)) && stemIn(want.language, token) === want.form;
  return want.stems.every((stem, k) => hasStem(words[i + k]?.token, stem));
}

/** The words of a text from `first` up to, but not including, `end`, and the terms that they hold. */
type Window = { first: number; end: number; terms: Set<number> };

/** The window that holds most terms, the matches in its middle; the first of equal ones. */
function bestWindow(words: Word[], matches: Match[]): Window {
  const places = matches.map(({ start, end, term }) => ({
    term,
    first: wordAt(words, start),
    last: wordAt(words, end - 1),
  }));
  let best: Window = { first: 0, end: 0, terms: new Set() };
  for (const [i, { first }] of places.entries()) {
    const inside = [];
    for (let k = i; k < places.length; k++) {
      const place = places[k];
      if (!place || place.first >= first + excerptWords) break;
      if (k === i || place.last < first + excerptWords) inside.push(place);
    }
    const terms = new Set(inside.map(({ term }) => term));
    const end = Math.max(first, ...inside.map(({ last }) => last)) + 1;
    if (terms.size > best.terms.size) best = { first, end, terms };
  }
  const before = Math.max(0, Math.floor((excerptWords - (best.end - best.first)) / 2));
  const first = Math.max(0, Math.min(best.first - before, words.length - excerptWords));
  return { first, end: Math.min(words.length, Math.max(best.end, first + excerptWords)), terms: best.terms };
}

/** The word in which a place lies. */
function wordAt(words: Word[], place: number): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Cuts a window out of a text, with `…` where something is left out. */
function toParts(
  text: string,
  range: TextRange,
  words: Word[],
  { first, end }: Window,
  matches: Match[],
): ExcerptPart[] {
  const from = first === 0 && range.start === 0 ? 0 : (words[first]?.start ?? 0);
  const isWhole = end === words.length && range.end === text.length;
  const to = isWhole ? text.length : (words[end - 1]?.end ?? text.length);
  const parts: ExcerptPart[] = [];
  let at = from;
  if (from > 0) parts.push({ text: '…', matched: false });
  for (const { start, end } of matches) {
    // A match within one that was marked before is part of it.
    if (start < at || end > to) continue;
    parts.push({ text: text.slice(at, start), matched: false }, { text: text.slice(start, end), matched: true });
    at = end;
  }
  parts.push({ text: text.slice(at, to), matched: false });
  if (to < text.length) parts.push({ text: '…', matched: false });
  return joinParts(parts);
}

/** Joins neighbouring parts of a kind and leaves out empty ones. */
function joinParts(parts: ExcerptPart[]): ExcerptPart[] {
  const joined: ExcerptPart[] = [];
  for (const { text, matched } of parts) {
    if (text === '') continue;
    const last = joined.at(-1);
    if (last?.matched === false && !matched) last.text += text;
    else joined.push({ text, matched });
  }
  return joined;
}

/** A part of a text in code units: from `start` up to, but not including, `end`. */
type TextRange = { start: number; end: number };

/** The first code units of a text, among which matches are looked for. */
const maxTextLength = 32_768;
/** Longer texts are analysed in part only: splitting a hundred texts of 10,000 Japanese letters into words takes seconds. */
const maxRangeLength = 1024;
/** Code units that are analysed before the first of the matches. */
const before = 256;
/** Words begin at a space at most so far away. */
const maxWordLength = 64;
/** Occurrences of each beginning that are looked at. */
const maxOccurrences = 50;

/**
 * The part of a text that is worth a closer look: around the places where most of some words may begin, in whichever form. The beginning of the
 * text where none is found that way, such as for words with other diacritics.
 */
function chooseRange(text: string, wanted: Wanted[]): TextRange {
  if (text.length <= maxRangeLength) return { start: 0, end: text.length };
  const first = findDensest(foldHan(text.slice(0, maxTextLength).toLowerCase()), wanted.map(beginningOf));
  const start = startOfWord(text, Math.max(0, first - before));
  return { start, end: Math.min(text.length, start + maxRangeLength) };
}

/** The first place from which on most of the beginnings occur in reach; 0 when none does. */
function findDensest(text: string, beginnings: string[]): number {
  const places = beginnings
    .flatMap((beginning, term) => listOccurrences(text, beginning).map((place) => ({ term, place })))
    .toSorted((a, b) => a.place - b.place);
  const counts = new Map<number, number>();
  let best = { place: 0, terms: 0 };
  let end = 0;
  for (const { term, place } of places) {
    for (; end < places.length && (places[end]?.place ?? 0) < place + maxRangeLength - 2 * before; end++) {
      const entered = places[end]?.term ?? 0;
      counts.set(entered, (counts.get(entered) ?? 0) + 1);
    }
    if (counts.size > best.terms) best = { place, terms: counts.size };
    const left = (counts.get(term) ?? 0) - 1;
    if (left === 0) counts.delete(term);
    else counts.set(term, left);
  }
  return best.place;
}

function listOccurrences(text: string, beginning: string): number[] {
  const places: number[] = [];
  if (beginning === '') return places;
  for (let at = text.indexOf(beginning); at !== -1 && places.length < maxOccurrences;) {
    places.push(at);
    at = text.indexOf(beginning, at + beginning.length);
  }
  return places;
}

/** The place after the next space, if one is near, and never the middle of a character. */
function startOfWord(text: string, place: number): number {
  if (place === 0) return 0;
  const space = text.indexOf(' ', place);
  if (space !== -1 && space - place < maxWordLength) return space + 1;
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00 ? place + 1 : place;
}
