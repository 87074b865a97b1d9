import { findWords } from '@media-search/search-engine/text/analyse-text';
import type { ForeignTerms, TextQuery } from '@media-search/search-engine/text/text-query';
import { cutWords, type Piece } from './cut-words.ts';
import { findLanguage, type FoundLanguage } from './find-language.ts';
import { exclusion } from './function-words.ts';
import type { Lexicon } from './lexicon.ts';
import { findEnglish } from './look-up.ts';
import { orderEnglish, type OrderedWord, toGerund } from './order-english.ts';

/** A word or fixed expression as it was written, and the English one that pictures are searched by. */
export type Translated = { from: string; to: string };

export type TranslatedQuery = {
  /** The query with English words in `visualText`, and with what else texts may say for its terms; as it was where nothing is translated. */
  text: TextQuery;
  translated: Translated[];
  /** Words of another language than English that nothing is known of. They are searched for in texts only. */
  unknown: string[];
};

/** Words of an exclusion at most: “ohne einen großen Hund”. */
const maxExcludedWords = 3;
/** English words of a term that texts are searched for as well. */
const maxOthers = 2;

/**
 * Puts the English words of the same meaning in the place of words in ten other languages. In doubt a query is English, and stays as it is; so do words in quotation
 * marks. Texts are searched for the words as they were written, and for the English ones.
 * @param text a parsed query
 * @param query the same as it was written, which tells what is quoted
 * @param isForeign whether a word is one of another language and none of English; null: the encoder may know it, so that words which the lexicon lacks stay
 */
export function translateQuery(
  lexicon: Lexicon,
  text: TextQuery,
  query: string,
  isForeign: ((word: string) => boolean) | null,
): TranslatedQuery {
  const { open, quoted } = withoutQuoted(text.visualText, query);
  const found = findLanguage(lexicon, open);
  if (!found) return isForeign ? markForeign(lexicon, text, open, isForeign) : { text, translated: [], unknown: [] };
  const { kept, excluded } = takeExcluded(found.pieces);
  const lacking = kept.filter((piece) => piece.kind === 'unknown' && isForeign && !isUnderstood(lexicon, piece.text));
  const words = kept.filter((piece) => !lacking.includes(piece)).map(toEnglish);
  const english = orderEnglish(found.language, words);
  // Words that are the same in English, such as “kimono”.
  if (english.toLowerCase() === open.trim().toLowerCase()) return { text, translated: [], unknown: [] };
  const visualText = [english, ...quoted];
  const exclusions = [...text.excluded, ...excluded].map((phrase) => ({
    phrase,
    english: translatePhrase(lexicon, phrase, found),
  }));
  const { foreign, ...terms } = translateTerms(text, open, { ...found, pieces: kept });
  return {
    text: {
      ...text,
      ...terms,
      visualText: visualText.filter(Boolean).join(' '),
      excluded: exclusions.flatMap(({ phrase, english }) => [phrase, ...english]),
      foreign: {
        ...foreign,
        unseen: exclusions.filter(({ english }) => english.length > 0).map(({ phrase }) => phrase),
      },
    },
    translated: unique(kept.flatMap(toTranslated)),
    unknown: [...new Set(lacking.map((piece) => piece.text))],
  };
}

/** The words of a query outside of quotation marks, in their places, and the quoted ones. */
function withoutQuoted(visualText: string, query: string): { open: string; quoted: string[] } {
  const quoted = Array.from(query.normalize('NFC').matchAll(/(?<!-)"([^"]+)"/g), ([, phrase = '']) =>
    phrase.replaceAll(/\s+/g, ' ').trim(),
  ).filter((phrase) => visualText.includes(phrase));
  const open = quoted.reduce((rest, phrase) => rest.replace(phrase, ' '.repeat(phrase.length)), visualText);
  return { open, quoted };
}

/**
 * In a query that stays as it is: words of languages that nothing is known of. Beside English words they are names, which the encoder may know, unless their script is
 * another one.
 */
