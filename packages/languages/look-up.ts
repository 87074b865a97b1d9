import { fold, stemOf } from '@media-search/search-engine/text/analyse-text';
import { type Language, stemIn } from '@media-search/search-engine/text/stems';
import { deinflect } from './deinflect.ts';
import { lemmasOf } from './lemmas.ts';
import type { English, Entry, Lexicon } from './lexicon.ts';
import { remember } from './remember.ts';

/** How a word was found, the surest first. */
type Certainty = 'word' | 'form' | 'compound';

/** What a word or a fixed expression of a language means. */
export type Meaning = { meanings: English[]; frequency: number; certainty: Certainty };

/** Words of a fixed expression at most. */
const maxExpression = 4;
/** Lemmas of each further word of an expression that are tried. */
const maxForms = 3;
/** Parts of a compound have at least so many letters. */
const leastPart = 3;
/** Letters between the parts of German and Dutch compounds. */
const links = ['', 's', 'n', 'en', 'es', 'er', 'e', 'ens'];
const compounding: ReadonlySet<Language> = new Set(['de', 'nl']);
/** A stem with fewer letters is common to words that have nothing in common; a letter of Hindi is a syllable. */
const leastStem = (language: Language): number => (language === 'hi' ? 2 : 3);

/** A Polish stem of fewer letters tells of frequent words only. */
const longStem = 5;

/** Longer ones are no words, and each of their letters would cost time. */
const maxWord = 48;
/** Letters with diacritics of a language and of words that it borrows: with others a word is one of another language. */
const alphabets: Partial<Record<Language, RegExp>> = {
  de: /^[a-zäöüßéèàâêç]+$/,
  es: /^[a-záéíóúüñç]+$/,
  fr: /^[a-zàâæçéèêëîïôœùûüÿñ]+$/,
  it: /^[a-zàèéìíîòóùú]+$/,
  pt: /^[a-záâãàçéêíóôõúü]+$/,
  nl: /^[a-záàâçéèêëíïóôöúüñ]+$/,
  pl: /^[a-ząćęłńóśźżé]+$/,
};

/** A word of a query as it is looked up. */
export const toKey = (word: string): string => word.normalize('NFC').toLowerCase();

/** The longest fixed expression of several words that begins at a place, and how many words it has; null where there is none. */
export function findExpression(
  lexicon: Lexicon,
  language: Language,
  words: string[],
  at: number,
): { count: number; meaning: Meaning } | null {
  const [first = ''] = words.slice(at, at + 1);
  const begun = findBegun(lexicon, language, first);
  const isPlaceBegun = beginsPlace(lexicon, 'en', first);
  if (!begun.isAny && !isPlaceBegun) return null;
  for (let count = Math.min(maxExpression, words.length - at); count > 1; count--) {
    const some = words.slice(at, at + count);
    const exact = begun.isAny ? find(lexicon, language, some.join(' ')) : null;
    if (exact) return { count, meaning: { ...exact, certainty: 'word' } };
    const place = isPlaceBegun ? findPlace(lexicon, some) : null;
    if (place) return { count, meaning: place };
    const form = begun.isAny ? findInflectedExpression(lexicon, language, some, begun.forms) : null;
    if (form) return { count, meaning: form };
  }
  return null;
}

/** The forms of a word that fixed expressions begin with, and whether there are any, by its stem as well. */
const findBegun = remember((lexicon, language: Language, word) => {
  const begins = (form: string) => lexicon.beginsExpression(language, form);
  const forms = [...new Set([word, fold(word), ...lemmasOf(language, word)])].filter(begins);
  const isAny = forms.length > 0 || lexicon.beginsExpression(`${language}.stems`, stemIn(language, fold(word)));
  return { forms, isAny };
});

const beginsPlace = remember((lexicon, table: 'en', word) => lexicon.beginsExpression(table, fold(word)));

/** An expression in its plural, each word of which may be inflected: by their lemmas, then by their stems. */
function findInflectedExpression(
  lexicon: Lexicon,
  language: Language,
  words: string[],
  beginnings: string[],
): Meaning | null {
  let expressions = beginnings;
  for (const word of words.slice(1)) {
    const forms = [word, ...lemmasOf(language, word).slice(0, maxForms)];
    expressions = expressions.flatMap((expression) => forms.map((form) => `${expression} ${form}`));
  }
  for (const expression of expressions) {
    const found = find(lexicon, language, expression);
    // So many words are none by chance.
    if (found) return { ...found, certainty: 'word' };
  }
  const stems = words.map((word) => stemIn(language, fold(word))).join(' ');
  const found = lexicon.find(`${language}.stems`, stems);
  return found && { ...found, certainty: 'form' };
}

/** A name of a place of several words, which means itself: Las Vegas is no meadow. Null where these words are none. */
export function findPlace(lexicon: Lexicon, words: string[]): Meaning | null {
  const name = words.join(' ');
  const place = lexicon.find('en', fold(name));
  return place && { meanings: [{ text: name, wordClass: 'noun' }], frequency: place.frequency, certainty: 'word' };
}

