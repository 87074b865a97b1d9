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

/**
 * Decides which words of a query have typing errors, and whether anybody knows any of them, before it is embedded. A word that texts or labels of the workspace hold is right, such as a
 * name, and so is every word of a dictionary: misreadings that texts hold are not searched for in its place. For any other word, a word of a text
 * that a dictionary holds goes before one of the embedder's vocabulary. Words that are near neither are left to the texts.
 * @param askTexts called only where no dictionary holds a word
 */
export async function correctQuery(
  query: TextQuery,
  { isKnown, isStrange, findNear }: Spelling,
  askTexts: (query: TextQuery) => Promise<WordEvidence | null>,
): Promise<TextQuery | null> {
  const kept = query.terms.filter((term) => query.kept.includes(term) || isKnown(fold(term)));
  const checked = { ...query, kept };
  const doubtful = query.terms.filter((term) => !kept.includes(term));
  const mayBeStrange = query.terms.length > 0 && query.terms.every((term) => isStrange(fold(term)));
  if (doubtful.length === 0 && !mayBeStrange) return checked;
  const evidence = await askTexts(checked);
  if (!evidence) return null;
  const corrections = doubtful.flatMap((from) => {
    if (!evidence.unheld.includes(from)) return [];
    const held = evidence.corrections.find((correction) => correction.from === from)?.to;
    const to = held !== undefined && isKnown(held) ? held : findNear(fold(from))[0];
    return to === undefined ? [] : [{ from, to }];
  });
  return {
    ...checked,
    corrections,
    isStrange: mayBeStrange && corrections.length === 0 && query.terms.every((term) => evidence.unheld.includes(term)),
    visualText: replaceWords(query.visualText, corrections),
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
