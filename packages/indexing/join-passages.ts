import { analyseFilename } from '@media-search/search-engine/text/analyse-text';
import type { SegmentSource, TextSource } from '../../contract/texts.ts';

/** What is said or written in an item at some time, seconds. */
export type PassageLine = {
  number: number;
  source: SegmentSource;
  /** Of the file; null where the source has only one. */
  track: number | null;
  /** BCP 47; null: unknown. */
  language: string | null;
  start: number;
  end: number;
  text: string;
  /** 0..1; null: nothing had to be recognised. */
  confidence: number | null;
};

/** One to a few sentences that follow each other, by which a moment is found by what they mean. */
export type JoinedPassage = Omit<PassageLine, 'number' | 'source' | 'track' | 'start' | 'end'> & {
  source: TextSource;
  /** The first of its lines; null where it is about the whole item. */
  segment: number | null;
  /** Seconds; null where it is about the whole item. */
  start: number | null;
  end: number | null;
};

/** A passage has at most so many words: more say more than one thing. */
const maxWords = 60;
/** A sentence of fewer words says little by itself and is joined with the next. */
const minWords = 4;
/** What is said after a longer pause is another passage, seconds. */
const maxGap = 3;
/** Lines on the screen that begin together are one passage, seconds: between two looks at the picture. */
const sameScreen = 0.6;
/** Passages of an item, from the beginning on: two hours of uninterrupted speech have a tenth of that. */
const maxPassages = 20_000;

/** Names and tags of fewer words are found by these words as well. */
const minWordsOfNames = 2;

const wordPattern = /\p{L}[\p{L}\p{M}'’]+/gu;
const countWords = (text: string): number => text.match(wordPattern)?.length ?? 0;

/** Whether a line begins one of its own: “I” may stand anywhere. */
const beginsSentence = (text: string): boolean => /^(?!I\b)\p{Lu}/u.test(text);

const endsSentence = (text: string): boolean => /[.!?…]["'”’)\]]*\s*$/.test(text);

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Joins the texts of an item to passages, each from one source and track, and each text once. What is known to be in another language than English is left out, because the sentence model
 * does not read it.
 * @param lines those of a source and track one after the other, in order of time
 */
export function joinPassages(
  lines: PassageLine[],
  { filename, tags }: { filename: string; tags: string },
): JoinedPassage[] {
  const made: JoinedPassage[] = [...ofItem('filename', [wordsOfName(filename)]), ...ofItem('tag', tags.split('\n'))];
  let current: PassageLine | undefined;
  const flush = () => {
    if (current && countWords(current.text) >= minWordsOfNames) made.push(toPassage(current));
    current = undefined;
  };
  for (const line of lines.filter(isReadable).flatMap(splitLong)) {
    if (current && belongsTo(current, line)) current = join(current, line);
    else {
      flush();
      current = line;
    }
  }
  flush();
  return eachOnce(made).slice(0, maxPassages);
}

/** The chunk in which most of a passage is said or shown; the first where it is about the whole item, the nearest where it is in none. */
export function nearestChunk<Chunk extends { start: number; end: number }>(
  chunks: readonly Chunk[],
  { start, end }: Pick<JoinedPassage, 'start' | 'end'>,
): Chunk | undefined {
  let best = chunks[0];
  if (start === null || end === null) return best;
  let most = -Infinity;
  for (const chunk of chunks) {
    // Below 0 the distance.
    const overlap = Math.min(chunk.end, end) - Math.max(chunk.start, start);
    if (overlap <= most) continue;
    best = chunk;
    most = overlap;
  }
  return best;
}

const isReadable = ({ language, text }: PassageLine): boolean =>
  (language === null || /^en\b/i.test(language)) && isMostlyLatin(text);

/** Whether the sentence model reads the script of a text: what is recognised on a screen has no language. */
const isMostlyLatin = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu) ?? [];
  return 2 * letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length >= letters.length;
};

const wordsOfName = (filename: string): string => {
  const { subwords } = analyseFilename(filename);
  return subwords.map(({ start, end }) => filename.slice(start, end)).join(' ');
};

const ofItem = (source: 'filename' | 'tag', texts: string[]): JoinedPassage[] =>
  texts
    .filter((text) => countWords(text) >= minWordsOfNames && isMostlyLatin(text))
    .map((text) => ({
      segment: null,
      source,
      language: null,
      start: null,
      end: null,
      confidence: null,
      text: text.trim(),
    }));

/** Whether a line goes on with what a passage says. */
function belongsTo(passage: PassageLine, line: PassageLine): boolean {
  if (passage.source !== line.source || passage.track !== line.track || passage.source === 'chapter') return false;
  const words = countWords(passage.text);
  if (words + countWords(line.text) > maxWords) return false;
  if (line.source === 'ocr') return line.start - passage.start <= sameScreen;
  if (line.start - passage.end > maxGap) return false;
  return words < minWords || !(endsSentence(passage.text) || beginsSentence(line.text));
}

const join = (passage: PassageLine, line: PassageLine): PassageLine => ({
  ...passage,
  end: Math.max(passage.end, line.end),
  confidence: leastOf(passage.confidence, line.confidence),
  text: `${passage.text} ${line.text}`,
});

const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** A line of several sentences as one for each; of each the time by its share of the letters. */
function splitLong(line: PassageLine): PassageLine[] {
  const text = line.text.replaceAll(/\s+/g, ' ').trim();
  if (line.source === 'ocr' || line.source === 'chapter' || countWords(text) <= minWords) return [{ ...line, text }];
  const perLetter = (line.end - line.start) / text.length;
  return Array.from(sentences.segment(text), ({ segment, index }) => ({
    ...line,
    text: segment.trim(),
    start: line.start + index * perLetter,
    end: line.start + (index + segment.length) * perLetter,
  }));
}

const toPassage = ({ number, track: _track, ...passage }: PassageLine): JoinedPassage => ({
  ...passage,
  segment: number,
});

/** Of each text the first: a logo is on the screen again and again. */
function eachOnce(passages: JoinedPassage[]): JoinedPassage[] {
  const seen = new Set<string>();
  return passages.filter(({ source, text }) => {
    const key = `${source}\n${text}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
