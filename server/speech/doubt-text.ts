import type { SpeechWindow } from './pack-windows.ts';
import type { TimedWord } from './whisper/group-words.ts';

/** A word that lasts longer than this was stretched over others that were left out, seconds. */
const longestWord = 2;
/** A piece of a window without words is something that was left out from this length on, seconds: breaths and noises have none either. */
const longestSilence = 1.5;
/** So many words make a phrase, and from this share of phrases that were said before on the decoder goes round in circles. */
const phraseLength = 4;
const mostRepeated = 0.3;

/** Whether the text of a window repeats itself as nobody does. */
export function isRepetitive(words: readonly { text: string }[]): boolean {
  const texts = words.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const phrases = texts.slice(phraseLength - 1).map((_, i) => texts.slice(i, i + phraseLength).join(' '));
  const repeated = phrases.length - new Set(phrases).size;
  return repeated > 0 && repeated >= mostRepeated * phrases.length;
}

/** Whether words of a window are missing: one lasts too long, or a piece of speech has none. */
export function hasHoles({ samples, pieces }: SpeechWindow, words: readonly TimedWord[]): boolean {
  const total = samples.length / 16_000;
  return (
    words.some(({ start, end }) => end - start > longestWord) ||
    pieces.some(({ offset }, i) => {
      const until = pieces[i + 1]?.offset ?? total;
      return until - offset > longestSilence && !words.some(({ start, end }) => end > offset && start < until);
    })
  );
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
