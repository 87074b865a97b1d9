import { foldHan } from './han-variants.ts';

/** A part of a text in code units: from `start` up to, but not including, `end`. */
export type TextRange = { start: number; end: number };

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
 * @param beginnings of the words, as they are compared: in lower case
 */
export function chooseRange(text: string, beginnings: string[]): TextRange {
  if (text.length <= maxRangeLength) return { start: 0, end: text.length };
  const first = findDensest(foldHan(text.slice(0, maxTextLength).toLowerCase()), beginnings);
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