function markForeign(
  lexicon: Lexicon,
  text: TextQuery,
  open: string,
  isForeign: (word: string) => boolean,
): TranslatedQuery {
  const words = Array.from(findWords(open), ({ token, start, end }) => ({
    token,
    start,
    end,
    word: open.slice(start, end),
  }));
  const isEnglish = words.some(({ token }) => findEnglish(lexicon, token) !== null);
  const unknown = words
    .filter(({ token }) => findEnglish(lexicon, token) === null)
    .filter(
      ({ token, word }) =>
        /(?!\p{Script=Latin})\p{L}/u.test(word) ||
        (!isEnglish && /\p{L}/u.test(word) && (isForeign(token) || /[^\p{ASCII}]/u.test(word))),
    );
  const visualText = unknown.reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`,
    text.visualText,
  );
  return {
    text: unknown.length === 0 ? text : { ...text, visualText: visualText.replaceAll(/\s+/g, ' ').trim() },
    translated: [],
    unknown: [...new Set(joinUnspaced(unknown).map(({ word }) => word))],
  };
}

/** Chinese characters or katakana that follow each other, of which none is known, are one word. */
function joinUnspaced(
  words: { word: string; start: number; end: number }[],
): { word: string; start: number; end: number }[] {
  const joined: { word: string; start: number; end: number }[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const isPart =
      last?.end === word.start && /^(?:\p{Script=Han}+|[\p{Script=Katakana}ー]+)$/u.test(last.word + word.word);
    if (isPart) joined.splice(-1, 1, { word: last.word + word.word, start: last.start, end: word.end });
    else joined.push(word);
  }
  return joined;
}

/** Whether a word means the same in English: a number, or a word of English. */
const isUnderstood = (lexicon: Lexicon, word: string): boolean =>
  /^[\p{N}\s]+$/u.test(word) || findEnglish(lexicon, word) !== null;

/** A word that the lexicon lacks stays as it is. */
function toEnglish(piece: Piece): OrderedWord {
  if (piece.kind === 'function') return { text: piece.english, wordClass: piece.english === '' ? null : 'preposition' };
  const [first] = piece.kind === 'meaning' ? piece.meaning.meanings : [];
  return first ?? { text: piece.text, wordClass: null };
}

const toTranslated = (piece: Piece): Translated[] => {
  const [first] = piece.kind === 'meaning' ? piece.meaning.meanings : [];
  if (!first || first.text.toLowerCase() === piece.text.toLowerCase()) return [];
  return [{ from: piece.text, to: first.wordClass === 'verb' ? toGerund(first.text) : first.text }];
};

const unique = (translated: Translated[]): Translated[] =>
  translated.filter(({ from }, i) => translated.findIndex((other) => other.from === from) === i);

/** Takes what is left out by “ohne …” out of a query. */
function takeExcluded(pieces: Piece[]): { kept: Piece[]; excluded: string[] } {
  const at = pieces.findIndex((piece) => piece.kind === 'function' && piece.english === exclusion);
  if (at < 0) return { kept: pieces, excluded: [] };
  let end = at + 1;
  for (let words = 0; end < pieces.length && words < maxExcludedWords; end++) {
    const piece = pieces[end] as Piece;
    if (piece.kind === 'function' && piece.english !== '') break;
    if (piece.kind !== 'function') words++;
  }
  const content = pieces.slice(at + 1, end).filter(({ kind }) => kind !== 'function');
  return {
    kept: [...pieces.slice(0, at), ...pieces.slice(end)],
    excluded: content.length === 0 ? [] : [content.map(({ text }) => text).join(' ')],
  };
}

/** What else an excluded phrase of the query's language is in English. */
function translatePhrase(lexicon: Lexicon, phrase: string, { language }: FoundLanguage): string[] {
  const english = orderEnglish(language, cutWords(lexicon, language, phrase).map(toEnglish));
  return english === '' || english.toLowerCase() === phrase.toLowerCase() ? [] : [english];
}

/** The terms of a query without the function words of its language, and what texts may say in their place. */
function translateTerms(
  { terms, phrases, prefix, kept }: TextQuery,
  open: string,
  { language, pieces }: FoundLanguage,
): Pick<TextQuery, 'terms' | 'prefix' | 'kept'> & { foreign: Omit<ForeignTerms, 'unseen'> } {
  const pieceOf = new Map<string, Piece | undefined>();
  for (const { start, end } of findWords(open)) {
    const word = open.slice(start, end).toLowerCase();
    pieceOf.set(word, pieceOf.get(word) ?? pieces.find((piece) => piece.start < end && piece.end > start));
  }
  const read = terms.map((term) => ({
    term,
    isPhrase: phrases.includes(term),
    piece: pieceOf.get(term.toLowerCase()),
  }));
  const content = read.filter(({ isPhrase, piece }) => isPhrase || (piece && piece.kind !== 'function'));
  const chosen = content.length > 0 ? content : read;
  const others = Object.fromEntries(
    chosen.flatMap(({ term, isPhrase, piece }) =>
      isPhrase || piece?.kind !== 'meaning'
        ? []
        : [[term, piece.meaning.meanings.slice(0, maxOthers).map(({ text }) => text)] as const],
    ),
  );
  return {
    terms: chosen.map(({ term }) => term),
    prefix: chosen.at(-1)?.term === prefix ? prefix : null,
    kept: [...new Set([...kept, ...Object.keys(others)])],
    foreign: { language, others },
  };
}
