import { fold } from '@media-search/search-engine/text/analyse-text';
import type { Language } from '@media-search/search-engine/text/stems';
import { cutWords, type Piece } from './cut-words.ts';
import { functionWord, isSign } from './function-words.ts';
import type { Lexicon } from './lexicon.ts';
import { findEnglish, findMeaning, findPlace, toKey } from './look-up.ts';

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

/** Where two languages have the same meaning for a word that is common in both, and English hardly uses it, it is theirs: Strand. */
const shared = { languages: 2, frequency: 5, english: 2 };

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
  const english = readAsEnglish(lexicon, query);
  const candidates = candidatesFor(query).filter((language) => !isSurelyEnglish(english, language));
  if (candidates.length === 0) return null;
  const found = candidates
    .map((language) => ({ language, pieces: cutWords(lexicon, language, query) }))
    .map((each) => ({ ...each, score: scoreOf(each.pieces) }))
    .reduce((a, b) => (b.score + bonusOf(b.language, query) > a.score + bonusOf(a.language, query) ? b : a));
  const isMeant = found.pieces.some(({ kind }) => kind === 'meaning');
  if (!isMeant) return null;
  // English is no doubt where none of its letters is.
  if (!/\p{Script=Latin}/u.test(query)) return found;
  return found.score > 0 && found.score >= scoreAsEnglish(lexicon, english, found) + lead ? found : null;
}

/** A word of a query as English has it. `frequency`: as `findEnglish` tells it; `isShort`: in capitals beside words in small letters, so an abbreviation: LA, UN. */
type EnglishWord = { word: string; frequency: number | null; isFunction: boolean; isPlace: boolean; isShort: boolean };

function readAsEnglish(lexicon: Lexicon, query: string): EnglishWord[] {
  const written = query.match(/[\p{L}\p{M}]+/gu) ?? [];
  const words = written.map(toKey);
  const areCapital = written.every((word) => word === word.toUpperCase());
  return words.map((word, i) => ({
    word,
    frequency: findEnglish(lexicon, word),
    isFunction: englishFunctionWords.has(word),
    isPlace: [words.slice(i, i + 2), words.slice(Math.max(0, i - 1), i + 1)].some(
      (pair) => pair.length === 2 && findPlace(lexicon, pair),
    ),
    isShort: !areCapital && word.length > 1 && written[i] === word.toUpperCase(),
  }));
}

/** Whether a query holds a function word that English alone has, every other word is English as well, and none is one that English has not. */
const isSurelyEnglish = (words: EnglishWord[], language: Language): boolean =>
  words.some(({ word, isFunction }) => isFunction && functionWord(language, word) === undefined) &&
  words.every(
    ({ word, frequency, isFunction, isPlace }) =>
      isFunction || isPlace || (frequency !== null && functionWord(language, word) === undefined),
  );

const bonusOf = (language: Language, query: string): number =>
  language === 'de' && capitalised.test(query) ? capitalScore : 0;

const latin: Language[] = ['de', 'es', 'fr', 'it', 'pt', 'nl', 'pl'];

/** The languages in whose script a query is written. */
function candidatesFor(query: string): Language[] {
  if (/\p{Script=Devanagari}/u.test(query)) return ['hi'];
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(query)) return ['ja'];
  if (/\p{Script=Han}/u.test(query)) return ['zh', 'ja'];
  return latin;
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

/** What speaks for English, where another language has been found to be the likeliest. */
function scoreAsEnglish(lexicon: Lexicon, words: EnglishWord[], found: FoundLanguage): number {
  const signs = decidingSigns(words, found);
  const isShared = words.length === 1 && isSharedWord(lexicon, words[0]);
  return words.reduce((sum, { word, frequency, isFunction, isPlace }) => {
    if (isFunction || isPlace) return sum + functionScore;
    if (signs.has(word)) return sum + lacking;
    // English has few words with diacritics: such a word speaks neither for it nor against it.
    if (frequency !== null && word !== fold(word)) return sum;
    if (frequency === null) return sum + lacking;
    return sum + (frequency === 0 || isShared ? nameScore : 1 + frequency / 50);
  }, 0);
}

/**
 * The articles and the like, such as “un”, that decide for the language that was found: it knows each word that English knows, and one of them as something else. Beside
 * several English words they may be names (“la fashion week”), as they are where they are said twice (“la la land”).
 */
function decidingSigns(words: EnglishWord[], { language, pieces }: FoundLanguage): Set<string> {
  const signs = words.filter(({ word, isShort }) => !isShort && isSign(language, word)).map(({ word }) => word);
  const english = words.filter(({ word, frequency }) => frequency !== null && !signs.includes(word));
  const isKnown = (piece: Piece) => piece.kind !== 'unknown' || english.every(({ word }) => word !== toKey(piece.text));
  const meansElse = (piece: Piece) =>
    piece.kind === 'meaning' && piece.meaning.frequency > 0 && piece.meaning.meanings[0]?.text !== toKey(piece.text);
  const distinct = new Set(signs);
  const doDecide =
    distinct.size === signs.length && english.length <= 1 && pieces.every(isKnown) && pieces.some(meansElse);
  return doDecide ? distinct : new Set();
}

/** Whether several languages have the same meaning for a word that is common in them, and rare in English. */
function isSharedWord(lexicon: Lexicon, english: EnglishWord | undefined): boolean {
  if (!english || (english.frequency ?? 0) > shared.english) return false;
  const meanings = latin.flatMap((language) => {
    const meaning = findMeaning(lexicon, language, english.word);
    const isCommon = meaning?.certainty === 'word' && meaning.frequency >= shared.frequency;
    return isCommon ? [meaning.meanings[0]?.text] : [];
  });
  return meanings.some((text) => meanings.filter((other) => other === text).length >= shared.languages);
}
