import { findWords } from '@media-search/search-engine/text/analyse-text';
import type { Language } from '@media-search/search-engine/text/stems';
import { functionWord } from './function-words.ts';
import { joinPieces } from './join-pieces.ts';
import { type Lexicon } from './lexicon.ts';
import { findExpression, findMeaning, type Meaning, toKey } from './look-up.ts';

/** A part of a query: a word or fixed expression with its place in code units, and what is known of it in a language. */
export type Piece = { text: string; start: number; end: number } & (
  | { kind: 'meaning'; meaning: Meaning }
  /** `english`: empty where English has nothing in its place. */
  | { kind: 'function'; english: string }
  | { kind: 'unknown' }
);

/** Languages without spaces between words. */
const unspaced: ReadonlySet<Language> = new Set(['ja', 'zh']);
/** Letters of the longest word of such a language that is looked up. */
const maxLetters = 10;
/** Letters of a part of a word in katakana. */
const leastPart = 2;
const ownScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;

/** Cuts a query into the words and fixed expressions of a language, the longest first. */
export function cutWords(lexicon: Lexicon, language: Language, query: string): Piece[] {
  return unspaced.has(language) ? cutUnspaced(lexicon, language, query) : cutSpaced(lexicon, language, query);
}

function cutSpaced(lexicon: Lexicon, language: Language, query: string): Piece[] {
  const words = Array.from(findWords(query), ({ start, end }) => ({ start, end, key: toKey(query.slice(start, end)) }));
  const keys = words.map(({ key }) => key);
  const pieces: Piece[] = [];
  for (let i = 0; i < words.length;) {
    const expression = findExpression(lexicon, language, keys, i);
    const count = expression?.count ?? 1;
    const [first, last] = [words[i], words[i + count - 1]];
    if (!first || !last) break;
    const place = { text: query.slice(first.start, last.end), start: first.start, end: last.end };
    pieces.push(
      expression
        ? { ...place, kind: 'meaning', meaning: expression.meaning }
        : readWord(lexicon, language, first.key, place),
    );
    i += count;
  }
  return pieces;
}

function readWord(
  lexicon: Lexicon,
  language: Language,
  key: string,
  place: { text: string; start: number; end: number },
): Piece {
  const english = functionWord(language, key);
  if (english !== undefined) return { ...place, kind: 'function', english };
  const meaning = findMeaning(lexicon, language, key);
  return meaning ? { ...place, kind: 'meaning', meaning } : { ...place, kind: 'unknown' };
}

/** The longest word that the lexicon holds goes first; what it lacks is cut by Unicode's dictionaries. Words of other scripts are looked up as they are. */
function cutUnspaced(lexicon: Lexicon, language: Language, query: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const addOthers = (until: number) => {
    for (const word of findWords(query.slice(end, until))) {
      const place = {
        text: query.slice(end + word.start, end + word.end),
        start: end + word.start,
        end: end + word.end,
      };
      pieces.push(readWord(lexicon, language, toKey(place.text), place));
    }
  };
  for (const { 0: run, index } of query.matchAll(ownScript)) {
    addOthers(index);
    pieces.push(...cutRun(lexicon, language, run, index));
    end = index + run.length;
  }
  addOthers(query.length);
  return pieces;
}

function cutRun(lexicon: Lexicon, language: Language, run: string, start: number): Piece[] {
  const pieces: Piece[] = [];
  const words = Array.from(findWords(run), (word) => ({ start: word.start, end: word.end }));
  const lengths = new Map(words.map((word) => [word.start, word.end - word.start]));
  for (let at = 0; at < run.length;) {
    const katakana = /^[\p{Script=Katakana}ー]+/u.exec(run.slice(at))?.[0] ?? '';
    const longest = findLongest(lexicon, language, run, at);
    const found =
      katakana.length > 1 && (longest?.text.length ?? 0) < katakana.length
        ? cutKatakana(lexicon, language, katakana, at)
        : [longest ?? toUnknown(run, at, at + (lengths.get(at) ?? 1))];
    pieces.push(...found);
    at = found.at(-1)?.end ?? run.length;
  }
  return joinPieces(pieces, words).map((piece) => ({ ...piece, start: start + piece.start, end: start + piece.end }));
}

const toUnknown = (run: string, start: number, end: number): Piece => ({
  text: run.slice(start, end),
  start,
  end,
  kind: 'unknown',
});

/** A word in katakana, which the lexicon lacks as a whole, by its parts where it knows all of them. Else it is one unknown word: サバニ is no mackerel. */
function cutKatakana(lexicon: Lexicon, language: Language, word: string, start: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < word.length;) {
    const piece = findLongest(lexicon, language, word, at);
    if (!piece || piece.text.length < leastPart)
      return [{ text: word, start, end: start + word.length, kind: 'unknown' }];
    pieces.push({ ...piece, start: start + at, end: start + piece.end });
    at = piece.end;
  }
  return pieces;
}

function findLongest(lexicon: Lexicon, language: Language, run: string, at: number): Piece | null {
  for (let length = Math.min(maxLetters, run.length - at); length > 0; length--) {
    const text = run.slice(at, at + length);
    const piece = readWord(lexicon, language, text, { text, start: at, end: at + length });
    // A form of a single letter is none, and hiragana alone are endings more often than words.
    if (piece.kind === 'function' || (piece.kind === 'meaning' && (length > 1 || /\p{Script=Han}/u.test(text))))
      return piece;
  }
  return null;
}
