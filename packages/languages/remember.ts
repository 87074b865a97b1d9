import type { Lexicon } from './lexicon.ts';

/** Answers that are kept of a question. Queries share most of their words, and the words of a library's users are few. */
const most = 20_000;
/** Longer questions are no words, and would take memory. */
const longest = 64;

/** Answers a question about a word of a lexicon, and keeps the latest answers. */
export function remember<Kind extends string, Answer>(
  answer: (lexicon: Lexicon, kind: Kind, word: string) => Answer,
): (lexicon: Lexicon, kind: Kind, word: string) => Answer {
  const known = new WeakMap<Lexicon, Map<string, Answer>>();
  return (lexicon, kind, word) => {
    if (word.length > longest) return answer(lexicon, kind, word);
    const answers = known.get(lexicon) ?? new Map<string, Answer>();
    known.set(lexicon, answers);
    const key = `${kind} ${word}`;
    // What is not known is kept as well, as null.
    const kept = answers.get(key);
    if (kept !== undefined) return kept;
    const found = answer(lexicon, kind, word);
    if (answers.size >= most) answers.clear();
    answers.set(key, found);
    return found;
  };
}
