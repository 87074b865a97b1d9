import type { Language } from '@media-search/search-engine/text/stems';

type Endings = Partial<Record<Language, [ending: string, bases: string[]][]>>;

/** Endings of plurals and cases, and those of the words of a dictionary; the longest first, and of each the likeliest. */
const plurals: Endings = {
  de: [
    ['innen', ['in']],
    ['en', ['', 'e']],
    ['er', ['']],
    ['n', ['']],
    ['e', ['']],
    ['s', ['']],
  ],
  es: [
    ['ces', ['z']],
    ['es', ['', 'e']],
    ['s', ['']],
  ],
  fr: [
    ['aux', ['al', 'au']],
    ['s', ['']],
    ['x', ['']],
  ],
  it: [
    ['chi', ['co']],
    ['ghi', ['go']],
    ['che', ['ca']],
    ['ghe', ['ga']],
    ['ci', ['co', 'cio', 'ce', 'cia']],
    ['isti', ['ista']],
    ['i', ['o', 'e', 'io']],
    ['e', ['a']],
  ],
  pt: [
    ['ões', ['ão']],
    ['ães', ['ão']],
    ['ais', ['al']],
    ['éis', ['el']],
    ['eis', ['el']],
    ['óis', ['ol']],
    ['ns', ['m']],
    ['es', ['e', '']],
    ['is', ['il']],
    ['s', ['']],
  ],
  nl: [
    ['eren', ['']],
    ['en', ['', 'e']],
    ['s', ['']],
    ['n', ['']],
  ],
  pl: [
    ['ami', ['a', '', 'o']],
    ['ach', ['a', '', 'o']],
    ['ów', ['']],
    ['om', ['', 'a', 'o']],
    ['em', ['', 'o']],
    ['ie', ['ia', '', 'a']],
    ['ą', ['a']],
    ['ę', ['a']],
    ['y', ['a', '']],
    ['i', ['a', '']],
    ['a', ['o']],
    ['e', ['a', '']],
    ['u', ['', 'o']],
  ],
  hi: [
    ['ियाँ', ['ी']],
    ['ियों', ['ी']],
    ['ाओं', ['ा']],
    ['ाएँ', ['ा']],
    ['ों', ['', 'ा']],
    ['ें', ['']],
    ['े', ['ा']],
  ],
};

/** Endings of inflected adjectives, and of words for women: many other words end like these. */
const others: Endings = {
  de: [
    ['es', ['']],
    ['em', ['']],
  ],
  es: [
    ['as', ['o']],
    ['a', ['o']],
  ],
  fr: [
    ['es', ['']],
    ['e', ['']],
  ],
  it: [
    ['che', ['co']],
    ['ghe', ['go']],
    ['e', ['o']],
    ['a', ['o']],
  ],
  pt: [
    ['as', ['o']],
    ['a', ['o']],
  ],
  nl: [['e', ['']]],
  pl: [
    ['ego', ['y', 'i']],
    ['ych', ['y']],
    ['ym', ['y']],
    ['ej', ['y']],
    ['a', ['y', 'i']],
    ['e', ['y']],
  ],
};

/** Shorter words and shorter lemmas are too many others by chance. */
const least = { word: 4, lemma: 3 };
const plain: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u' };

/**
 * The words that a word may be an inflected form of, by the rules of its language, the likeliest first. Narrower than a stem, which words of other meanings share:
 * “porti” are harbours and no doors.
 * @param word in lower case
 */
export const lemmasOf = (language: Language, word: string): string[] => [
  ...new Set([...singularsOf(language, word), ...reduce(language, word, others)]),
];

/**
 * Those that it may be the plural or another case of.
 * @public for lab/languages, which is no part of the product
 */
export const singularsOf = (language: Language, word: string): string[] => reduce(language, word, plurals);

function reduce(language: Language, word: string, endings: Endings): string[] {
  if (language !== 'hi' && word.length < least.word) return [];
  const bases = (endings[language] ?? []).flatMap(([ending, replacements]) =>
    word.endsWith(ending) ? replacements.flatMap((base) => respell(language, word.slice(0, -ending.length), base)) : [],
  );
  const umlauts = /e[lnr]$/.test(word) ? [...bases, word] : bases;
  const lemmas = language === 'de' ? umlauts.flatMap((base) => [base, withoutUmlaut(base)]) : bases;
  return [...new Set(lemmas)].filter(
    (lemma) => lemma !== word && lemma.length >= (language === 'hi' ? 1 : least.lemma),
  );
}

/** Dutch writes a syllable in another way where it becomes closed: katten, kat; boten, boot; brieven, brief. */
function respell(language: Language, beginning: string, base: string): string[] {
  if (language !== 'nl' || base !== '') return [beginning + base];
  const closed = beginning.replace(/v$/, 'f').replace(/z$/, 's');
  return [
    closed.replace(/([bdfgklmnprst])\1$/, '$1'),
    closed.replace(/(?<![aeiou])([aeou])(?=[bdfgklmnprst]$)/, '$1$1'),
    closed,
  ];
}

/** The last umlaut goes: Häuser, Haus; Vögel, Vogel. */
const withoutUmlaut = (word: string): string => word.replace(/[äöü](?=[^äöü]*$)/, (letter) => plain[letter] ?? letter);
