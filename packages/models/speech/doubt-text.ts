import type { SpeechWindow } from './pack-windows.ts';
import type { TimedWord } from './whisper/group-words.ts';

/** A word that lasts longer than this was stretched over others that were left out, seconds. */
const longestWord = 2;
/** A piece of a window without words is something that was left out from this length on, seconds: breaths and noises have none either. */
const longestSilence = 1.5;
/** So many words make a phrase, and from this share of phrases that were said before on the decoder goes round in circles. */
const phraseLength = 4;
const mostRepeated = 0.3;

/** Whether the text of a window repeats itself more than speech does. */
export function isRepetitive(words: readonly { text: string }[]): boolean {
  const texts = words.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const phrases = texts.slice(phraseLength - 1).map((_, i) => texts.slice(i, i + phraseLength).join(' '));
  const repeated = phrases.length - new Set(phrases).size;
  return repeated > 0 && repeated >= mostRepeated * phrases.length;
}

/** The places of the pieces of a window where words are missing: one lasts too long, or a piece of speech has none. */
export function findHoles(window: SpeechWindow, words: readonly TimedWord[]): number[] {
  return window.pieces.flatMap((_, i) => {
    const { from, until } = spanOf(window, i);
    const here = words.filter(({ start, end }) => end > from && start < until);
    const isSilent = here.length === 0 && until - from > longestSilence;
    return isSilent || here.some(({ start, end }) => end - start > longestWord) ? [i] : [];
  });
}

/** Words of a window that belong to one of its pieces, from the start of that. */
export function wordsWithin(window: SpeechWindow, piece: number, words: readonly TimedWord[]): TimedWord[] {
  const { from, until } = spanOf(window, piece);
  return words
    .filter(({ start, end }) => (start + end) / 2 >= from && (start + end) / 2 < until)
    .map((word) => ({ ...word, start: Math.max(from, word.start) - from, end: Math.min(until, word.end) - from }));
}

/** From where to where a piece lies in its window, seconds. */
function spanOf({ samples, pieces }: SpeechWindow, piece: number): { from: number; until: number } {
  return { from: pieces[piece]?.offset ?? 0, until: pieces[piece + 1]?.offset ?? samples.length / 16_000 };
}

/** The pieces of a window, each as a window. */
export const partWindow = ({ samples, pieces }: SpeechWindow): SpeechWindow[] =>
  pieces.map(({ offset, start }, i) => {
    const until = pieces[i + 1]?.offset ?? samples.length / 16_000;
    return {
      samples: samples.slice(Math.round(offset * 16_000), Math.round(until * 16_000)),
      pieces: [{ offset: 0, start }],
    };
  });
