import { isUncertain, type SegmentSource, type TextBox, type TextSource } from '../../../contract/texts.ts';
import { findWords, fold, hasStem, stemOf, wordsOf } from './analyse-text.ts';
import { beginningOf, type ExcerptPart, findInFilename, findInText, type Passage, type Wanted } from './cut-excerpt.ts';
import { foldHan } from './han-variants.ts';
import { stemIn } from './stems.ts';
import type { Correction, TextQuery } from './text-query.ts';
import { sourceWeights } from './text-sources.ts';

/** A text by which a chunk is found. */
type FoundText = {
  source: TextSource;
  /** Seconds; null where the text is about the whole item. */
  start: number | null;
  end: number | null;
  /** BCP 47; null: unknown. */
  language: string | null;
  box: TextBox | null;
  /** Of the recognition, 0..1; null where nothing had to be recognised. */
  confidence: number | null;
  text: string;
};

/** What is said or written at some time. `track`: of the file; null where the source has only one. */
type Line = FoundText & { source: SegmentSource; track: number | null; start: number; end: number };

/** The texts by which a chunk is found. */
export type FoundTexts = {
  /** Those of a source and track one after the other, in order of time. */
  segments: Line[];
  filename: string | null;
  /** Of the file. */
  tags: string | null;
  /** Of the creator and the category, and of collections and tags that people gave. */
  names: { source: TextSource; text: string }[];
};

/** A passage that matched, and where and when it is said, shown or written. */
export type MatchedPassage = Omit<FoundText, 'text' | 'confidence'> & {
  /** Whether it holds words of the query, or means something like it. */
  by: 'words' | 'meaning';
  /** Whether it is recognised speech that may well be wrong. */
  uncertain: boolean;
  excerpt: ExcerptPart[];
};

/** Matches of a hit. */
const maxMatches = 3;
/** Of longer texts, in code units, only those that seem to hold most are analysed: the matches of a page are found while others wait. */
const maxAnalysedLength = 1024;
/** So many of them. */
const maxAnalysed = 8;
/** Two lines of which each holds some words are shown as one passage when they are together at most so long, in code units, */
const maxJoinedLength = 200;
/** and at most so many seconds apart. */
const maxGap = 2;

type Candidate = {
  text: Omit<FoundText, 'text'>;
  passage: Passage;
  /** The lines that it consists of, by their places. */
  lines: number[];
};

/** What of a query is looked for in texts: made once for all hits of a page. */
export type WantedPassages = { complete: Wanted[]; parts: Wanted[]; prefix: Wanted | null };

export function toWantedPassages({ terms, prefix, foreign }: TextQuery, corrections: Correction[]): WantedPassages {
  const corrected = new Map(corrections.map(({ from, to }) => [from, to]));
  return {
    complete: [
      ...terms.map((term) => ({ stems: stemsOf(corrected.get(term) ?? term) })),
      ...(foreign ? listForeign(foreign) : []),
    ],
    parts: terms.map(toPart),
    prefix: prefix === null ? null : { prefix: fold(prefix) },
  };
}

/**
 * The passages of a chunk's texts that hold most terms of the query, the best first, at most three: the best of each source before others of
 * the same. Of equal ones those that have a time, then those that are certain, then those whose source weighs more, then what was recognised with more confidence, then
 * the first. Where no complete word matches, words that begin with the last one are marked.
 */
export function findMatches(texts: FoundTexts, { complete, parts, prefix }: WantedPassages): MatchedPassage[] {
  const named = nameCandidates(texts.names, [complete, parts]);
  const found = chooseBest([...textCandidates(texts, complete), ...named]);
  return found.length > 0 || prefix === null ? found : chooseBest(textCandidates(texts, [prefix]));
}

const stemsOf = (term: string): string[] => Array.from(findWords(term), ({ token }) => stemOf(token));

