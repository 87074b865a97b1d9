import { fold, stemOf } from '@media-search/search-engine/text/analyse-text';
import type { Language } from '@media-search/search-engine/text/stems';
import { cutWords, type Piece } from './cut-words.ts';
import type { Lexicon } from './lexicon.ts';
import { findPlace, toKey } from './look-up.ts';

/** What a word speaks for a language, by how it was found in it. */
const certainties = { word: 1, form: 0.7, compound: 0.6 };
/** A function word tells more than others: they are few and frequent. */
const functionScore = 1.5;
/** A word that is not among the 10,000 most frequent ones of a language tells less. */
const rareShare = 0.7;
/** A word that a language lacks speaks against it. */
const lacking = -1;
/** A name that the encoder knows may be a word of another language as well. */
const nameScore = 0.4;
/** How much more has to speak for another language than for English: in doubt a query is English. */
const lead = 0.65;

const englishFunctionWords = new Set(
  (
    'a an the and or of in on at to for with without from by under over into near behind is are was were be been i you he she it we they my your his her its our ' +
    'their this that these those who which what where when while not no some any all somebody someone something as than then there'
  ).split(' '),
);

/** German alone begins nouns with a capital letter: a word behind another one that does speaks for it, though not against English, where names do. */
const capitalScore = 0.4;
const capitalised = /\p{Ll}\S*\s(?:.*\s)?\p{Lu}\p{Ll}/u;

/** The language of a query, and its words in it. */
export type FoundLanguage = { language: Language; pieces: Piece[] };

/**
 * The language that a query is most likely in; null where that is English, in doubt as well, or none of which the lexicon knows.
 * @param query without what is quoted
 */
export function findLanguage(lexicon: Lexicon, query: string): FoundLanguage | null {
  const found = candidatesFor(query)
    .map((language) => ({ language, pieces: cutWords(lexicon, language, query) }))
    .map((each) => ({ ...each, score: scoreOf(each.pieces) }))
    .reduce((a, b) => (b.score + bonusOf(b.language, query) > a.score + bonusOf(a.language, query) ? b : a));
  const isMeant = found.pieces.some(({ kind }) => kind === 'meaning');
  return isMeant && found.score > 0 && found.score >= scoreAsEnglish(lexicon, query) + lead ? found : null;
}

const bonusOf = (language: Language, query: string): number =>
  language === 'de' && capitalised.test(query) ? capitalScore : 0;

/** The languages in whose script a query is written. */
function candidatesFor(query: string): Language[] {
  if (/\p{Script=Devanagari}/u.test(query)) return ['hi'];
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(query)) return ['ja'];
  if (/\p{Script=Han}/u.test(query)) return ['zh', 'ja'];
  return ['de', 'es', 'fr', 'it', 'pt', 'nl', 'pl'];
}

/** What speaks for a language: each letter of an unspaced script counts as a third of a word. */
function scoreOf(pieces: Piece[]): number {
  const words = pieces.map((piece) => {
    const weight = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(piece.text)
      ? piece.text.length / 3
      : 1;
    if (piece.kind === 'unknown') return lacking * weight;
    if (piece.kind === 'function') return functionScore * weight;
    const { certainty, frequency } = piece.meaning;
    const words = piece.text.split(' ').length;
    // A fixed expression tells as much as a function word for each of its words.
    const known = words > 1 ? functionScore * words : frequency === 0 ? rareShare : 1;
    return (certainties[certainty] * known + frequency / 50) * weight;
  });
  return words.reduce((sum, score) => sum + score, 0);
}

function scoreAsEnglish(lexicon: Lexicon, query: string): number {
  const words = toKey(query).match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.reduce((sum, word, i) => {
    const isPlace = [words.slice(i, i + 2), words.slice(Math.max(0, i - 1), i + 1)].some(
      (pair) => pair.length === 2 && findPlace(lexicon, pair),
    );
    if (englishFunctionWords.has(word) || isPlace) return sum + functionScore;
    const found = findEnglish(lexicon, word);
    // English has few words with diacritics: such a word speaks neither for it nor against it.
    if (found !== null && word !== fold(word)) return sum;
    return sum + (found === null ? lacking : found === 0 ? nameScore : 1 + found / 50);
  }, 0);
}

/** How frequent an English word is, 0..15 (0: a name); null where the lexicon lacks it and all of its forms. */
export function findEnglish(lexicon: Lexicon, word: string): number | null {
  const folded = fold(word);
  return (lexicon.find('en', folded) ?? lexicon.find('en.stems', stemOf(folded)))?.frequency ?? null;
}
