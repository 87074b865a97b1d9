import { findWords } from './analyse-text.ts';
import { stemIn } from './stems.ts';
import { findPhraseCandidates, findTerms, findWord, joinPostings, type TermPostings } from './term-postings.ts';
import type { TextQuery } from './text-query.ts';
import { findPrefix, readTerm, type TextSegment } from './text-segment.ts';
import type { SourceSet } from './text-sources.ts';

/** Letters that all forms of a word begin with: more of the stem may change, such as the i of Polish and the umlauts that are folded. */
const commonLetters = 4;
/** How much an English word counts in the place of the one that was written, which goes first. */
const otherShare = 0.7;
/** Terms that begin with them, and are compared by their stems. */
const maxCompared = 2000;

/** The beginning that the forms of a word of a language have in common. */
export const commonBeginning = (stem: string): string => stem.slice(0, commonLetters);

/**
 * Where a term of a query in another language occurs: as it is written (`found`), in other forms of that language, and as the English words of the same meaning. A text
 * holds a word of several parts where it holds each of them.
 */
export function addForeign(
  segments: TextSegment[],
  { foreign }: TextQuery,
  term: string,
  found: TermPostings,
  wanted: SourceSet,
): TermPostings {
  if (!foreign || !Object.hasOwn(foreign.others, term)) return found;
  const tokens = tokensOf(term);
  const [token] = tokens;
  const forms =
    token !== undefined && tokens.length === 1
      ? [
          findTerms(
            segments,
            (segment) => listForms(segment, stemIn(foreign.language, token), foreign.language),
            wanted,
          ),
        ]
      : [];
  const others = (foreign.others[term] ?? []).map((other) => {
    const words = tokensOf(other);
    const { postings, frequency } =
      words.length === 1
        ? findWord(segments, words[0] as string, wanted)
        : findPhraseCandidates(segments, words, wanted);
    return { postings: postings.map((each) => ({ ...each, scale: each.scale * otherShare })), frequency };
  });
  return joinPostings([found, ...forms, ...others]);
}

const tokensOf = (text: string): string[] => Array.from(findWords(text), ({ token }) => token);

/** The terms of a segment that have a stem in a language. */
function listForms(segment: TextSegment, stem: string, language: Parameters<typeof stemIn>[0]): Uint32Array {
  const { first, end } = findPrefix(segment, commonBeginning(stem));
  const forms: number[] = [];
  for (let term = first; term < Math.min(end, first + maxCompared); term++) {
    if (stemIn(language, readTerm(segment, term)) === stem) forms.push(term);
  }
  return Uint32Array.from(forms);
}
