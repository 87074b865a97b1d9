import type { MatchedPassage } from '@media-search/search-engine/text/find-matches';
import { isUncertain } from '../../contract/texts.ts';
import type { ShownPassage } from '../catalog/texts/passages.ts';

/** Matches of a hit. */
const maxMatches = 3;

/** A longer passage is cut, characters. */
const maxLength = 300;

/**
 * The matches of a hit with the passage that means something like the query, which says more than its words: it comes after them. No word of it is marked.
 * @param passage undefined: there is none, or it is gone
 */
export function withMeant(passage: ShownPassage | undefined, byWords: MatchedPassage[]): MatchedPassage[] {
  if (!passage) return byWords;
  const { source, language, start, end, confidence, text } = passage;
  const shown = text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
  const meant: MatchedPassage = {
    by: 'meaning',
    source,
    start,
    end,
    language,
    box: null,
    uncertain: isUncertain({ source, confidence }),
    excerpt: [{ text: shown, matched: false }],
  };
  return [...byWords.slice(0, maxMatches - 1), meant];
}
