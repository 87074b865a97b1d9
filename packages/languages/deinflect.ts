import type { Language } from '@media-search/search-engine/text/stems';

/** Endings of Japanese verbs and adjectives in running text, and those of their dictionary forms. */
const japanese: [ending: string, bases: string[]][] = [
  ['っている', ['る', 'う', 'つ', 'く']],
  ['っています', ['る', 'う', 'つ']],
  ['いている', ['く']],
  ['いています', ['く']],
  ['いでいる', ['ぐ']],
  ['している', ['す', 'する', '']],
  ['しています', ['す', 'する', '']],
  ['んでいる', ['む', 'ぶ', 'ぬ']],
  ['んでいます', ['む', 'ぶ', 'ぬ']],
  ['ている', ['る']],
  ['ています', ['る']],
  ['った', ['る', 'う', 'つ', 'く']],
  ['って', ['る', 'う', 'つ', 'く']],
  ['いた', ['く']],
  ['いて', ['く']],
  ['いだ', ['ぐ']],
  ['んだ', ['む', 'ぶ', 'ぬ']],
  ['んで', ['む', 'ぶ', 'ぬ']],
  ['した', ['す', 'する', '']],
  ['して', ['す', 'する', '']],
  ['する', ['']],
  ['します', ['す', 'する', '']],
  ['きます', ['く']],
  ['ぎます', ['ぐ']],
  ['みます', ['む']],
  ['びます', ['ぶ']],
  ['ります', ['る']],
  ['います', ['う']],
  ['ちます', ['つ']],
  ['ます', ['る']],
  ['い', ['う']],
  ['り', ['る']],
  ['き', ['く']],
  ['た', ['る']],
  ['て', ['る']],
  ['く', ['い']],
  ['かった', ['い']],
  ['な', ['']],
];

/** Participles, which are adjectives of verbs: German and Dutch. */
const participle = /^(.{2,}en)d(?:e|en|er|es|em)?$/;

/** The forms under which a dictionary may hold an inflected word that no stemmer reduces to them, the likeliest first. */
export function deinflect(language: Language, word: string): string[] {
  if (language === 'de' || language === 'nl') {
    const verb = participle.exec(word)?.[1];
    return verb === undefined ? [] : [verb];
  }
  if (language !== 'ja') return [];
  return japanese.flatMap(([ending, bases]) =>
    word.endsWith(ending) && word.length > ending.length
      ? bases.map((base) => word.slice(0, -ending.length) + base)
      : [],
  );
}
