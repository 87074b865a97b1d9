import type { TimedWord } from './whisper/group-words.ts';

/** A line whose words after the first have less than this on average, of the natural logarithms of their probabilities, was hardly understood. */
const doubtfulBelow = -0.6;
/** In such a line a word below this is a guess. */
const guessBelow = -1.2;
/** A line of which less than this share is left says nothing. */
const leastLeft = 0.5;

/**
 * Leaves out the words of a line that are rather guessed than heard: Whisper writes fluent text also where it understands little. What is
 * left is marked where something is missing. Chosen on speech of eSpeak NG in noise, where a third of the wrong words and a tenth of the
 * right ones go, and on recorded speech, where none do.
 * @returns the text, and the words that are left; null: none are
 */
export function leaveOutGuesses(words: readonly TimedWord[]): { text: string; words: TimedWord[] } | null {
  // The first word is never sure: nothing tells it but the sound.
  const others = words.length > 1 ? words.slice(1) : words;
  const mean = others.reduce((sum, { logProbability }) => sum + logProbability, 0) / others.length;
  const kept = words.filter(({ logProbability }) => mean >= doubtfulBelow || logProbability >= guessBelow);
  if (kept.length === 0 || kept.length < leastLeft * words.length) return null;
  const text = words
    .map((word, i) => {
      if (kept.includes(word)) return word.text;
      // One mark for all that is missing in one place.
      const before = words[i - 1];
      return before && !kept.includes(before) ? '' : ' …';
    })
    .join('');
  return { text: text.trim(), words: kept };
}