/**
 * What a word means: as it is written, by its lemma or stem, or by the parts of which it is put together. Null where the lexicon lacks it.
 * @param word in lower case
 */
export const findMeaning = remember((lexicon, language: Language, word): Meaning | null => {
  const isWord = word.length <= maxWord && (alphabets[language]?.test(word) ?? true);
  const written = lexicon.find(language, word);
  if (written) return { ...written, certainty: 'word' };
  if (!isWord) return null;
  // Diacritics that somebody wrote may tell a form from another word: Schlösser is a plural, Schlosser a locksmith.
  const form = word === fold(word) ? null : findLemma(lexicon, language, word);
  const folded = form ? null : lexicon.find(language, fold(word));
  // A rare word with diacritics that its language has not is one of another language: köpek is no kopek.
  if (folded && (folded.frequency > 0 || !hasMarks(word))) return { ...folded, certainty: 'word' };
  return form ?? findForm(lexicon, language, word) ?? findCompound(lexicon, language, word);
});

const hasMarks = (word: string): boolean => /\p{Script=Latin}\p{M}/u.test(word.normalize('NFD'));

const find = (lexicon: Lexicon, language: Language, word: string): Entry | null =>
  lexicon.find(language, word) ?? lexicon.find(language, fold(word));

/** The most frequent of the words that a word may be an inflected form of. */
function findLemma(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  const entries = lemmasOf(language, word).flatMap((lemma) => find(lexicon, language, lemma) ?? []);
  const best = entries.reduce<Entry | null>((a, b) => (a && a.frequency >= b.frequency ? a : b), null);
  return best && { ...best, certainty: 'form' };
}

function findForm(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  for (const base of deinflect(language, word)) {
    const found = find(lexicon, language, base);
    if (found) return { ...found, certainty: 'form' };
  }
  return findLemma(lexicon, language, word) ?? findByStem(lexicon, language, word);
}

function findByStem(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  const folded = fold(word);
  const stem = stemIn(language, folded);
  if (stem.length < leastStem(language)) return null;
  const found = lexicon.find(`${language}.stems`, stem) ?? (stem === folded ? null : find(lexicon, language, stem));
  // Many Polish words have a short stem in common by chance: rare ones are not taken for others.
  const isChance = (language === 'pl' && stem.length < longStem) || (stem === folded && hasMarks(word));
  return found && !(isChance && found.frequency === 0) ? { ...found, certainty: 'form' } : null;
}

/**
 * The parts of a German or Dutch compound, the first as long as possible; its meaning is that of both after each other. Each of them is a word that the lexicon
 * holds: what is cut into more pieces is guessed, and seldom what is meant.
 */
function findCompound(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  // An English word is no compound of theirs, and to cut it takes long.
  if (!compounding.has(language) || findEnglish(lexicon, word) !== null) return null;
  for (let at = word.length - leastPart; at >= leastPart; at--) {
    const last = findPart(lexicon, language, word.slice(at));
    if (!last) continue;
    const first = findFirst(lexicon, language, word.slice(0, at));
    const [a, b] = [first?.meanings[0], last.meanings[0]];
    if (!first || !a || !b) continue;
    const text = a.text === b.text ? a.text : `${a.text} ${b.text}`;
    return {
      meanings: [{ text, wordClass: b.wordClass }],
      frequency: Math.min(first.frequency, last.frequency),
      certainty: 'compound',
    };
  }
  return null;
}

/** The first part of a compound, with or without a link behind it. */
function findFirst(lexicon: Lexicon, language: Language, part: string): Entry | null {
  for (const link of links) {
    const stem = part.slice(0, part.length - link.length);
    if (!part.endsWith(link) || stem.length < leastPart) continue;
    const found = findPart(lexicon, language, stem);
    if (found) return found;
  }
  // The stem of a verb: Schwimmbad, Laufschuh.
  return part.length > leastPart ? find(lexicon, language, `${part}en`) : null;
}

function findPart(lexicon: Lexicon, language: Language, part: string): Entry | null {
  const found =
    find(lexicon, language, part) ?? (part.length > leastPart + 1 ? findForm(lexicon, language, part) : null);
  // Rare words that are so short stand at the end of many others by chance.
  return found && (part.length > leastPart || found.frequency > 0) ? found : null;
}

/** How frequent an English word is, 0..15 (0: a name); null where the lexicon lacks it and all of its forms. */
export const findEnglish = (lexicon: Lexicon, word: string): number | null => findFrequency(lexicon, 'en', word);

const findFrequency = remember((lexicon, table: 'en', word): number | null => {
  const folded = fold(word);
  return (lexicon.find(table, folded) ?? lexicon.find(`${table}.stems`, stemOf(folded)))?.frequency ?? null;
});