/** What texts may say in place of the terms of a query in another language: their other forms, and English words. */
const listForeign = ({ language, others }: NonNullable<TextQuery['foreign']>): Wanted[] =>
  Object.entries(others).flatMap(([term, english]) => {
    const [token] = Array.from(findWords(term), (word) => word.token);
    const forms = token === undefined ? [] : [{ form: stemIn(language, token), language }];
    return [...forms, ...english.map((text) => ({ stems: stemsOf(text) }))];
  });

/** Names are found by parts of their words as well. */
function toPart(term: string): Wanted {
  const [first, second] = findWords(term);
  return first && !second ? { part: first.token } : { stems: stemsOf(term) };
}

const ofItem = { start: null, end: null, language: null, box: null, confidence: null };

/** @param wanted the strictest first: the next is for names that hold nothing of it */
const nameCandidates = (names: FoundTexts['names'], wanted: Wanted[][]): Candidate[] =>
  names.flatMap(({ source, text }) => {
    const passage = wanted.reduce<Passage | null>((found, some) => found ?? findInText(text, some), null);
    return passage ? [{ text: { source, ...ofItem }, passage, lines: [] }] : [];
  });

function textCandidates({ segments, filename, tags }: FoundTexts, wanted: Wanted[]): Candidate[] {
  const inFilename = filename === null ? null : findInFilename(filename, wanted);
  const inTags = tags === null ? null : findInText(tags, wanted);
  const places = listPromising(segments, wanted);
  const lines = places.flatMap((place): Candidate[] => toCandidate(segments[place], [place], wanted));
  const joined = [...lines, ...joinLines(segments, places, lines, wanted)];
  return [
    ...joined,
    ...joinPhrases(segments, places, joined, wanted),
    ...(inFilename ? [{ text: { source: 'filename' as const, ...ofItem }, passage: inFilename, lines: [] }] : []),
    ...(inTags ? [{ text: { source: 'tag' as const, ...ofItem }, passage: inTags, lines: [] }] : []),
  ];
}

function toCandidate(text: FoundText | null | undefined, lines: number[], wanted: Wanted[]): Candidate[] {
  const passage = text && findInText(text.text, wanted);
  return text && passage ? [{ text, passage, lines }] : [];
}

function chooseBest(candidates: Candidate[]): MatchedPassage[] {
  const sorted = candidates.toSorted(compareCandidates);
  const chosen: Candidate[] = [];
  const isNew = (candidate: Candidate) =>
    !chosen.includes(candidate) && !chosen.some(({ lines }) => lines.some((line) => candidate.lines.includes(line)));
  const isNewSource = ({ text: { source } }: Candidate) => !chosen.some(({ text }) => text.source === source);
  for (const isWanted of [isNewSource, () => true]) {
    for (const candidate of sorted) {
      if (chosen.length < maxMatches && isNew(candidate) && isWanted(candidate)) chosen.push(candidate);
    }
  }
  return chosen
    .toSorted(compareCandidates)
    .map(({ text: { source, start, end, language, box, confidence }, passage }) => ({
      by: 'words',
      source,
      start,
      end,
      language,
      box,
      uncertain: isUncertain({ source, confidence }),
      excerpt: passage.cut(),
    }));
}

const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.passage.terms.size - a.passage.terms.size ||
  Number(b.text.start !== null) - Number(a.text.start !== null) ||
  Number(isUncertain(a.text)) - Number(isUncertain(b.text)) ||
  sourceWeights[b.text.source] - sourceWeights[a.text.source] ||
  (b.text.confidence ?? 1) - (a.text.confidence ?? 1) ||
  (a.text.start ?? 0) - (b.text.start ?? 0);

