import type { TimedWord } from './whisper/group-words.ts';

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
