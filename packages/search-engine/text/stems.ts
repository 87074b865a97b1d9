import { stemmer as stemDutch } from '@orama/stemmers/dutch';
import { stemmer as stemFrench } from '@orama/stemmers/french';
import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemItalian } from '@orama/stemmers/italian';
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';

/** The languages besides English in which queries and texts are understood (ISO 639-1). */
export const languages = ['de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'hi'] as const;
export type Language = (typeof languages)[number];

/** Endings of Polish nouns, adjectives and participles as they are compared, without diacritics; the longest that fits goes. */
const polishEndings =
  /(?:iejszy|iejsza|iejsze|iach|iami|iemu|iego|iom|iow|owie|owi|ami|ach|ego|emu|ymi|imi|ych|ich|iem|iej|ow|om|em|ej|ym|im|ia|ie|iu|ii|a|e|i|o|u|y)$/;
/** Consonants that are soft before some endings, as they are before others: w wodzie and woda, na rowerze and rower. */
const polishSoft: [RegExp, string][] = [
  [/dz$/, 'd'],
  [/(?<=.)rz$/, 'r'],
  [/c$/, 't'],
  [/sz$/, 's'],
  [/cz$/, 'k'],
];

/** Polish has no Snowball stemmer: endings go, soft consonants become hard, and a vowel that comes and goes before a last k is left out. */
function stemPolish(token: string): string {
  const base = token.replace(polishEndings, (ending, at: number) =>
    at >= 3 ? '' : at === 2 && ending.length === 1 ? '' : ending,
  );
  const hard = polishSoft.reduce((word, [soft, letter]) => (word.length > 3 ? word.replace(soft, letter) : word), base);
  return hard.replace(/(?<=..[^aeiouy])e(?=[kc]$)/, '');
}

/** Endings of Hindi nouns, adjectives and verbs (Ramanathan & Rao 2003, the lightest part). */
const hindiEndings = /(?:ियों|ियाँ|ियां|ाओं|ुओं|ाएँ|ाएं|ेंगे|ूंगा|(?<!्)(?:ते|ता|ती|ना|ने)|कर|ों|ें|ी|े|ा|ो|ि|ु|ं|ँ)$/u;
const stemHindi = (token: string): string => {
  const stem = token.replace(hindiEndings, '');
  return stem.length >= 2 ? stem : token;
};

const stemmers: Partial<Record<Language, (token: string) => string>> = {
  de: stemGerman,
  es: stemSpanish,
  fr: stemFrench,
  it: stemItalian,
  pt: stemPortuguese,
  nl: stemDutch,
  pl: stemPolish,
  hi: stemHindi,
};

/**
 * What all forms of a word of a language have in common: Snowball (Porter 2001) for six languages, light ones for Polish and Hindi. Japanese and Chinese words have
 * none. Beside `stemOf`, which knows English: it is for words of queries and texts whose language is known.
 * @param token a word as it is compared (`fold`)
 */
export const stemIn = (language: Language, token: string): string => stemmers[language]?.(token) ?? token;