/** The places of the lines that are analysed: all of them, unless they are long; then those in which most words of the query seem to begin. */
function listPromising(segments: FoundText[], wanted: Wanted[]): number[] {
  const places = [...segments.keys()];
  const length = segments.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= maxAnalysedLength) return places;
  const beginnings = wanted.map(beginningOf).filter((beginning) => beginning !== '');
  const counts = segments.map(({ text }) => {
    const lower = foldHan(text.toLowerCase());
    return beginnings.filter((beginning) => lower.includes(beginning)).length;
  });
  return places
    .filter((place) => (counts[place] as number) > 0)
    .toSorted((a, b) => (counts[b] as number) - (counts[a] as number) || a - b)
    .slice(0, maxAnalysed);
}

/** Neighbouring lines that hold more together than any line by itself, as passages of their own. */
function joinLines(segments: Line[], places: number[], lines: Candidate[], wanted: Wanted[]): Candidate[] {
  const held = new Map(lines.map(({ lines: [place], passage }) => [place as number, passage.terms]));
  const most = Math.max(0, ...lines.map(({ passage }) => passage.terms.size));
  if (most === wanted.length) return [];
  const nothing = new Set<number>();
  return places.flatMap((place) => {
    const [first, second] = [held.get(place) ?? nothing, held.get(place + 1) ?? nothing];
    const both = wanted.filter((_, term) => first.has(term) || second.has(term));
    const [a, b] = [segments[place], segments[place + 1]];
    if (both.length <= most || !a || !b || !isNext(a, b)) return [];
    if (b.start - a.end > maxGap || a.text.length + b.text.length > maxJoinedLength) return [];
    // The excerpt of both may be too short for all.
    return toCandidate(join(a, b), [place, place + 1], wanted).filter(({ passage }) => passage.terms.size > most);
  });
}

/** Whether a line follows another of the same track. */
const isNext = (a: Line, b: Line | undefined): b is Line => b?.source === a.source && b.track === a.track;

/** Two lines as one, in the language of the first. */
const join = (a: Line, b: Line): Line => ({
  ...a,
  end: Math.max(a.end, b.end),
  box: joinBoxes(a.box, b.box),
  confidence: Math.min(a.confidence ?? 1, b.confidence ?? 1),
  text: `${a.text} ${b.text}`,
});

/** Phrases that begin in one line and end in another of the same track: the search counts them whatever the pause is between the lines. */
function joinPhrases(segments: Line[], places: number[], found: Candidate[], wanted: Wanted[]): Candidate[] {
  return wanted.flatMap((want, term) => {
    if (!('stems' in want) || want.stems.length < 2) return [];
    if (found.some(({ passage }) => passage.terms.has(term))) return [];
    return places.flatMap((place) => {
      const last = endOfPhrase(segments, place, want.stems);
      if (last === null) return [];
      const lines = Array.from({ length: last - place + 1 }, (_, i) => place + i);
      return toCandidate(segments.slice(place, last + 1).reduce(join), lines, wanted);
    });
  });
}

/** The place of the line in which a phrase ends that begins in a line and not in the next; null where none does. */
function endOfPhrase(segments: Line[], place: number, stems: string[]): number | null {
  const first = segments[place];
  // Signs stand for themselves, as in `phrases.ts`.
  if (!first || (first.source !== 'speech' && first.source !== 'subtitle')) return null;
  const others = stems.length - 1;
  const ends = [...wordsOf(first.text.slice(-maxAnalysedLength))].slice(-others);
  const words = ends.map((token) => ({ token, place }));
  for (let next = place + 1; words.length < ends.length + others; next++) {
    const line = segments[next];
    if (!isNext(first, line)) break;
    for (const token of wordsOf(line.text.slice(0, maxAnalysedLength))) words.push({ token, place: next });
  }
  const start = ends.findIndex((_, i) => stems.every((stem, k) => hasStem(words[i + k]?.token, stem)));
  return words[start + others]?.place ?? null;
}

/** The box around both. */
function joinBoxes(a: TextBox | null, b: TextBox | null): TextBox | null {
  if (!a || !b) return null;
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)];
  return { x, y, width: right - x, height: bottom - y };
}
