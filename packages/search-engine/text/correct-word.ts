import { countPostings } from './term-postings.ts';
import { findPrefix, readTerm, type TextSegment } from './text-segment.ts';
import type { SourceSet } from './text-sources.ts';

/** Words with fewer letters have too many neighbours. */
const minLetters = 5;

/**
 * The words at one typing error from a word that no text of some sources holds, the most frequent first: one letter more, less or another, or two that
 * changed places. The first letter is right. None for words of fewer than five letters.
 */
export function findCorrections(segments: TextSegment[], word: string, wanted: SourceSet): string[] {
  const letters = Array.from(word);
  if (letters.length < minLetters || !letters.every((letter) => /\p{L}/u.test(letter))) return [];
  const frequencies = new Map<string, number>();
  const bytes = Buffer.from(word);
  for (const segment of segments) {
    const { first, end } = findPrefix(segment, letters[0] as string);
    for (let term = first; term < end; term++) {
      if (!mayBeNear(segment, term, bytes)) continue;
      const token = readTerm(segment, term);
      if (!isOneErrorApart(letters, Array.from(token))) continue;
      const frequency = countPostings(segment, { first: term, end: term + 1 }, wanted);
      if (frequency > 0) frequencies.set(token, (frequencies.get(token) ?? 0) + frequency);
    }
  }
  return [...frequencies].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)).map(([token]) => token);
}

/** Two letters are at most this many bytes. */
const maxDifferingBytes = 8;

/** Whether so much of the start and the end of a term and a word is the same that they can be one error apart. Rules out nearly all. */
function mayBeNear({ termBytes, termOffsets }: TextSegment, term: number, word: Uint8Array): boolean {
  const start = termOffsets[term] as number;
  const length = (termOffsets[term + 1] as number) - start;
  const shorter = Math.min(length, word.length);
  if (Math.max(length, word.length) - shorter > maxDifferingBytes) return false;
  let same = 0;
  while (same < shorter && termBytes[start + same] === word[same]) same++;
  let sameEnd = 0;
  while (sameEnd < shorter - same && termBytes[start + length - 1 - sameEnd] === word[word.length - 1 - sameEnd]) {
    sameEnd++;
  }
  return Math.max(length, word.length) - same - sameEnd <= maxDifferingBytes;
}

/** Whether two words differ by one error (Damerau 1964). */
function isOneErrorApart(a: string[], b: string[]): boolean {
  if (a.length < b.length) return isOneErrorApart(b, a);
  let i = 0;
  while (i < b.length && a[i] === b[i]) i++;
  const rest = (letters: string[], from: number) => letters.slice(from).join('');
  if (a.length === b.length + 1) return rest(a, i + 1) === rest(b, i);
  if (a.length !== b.length || i === a.length) return false;
  if (rest(a, i + 1) === rest(b, i + 1)) return true;
  return a[i] === b[i + 1] && a[i + 1] === b[i] && rest(a, i + 2) === rest(b, i + 2);
}
