import { findWords, fold } from '../text/analyse-text.ts';
import type { Correction, TextQuery } from '../text/text-query.ts';
import type { Spelling } from './spelling.ts';

/** What the texts and labels of a workspace say of the words of a query. */
export type WordEvidence = {
  /** Words that none of them holds. */
  unheld: string[];
  /** Such words that differ by one typing error from one that a text holds. */
  corrections: Correction[];
};

/** A query of which dictionaries have told what they know. */
export type CheckedQuery = {
  /** The query, with those of its words that dictionaries hold among `kept`. Where texts correct none, this is what is searched for. */
  text: TextQuery;
  /** Whether texts have to be asked: a dictionary does not hold some word. */
  isOpen: boolean;
  /** What is searched for by what all texts say, when they were asked with `text`. */
  correct: (evidence: WordEvidence) => TextQuery;
};

/**
 * Decides which words of a query have typing errors, and whether anybody knows any of them. A word that texts or labels of the workspace hold is right, such as a
 * name, and so is every word of a dictionary: misreadings that texts hold are not searched for in its place. For any other word, a word of a text
 * that a dictionary holds goes before one of the embedder's vocabulary. Words that are near neither are left to the texts.
 *
 * What texts say comes with the answer to a search in all of them, so that a query is searched for again only where a correction changes it.
 */
export function checkQuery(query: TextQuery, { isKnown, isStrange, findNear }: Spelling): CheckedQuery {
  const kept = query.terms.filter((term) => query.kept.includes(term) || isKnown(fold(term)));
  const doubtful = query.terms.filter((term) => !kept.includes(term));
  const mayBeStrange = !query.foreign && query.terms.length > 0 && query.terms.every((term) => isStrange(fold(term)));
  const text = { ...query, kept, isStrange: mayBeStrange };
  return {
    text,
    isOpen: doubtful.length > 0 || mayBeStrange,
    correct(evidence) {
      const corrections = doubtful.flatMap((from) => {
        if (!evidence.unheld.includes(from)) return [];
        const held = evidence.corrections.find((correction) => correction.from === from)?.to;
        const to = held !== undefined && isKnown(held) ? held : findNear(fold(from))[0];
        return to === undefined ? [] : [{ from, to }];
      });
      const isUnknown = query.terms.every((term) => evidence.unheld.includes(term));
      return {
        ...text,
        corrections,
        isStrange: mayBeStrange && corrections.length === 0 && isUnknown,
        visualText: replaceWords(query.visualText, corrections),
      };
    },
  };
}

/** A text with other words in place of some. */
function replaceWords(text: string, corrections: Correction[]): string {
  const words = new Map(corrections.map(({ from, to }) => [fold(from), to]));
  let [replaced, end] = ['', 0];
  for (const word of findWords(text)) {
    const to = words.get(word.token);
    if (to === undefined) continue;
    replaced += text.slice(end, word.start) + to;
    end = word.end;
  }
  return replaced + text.slice(end);
}
