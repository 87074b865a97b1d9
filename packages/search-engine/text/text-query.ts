import { findWords } from './analyse-text.ts';
import type { Language } from './stems.ts';

/** Stop words: they are in most sentences and say nothing about an image. */
const stopWords = new Set(
  (
    'a an and are as at be by for from has he her his how i in into is it its me my no not of on or our she show that the ' +
    'their them there they this to was we were what when where which who with without you your'
  ).split(' '),
);

/** More terms than this are ignored: a search marks the terms of a text as the bits of a number. */
export const maxTerms = 32;

/** Quoted phrases beyond these are searched for as words: each is looked for in thousands of texts. */
export const maxPhrases = 4;

/** Exclusions beyond these are ignored: each is looked up for all candidates. */
export const maxExcluded = 16;

/** A word with a typing error, as the user wrote it, and the one that is searched for instead. */
export type Correction = { from: string; to: string };

/** What else is known of a query in another language than English. */
export type ForeignTerms = {
  language: Language;
  /** For some of the terms, what texts may say in English in their place. */
  others: Record<string, string[]>;
  /** Exclusions that images are not compared with: the English words of the same meaning are among the exclusions too. */
  unseen: string[];
};

/** A parsed query. */
export type TextQuery = {
  /** The query for images: without quotation marks and exclusions. */
  visualText: string;
  /** The words and quoted phrases to find in texts, as the user wrote them, each once; stop words only if there are no others. */
  terms: string[];
  /** The last word, which may still be incomplete; null when it has fewer than three letters. */
  prefix: string | null;
  /** The quoted phrases among the terms, each of which a hit must hold; none where no text is searched. */
  phrases: string[];
  /** Those of the terms that are no typing errors, whatever texts hold. */
  kept: string[];
  /** What is searched for in place of terms with a typing error, as far as it is decided; texts decide the rest. */
  corrections: Correction[];
  /** Whether no dictionary knows any of the terms, as in “asdkjh qwlkej”, nor any text where they were asked: a search counts what it holds of them. */
  isStrange: boolean;
  /** Words and quoted phrases after a hyphen: hits must not show or contain them. */
  excluded: string[];
  /** Of a query in another language than English. */
  foreign?: ForeignTerms;
  /** Whether there were more terms, phrases or exclusions than a search takes; the last ones are left out, or words. */
  isCut: boolean;
};

/**
 * Parses a query: `"quoted phrases"` stay together, `-word` and `-"a phrase"` exclude. No input is an error: an
 * unbalanced quotation mark and a hyphen within a word are text.
 * @param about.hasTexts whether texts are searched, so that phrases can be found
 * @param about.asWritten whether “without” and “not a” are words like others, and no word has a typing error
 */
export function parseTextQuery(query: string, { hasTexts = true, asWritten = false } = {}): TextQuery {
  const excluded: string[] = [];
  const phrases: string[] = [];
  let isCut = false;
  let rest = query
    .normalize('NFC')
    .replaceAll(/(^|\s)-(?:"([^"]+)"|([\p{L}\p{N}][^\s"]*))/gu, (_, space, phrase, word) => {
      excluded.push(String(phrase ?? word).trim());
      return String(space);
    });
  if (!asWritten) rest = takeWithout(rest, excluded);
  const visualText = rest.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim();
  rest = rest.replaceAll(/"([^"]+)"/g, (_, phrase) => {
    const count = wordsOf(String(phrase)).length;
    if (phrases.length === maxPhrases && count > 0) {
      isCut = true;
      return ` ${String(phrase)} `;
    }
    if (count > 0) phrases.push(String(phrase).trim());
    return ' ';
  });
  const words = wordsOf(rest);
  const significant = words.filter((word) => !stopWords.has(word.toLowerCase()));
  const chosen = significant.length > 0 || phrases.length > 0 ? significant : words;
  const all = unique([...phrases, ...chosen]);
  const terms = all.slice(0, maxTerms);
  const last = /[\p{L}\p{M}\p{N}]$/u.test(rest) ? terms.at(-1) : undefined;
  return {
    visualText,
    terms,
    prefix: last && last.length >= 3 && !phrases.includes(last) ? last : null,
    phrases: hasTexts ? phrases : [],
    kept: asWritten ? terms : phrases,
    corrections: [],
    isStrange: false,
    excluded: excluded.slice(0, maxExcluded),
    isCut: isCut || all.length > maxTerms || excluded.length > maxExcluded,
  };
}

/**
 * What is left out by “without”, “with no” and “not a” anywhere, and by “but no”, “, not” and their like behind something else: up to three words, up to a preposition or
 * a sign; two such by “and” or “or”. “No” alone says it of people, and at the beginning of one word that is no activity or sign: “no smoking” is something that can be seen.
 */
const withoutPattern = new RegExp(
  String.raw`"[^"]*"|(?:BEHIND|AFTER_SIGN|NOT|NO_PEOPLE|^\s*NO)\s+(?<first>OBJECT)(?:\s+(?:and|or)\s+(?<second>OBJECT))?(?=\s+(?:PREPOSITION)\b|\s*(?:[,.;!?"]|$))`
    .replace('BEHIND', String.raw`(?:(?<=\S\s+|^\s*)(?:without|with\s+no)|(?<=\S\s+)(?:and|but)\s+(?:no|not))`)
    .replace('AFTER_SIGN', String.raw`(?<=\S\s*[,;]\s*)(?:no|not)`)
    .replace('NOT', String.raw`(?:(?:that|which|who)\s+(?:is|are)\s+)?\bnot(?=\s+(?:an?|any)\s)`)
    .replace('NO_PEOPLE', String.raw`(?<=\S\s+)no(?=\s+(?:people|persons?|humans?|faces?)\b)`)
    .replace('NO', String.raw`no(?=\s+(?!\p{L}*ing\b|entry\b|exit\b)[\p{L}\p{M}]+\s*$)`)
    .replaceAll('OBJECT', String.raw`(?:(?!(?:PREPOSITION|and|or)\b)[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*\s*){1,4}(?<!\s)`)
    .replaceAll(
      'PREPOSITION',
      'with|in|on|at|by|of|from|near|under|over|behind|before|beside|through|during|but|while|that|which|who',
    ),
  'giu',
);

/** Takes what a query excludes in such words out of it, where they are not in quotation marks. */
const takeWithout = (query: string, excluded: string[]): string =>
  query.replaceAll(withoutPattern, (match, ...found) => {
    if (match.startsWith('"')) return match;
    const { first, second } = found.at(-1) as { first: string; second?: string };
    for (const object of [first, second]) {
      const words = object?.replace(/^(?:any|an?|the|some)\s+/iu, '').trim();
      if (words) excluded.push(words);
    }
    return ' ';
  });

/** Whether a query looks for nothing, and only says what must not be there. */
export const onlyExcludes = ({ visualText, terms, excluded }: TextQuery): boolean =>
  visualText === '' && terms.length === 0 && excluded.length > 0;

/** The query without quotation marks around what it looks for: the words of a phrase may then be anywhere. */
export const withoutQuotes = (query: string): string =>
  query
    .replaceAll(/(^|\s)(-"[^"]+")|"/gu, (_, space = '', excluded = '') => `${space}${excluded}` || ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const wordsOf = (text: string): string[] => Array.from(findWords(text), ({ start, end }) => text.slice(start, end));

const unique = (terms: string[]): string[] => {
  const lower = terms.map((term) => term.toLowerCase());
  const first = new Map(lower.map((term, i) => [term, i] as const).toReversed());
  return terms.filter((_, i) => first.get(lower[i] ?? '') === i);
};
