import type { Language } from '@media-search/search-engine/text/stems';
import type { WordClass } from './lexicon.ts';

/** An English word in the order of another language. `preposition`: from a word that joins others. */
export type OrderedWord = { text: string; wordClass: WordClass | 'preposition' | null };

/** Languages in which most adjectives follow their noun. */
const adjectivesFollow: ReadonlySet<Language> = new Set(['es', 'fr', 'it', 'pt']);
/** Languages in which what English says before a noun follows it. */
const prepositionsFollow: ReadonlySet<Language> = new Set(['ja', 'hi']);

/** Words after which a noun is in its plural. */
const severals = new Set(['two', 'three', 'four', 'five', 'several', 'many', 'some', 'all']);

/** Puts English words in the order of English, as far as the classes of words tell: the encoder learned from English sentences. */
export function orderEnglish(language: Language, words: OrderedWord[]): string {
  const ordered = words.map((word) => ({ ...word, text: word.wordClass === 'verb' ? toGerund(word.text) : word.text }));
  if (adjectivesFollow.has(language)) {
    for (let i = 1; i < ordered.length; i++) {
      const [noun, adjective] = [ordered[i - 1], ordered[i]];
      if (noun?.wordClass === 'noun' && adjective?.wordClass === 'adjective') ordered.splice(i - 1, 2, adjective, noun);
    }
  }
  for (let i = 1; i < ordered.length; i++) {
    const noun = ordered[i];
    if (noun?.wordClass === 'noun' && severals.has(ordered[i - 1]?.text ?? '')) noun.text = toPlural(noun.text);
  }
  const at = prepositionsFollow.has(language) ? ordered.findIndex(({ wordClass }) => wordClass === 'preposition') : -1;
  const moved =
    at > 0 && at < ordered.length - 1
      ? [...ordered.slice(at + 1), ...ordered.slice(at, at + 1), ...ordered.slice(0, at)]
      : ordered;
  return moved
    .map(({ text }) => text)
    .filter((text, i, all) => text !== '' && text !== all[i - 1])
    .join(' ');
}

const toPlural = (noun: string): string =>
  /(?:s|people|children)$/.test(noun)
    ? noun
    : /[^aeiou]y$/.test(noun)
      ? `${noun.slice(0, -1)}ies`
      : noun.endsWith('man')
        ? `${noun.slice(0, -3)}men`
        : /(?:ch|sh|x|z)$/.test(noun)
          ? `${noun}es`
          : `${noun}s`;

/** The form of a verb in which captions say what somebody does: riding, running. A form that ends with -ing stays. */
export function toGerund(verb: string): string {
  const [first = '', ...rest] = verb.split(' ');
  if (first.endsWith('ing') && first.length > 5) return verb;
  const gerund = first.endsWith('ie')
    ? `${first.slice(0, -2)}ying`
    : /[^eoy]e$/.test(first)
      ? `${first.slice(0, -1)}ing`
      : /^[^aeiou]*[aeiou][bdgklmnprt]$/.test(first) && !/[aeiou]{2}/.test(first)
        ? `${first}${first.at(-1)}ing`
        : `${first}ing`;
  return [gerund, ...rest].join(' ');
}
