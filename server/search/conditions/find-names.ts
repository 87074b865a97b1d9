import type { KnownName } from './condition.ts';

/** A name of the workspace in a sentence, whole or as people shorten it. */
export type Mention = KnownName & {
  start: number;
  end: number;
  /** Whether the whole name is there; otherwise its beginning, or a part of a camera's. */
  isWhole: boolean;
  /** Whether its first letter is a capital. */
  isCapital: boolean;
};

/** A word in small letters, and where it stands. */
type Word = { text: string; start: number; end: number };

/** The words of a text, without signs between them. */
export const wordsOf = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));

/** Parts of names of cameras that are in those of many, or words of their own. */
const common = new Set([
  'pro',
  'plus',
  'max',
  'mini',
  'digital',
  'camera',
  'mark',
  'ii',
  'iii',
  'hero',
  'the',
  'pixel',
  'galaxy',
]);

/** Whether the words of a name from one place up to another stand for all of it. */
function standsFor({ field }: KnownName, words: readonly string[], from: number, to: number): boolean {
  if (from === 0 && to === words.length) return true;
  const part = words.slice(from, to);
  if (field === 'camera') return part.some((word) => word.length > 1 && /\p{L}/u.test(word) && !common.has(word));
  // `Anna` for Anna Meyer, `Golden Gate` for Golden Gate Films, not `Golden`; Meyer as well.
  if (field === 'creator_id')
    return (from === 0 && (to > 1 || words.length === 2)) || (words.length === 2 && from === 1);
  return false;
}

/** What may be called by a name: the city of `Berlin, Germany`, and a Canon R5 that is a Canon EOS R5, as well. */
const callings = ({ field, name }: KnownName): string[] => {
  if (field === 'place' && name.includes(',')) return [name, ...name.split(',')];
  const [maker, , ...model] = name.split(' ');
  return field === 'camera' && model.length > 0 ? [name, [maker, ...model].join(' ')] : [name];
};

/** The mentions of one name, the longest at each place. */
function mentionsOf(known: KnownName, words: readonly Word[], text: string): Mention[] {
  return callings(known).flatMap((calling) => {
    const name = wordsOf(calling).map((word) => word.text);
    const found: Mention[] = [];
    for (let at = 0; at < words.length; at++) {
      let best: [number, number] | null = null;
      for (let from = 0; from < name.length; from++) {
        let to = from;
        while (to < name.length && words[at + to - from]?.text === name[to]) to += 1;
        while (to > from && !standsFor(known, name, from, to)) to -= 1;
        if (to > from && (!best || to - from > best[1] - best[0])) best = [from, to];
      }
      if (!best) continue;
      const [from, to] = best;
      const last = words[at + to - from - 1] as Word;
      const { start } = words[at] as Word;
      const isCapital = /^[\p{Lu}\p{N}]/u.test(text.slice(start)) || /\p{Lu}/u.test(text.slice(start, last.end));
      found.push({ ...known, start, end: last.end, isWhole: to - from === name.length, isCapital });
      at += to - from - 1;
    }
    return found;
  });
}

/**
 * Finds the names of a workspace in a sentence, as whole words, small letters as capitals. A short form that may be of several stands for none of them, unless all
 * are cameras: then it is what their names have in common.
 * @param text the sentence, in which what must not be read is overwritten
 */
export function findMentions(text: string, names: readonly KnownName[]): Mention[] {
  const words = wordsOf(text);
  const all = names.flatMap((known) => mentionsOf(known, words, text));
  const longest = all.filter(
    (each) =>
      !all.some(
        (other) =>
          other.field === each.field &&
          other.start <= each.start &&
          each.end <= other.end &&
          other.end - other.start > each.end - each.start,
      ),
  );
  // Paris is a city, where there is one of that name, and not a part of the name of a studio.
  const isOther = (each: Mention) =>
    !each.isWhole &&
    !/\b(?:by|from)\s+$/iu.test(text.slice(0, each.start)) &&
    all.some(
      (other) => other.isWhole && other.field !== each.field && other.start === each.start && other.end === each.end,
    );
  const groups = Map.groupBy(
    longest.filter((each) => !isOther(each)),
    ({ field, start, end }) => `${field} ${start} ${end}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group as [Mention];
    const whole = group.filter(({ isWhole }) => isWhole);
    if (first.field === 'place' || first.field === 'camera') {
      const value =
        new Set(group.map((each) => each.value)).size > 1 ? text.slice(first.start, first.end) : first.value;
      return [{ ...first, value, name: value, isWhole: whole.length > 0 }];
    }
    if (whole.length > 0) return whole.slice(0, 1);
    return group.length === 1 ? group : [];
  });
}
