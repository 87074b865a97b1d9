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
 * @returns the text; null: no word is left
 */
export function leaveOutGuesses(words: readonly TimedWord[]): string | null {
  // The first word is never sure: nothing tells it but the sound.
  const others = words.length > 1 ? words.slice(1) : words;
  const mean = others.reduce((sum, { logProbability }) => sum + logProbability, 0) / others.length;
  const kept = words.filter(({ logProbability }) => mean >= doubtfulBelow || logProbability >= guessBelow);
  if (kept.length === 0 || kept.length < leastLeft * words.length) return null;
  return words
    .map((word, i) => {
      if (kept.includes(word)) return word.text;
      // One mark for all that is missing in one place.
      const before = words[i - 1];
      return before && !kept.includes(before) ? '' : ' …';
    })
    .join('')
    .trim();
}

/**
 * What Whisper writes for speech or singing that it does not understand: it learned from subtitles of films, whose last words stand over music.
 * Without punctuation, in lower case.
 */
const phrases = new Set([
  'you',
  'thank you',
  'thank you very much',
  'thank you so much',
  'thank you for watching',
  'thanks for watching',
  'thank you for listening',
  'please subscribe',
  'please subscribe to my channel',
  'see you next time',
  'see you in the next video',
  'im not sure if you can help me',
  'vielen dank',
  'vielen dank fürs zuschauen',
  'danke fürs zuschauen',
  'bis zum nächsten mal',
  'merci davoir regardé cette vidéo',
  'merci davoir regardé la vidéo',
  'abonnezvous',
  'gracias por ver el video',
  'gracias por ver',
  'suscríbete al canal',
  'obrigado por assistir',
  'grazie per la visione',
  'grazie per aver guardato il video',
  'bedankt voor het kijken',
  'dziękuję za uwagę',
  'dziękuję za oglądanie',
  'tack för att ni tittade',
  'спасибо за просмотр',
  'продолжение следует',
  'дякую за перегляд',
  'izlediğiniz için teşekkürler',
  'ご視聴ありがとうございました',
  'ご視聴ありがとうございます',
  '시청해주셔서 감사합니다',
  '谢谢观看',
  '謝謝觀看',
  '感谢观看',
  '感謝觀看',
]);

/** Credits of the subtitles that the model learned from. */
const credits =
  /^(?:(?:sub)?titles? (?:made |created )?by|(?:sub)?titled by|captions by|transcription by|untertitel(?:ung)?(?: der| im| von)|soustitres? (?:réalisés |faits )?par|subtítulos (?:realizados |creados )?por|legendas? (?:por|pela)|sottotitoli (?:creati|e revisione|a cura)|ondertiteld?(?:ing)? door|napisy stworzone|субтитры (?:сделал|создавал|делал|подогнал)|редактор субтитров|字幕(?:由|志愿|志願)|amaraorg)/u;

/** From this on, of the mean natural logarithms of the probabilities of its words, a phrase was heard: those that are said have -0.2 to -0.6. */
const heardFrom = -0.6;
/** From this on whatever the pace. */
const clearFrom = -0.3;
/** Letters of slow speech in a second, and the longest pause before and after it, seconds. */
const slowest = 8;
const longestPause = 1;

/**
 * Whether a line is a stock phrase of the model for which there is little evidence that it was said: it is improbable, or it is the only text of
 * more speech than the phrase takes.
 * @param seconds of speech from the word before the line to the word after it
 */
export function isUnheardPhrase(words: readonly TimedWord[], seconds: number): boolean {
  const text = words
    .map((word) => word.text)
    .join('')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!phrases.has(text) && !credits.test(text)) return false;
  const mean = words.reduce((sum, { logProbability }) => sum + logProbability, 0) / words.length;
  if (mean >= clearFrom) return false;
  return mean < heardFrom || seconds > longestPause + text.length / slowest;
}
