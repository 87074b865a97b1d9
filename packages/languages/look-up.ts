import { fold } from '@media-search/search-engine/text/analyse-text';
import { type Language, stemIn } from '@media-search/search-engine/text/stems';
import { deinflect } from './deinflect.ts';
import type { English, Entry, Lexicon } from './lexicon.ts';

/** How a word was found, the surest first. */
type Certainty = 'word' | 'form' | 'compound';

/** What a word or a fixed expression of a language means. */
export type Meaning = { meanings: English[]; frequency: number; certainty: Certainty };

/** Words of a fixed expression at most. */
const maxExpression = 4;
/** Parts of a compound have at least so many letters. */
const leastPart = 3;
/** Letters between the parts of German and Dutch compounds. */
const links = ['', 's', 'n', 'en', 'es', 'er', 'e', 'ens'];
const compounding: ReadonlySet<Language> = new Set(['de', 'nl']);
/** A stem with fewer letters is common to words that have nothing in common; a letter of Hindi is a syllable. */
const leastStem = (language: Language): number => (language === 'hi' ? 2 : 3);

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
  for (let count = Math.min(maxExpression, words.length - at); count > 1; count--) {
    const some = words.slice(at, at + count);
    const exact = find(lexicon, language, some.join(' '));
    if (exact) return { count, meaning: { ...exact, certainty: 'word' } };
    const place = findPlace(lexicon, some);
    if (place) return { count, meaning: place };
    const stems = lexicon.find(`${language}.stems`, some.map((word) => stemIn(language, fold(word))).join(' '));
    if (stems) return { count, meaning: { ...stems, certainty: 'form' } };
  }
  return null;
}

/** A name of a place of several words, which means itself: Las Vegas is no meadow. Null where these words are none. */
export function findPlace(lexicon: Lexicon, words: string[]): Meaning | null {
  const name = words.join(' ');
  const place = lexicon.find('en', fold(name));
  return place && { meanings: [{ text: name, wordClass: 'noun' }], frequency: place.frequency, certainty: 'word' };
}

/**
 * What a word means: as it is written, by its stem, or by the parts of which it is put together. Null where the lexicon lacks it.
 * @param word in lower case
 */
export function findMeaning(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  const isWord = word.length <= maxWord && (alphabets[language]?.test(word) ?? true);
  const exact = isWord ? find(lexicon, language, word) : lexicon.find(language, word);
  if (exact) return { ...exact, certainty: 'word' };
  return isWord ? findInflected(lexicon, language, word) : null;
}

const findInflected = (lexicon: Lexicon, language: Language, word: string): Meaning | null =>
  findForm(lexicon, language, word) ?? findCompound(lexicon, language, word);

const find = (lexicon: Lexicon, language: Language, word: string): Entry | null =>
  lexicon.find(language, word) ?? lexicon.find(language, fold(word));

function findForm(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  for (const base of deinflect(language, word)) {
    const found = find(lexicon, language, base);
    if (found) return { ...found, certainty: 'form' };
  }
  const stem = stemIn(language, fold(word));
  const found =
    stem.length < leastStem(language)
      ? null
      : (lexicon.find(`${language}.stems`, stem) ?? (stem === fold(word) ? null : find(lexicon, language, stem)));
  return found && { ...found, certainty: 'form' };
}

/** The parts of a German or Dutch compound, the first as long as possible; its meaning is that of both after each other. */
function findCompound(lexicon: Lexicon, language: Language, word: string): Meaning | null {
  if (!compounding.has(language)) return null;
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

/** The first part of a compound, with or without a link behind it; it may be one itself. */
function findFirst(lexicon: Lexicon, language: Language, part: string): Entry | null {
  for (const link of links) {
    const stem = part.slice(0, part.length - link.length);
    if (!part.endsWith(link) || stem.length < leastPart) continue;
    const found = findPart(lexicon, language, stem);
    if (found) return found;
  }
  // The stem of a verb: Schwimmbad, Laufschuh.
  const verb = part.length > leastPart ? find(lexicon, language, `${part}en`) : null;
  if (verb) return verb;
  return part.length >= 3 * leastPart ? findCompound(lexicon, language, part) : null;
}

const findPart = (lexicon: Lexicon, language: Language, part: string): Entry | null =>
  find(lexicon, language, part) ?? (part.length > leastPart + 1 ? findForm(lexicon, language, part) : null);
