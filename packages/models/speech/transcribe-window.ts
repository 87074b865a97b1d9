import type { ExtractedSegment } from '@media-search/media/extracted-text';
import { findHoles, isRepetitive, isUnheardPhrase, leaveOutGuesses, partWindow, wordsWithin } from './doubt-text.ts';
import { restOf, type SpeechWindow, toItemTime } from './pack-windows.ts';
import { alignTokens } from './whisper/align-tokens.ts';
import { type DecodedWindow, decodeWindow, guessLanguage, type LanguageGuess } from './whisper/decode-window.ts';
import { groupWords, type TimedWord } from './whisper/group-words.ts';
import type { Whisper } from './whisper/load-whisper.ts';

/** A word on the item's clock, seconds; the text with the space before it. */
type LineWord = { text: string; start: number; end: number };

/** What is shown as one subtitle. */
type Line<Word extends LineWord = LineWord> = { text: string; start: number; end: number; words: Word[] };

/** Two rows of 42 letters for at most seven seconds, as subtitles usually have (Netflix' and the BBC's guidelines). */
const maxWidth = 84;
const maxSeconds = 7;
/** A pause this long between two words begins another line, seconds. */
const longPause = 0.8;

const endsSentence = /[.!?…。！？؟।]["'”’»)\]]*$/u;
const endsPart = /[,;:،、，；：–—]["'”’»)\]]*$/u;
const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;

/** How wide a text is, in Latin letters. */
const widthOf = (text: string): number => text.length + (text.match(wide)?.length ?? 0);

/** Makes lines of words: one for each sentence, and several of a long one, at its commas or in equal parts. */
export function splitLines<Word extends LineWord>(words: readonly Word[]): Line<Word>[] {
  const sentences: Word[][] = [];
  for (const [i, word] of words.entries()) {
    const before = words[i - 1];
    if (!before || endsSentence.test(before.text) || word.start - before.end > longPause) sentences.push([]);
    sentences.at(-1)?.push(word);
  }
  return sentences.flatMap((sentence) => splitSentence(sentence).map(toLine)).filter(({ text }) => text !== '');
}

function splitSentence<Word extends LineWord>(words: Word[]): Word[][] {
  const { text, start, end } = toLine(words);
  const width = widthOf(text);
  if (words.length < 2 || (width <= maxWidth && end - start <= maxSeconds)) return [words];
  // The best place to part it: near the middle, better after a comma or where the speaker breathes.
  let passed = 0;
  const places = words.slice(0, -1).map((word, i) => {
    passed += widthOf(word.text);
    const breath = (words[i + 1]?.start ?? word.end) - word.end;
    const comma = endsPart.test(word.text) ? 0.25 : 0;
    return { at: i + 1, cost: Math.abs(passed / width - 0.5) - comma - Math.min(breath, 0.5) / 2 };
  });
  const { at } = places.reduce((best, place) => (place.cost < best.cost ? place : best));
  return [...splitSentence(words.slice(0, at)), ...splitSentence(words.slice(at))];
}

const toLine = <Word extends LineWord>(words: Word[]): Line<Word> => ({
  text: words
    .map(({ text }) => text)
    .join('')
    .trim(),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  words,
});

const sampleRate = 16_000;

/** A language that is less probable than this is not believed where the item speaks another. */
const sureLanguage = 0.7;
/** From this probability on a window may hold no speech: the threshold of the authors. */
const noSpeechAbove = 0.6;
/** Mean logarithms of the probabilities of a text's tokens. Clear speech has more than the first; below the second hardly a word is right. */
const fairBelow = -0.6;
const hopelessBelow = -1;
/** So little speech that is left of a window is not looked at again, seconds. */
const leastRest = 2;
/** Where the model stops early, the rest is tried so many times. */
const maxParts = 4;

/** How much was said in each language so far, in characters. */
export type SpokenLanguages = Map<string, number>;

/** What is heard in a window. Of one that is refused the words are left out. */
type WindowTranscript = { language: string; words: TimedWord[]; isRefused: boolean };

/**
 * Writes down a window. Where its text cannot be right, or leaves something out, the spans that this is about are heard one by one: a bad one
 * takes no good one along. `spoken` is what was said before, and is added to.
 */
export async function transcribeWindow(
  whisper: Whisper,
  window: SpeechWindow,
  spoken: SpokenLanguages,
): Promise<ExtractedSegment[]> {
  const heard = await hear(whisper, window, spoken);
  const parts = partWindow(window);
  const holes = findHoles(window, heard.words);
  const doubtful = parts.filter((_, i) => heard.isRefused || holes.includes(i));
  if (doubtful.length === 0 || parts.length === 1) return writeDown(whisper, window, heard, spoken);
  const segments: ExtractedSegment[] = [];
  for (const [i, part] of parts.entries()) {
    const here = doubtful.includes(part)
      ? await hear(whisper, part, spoken)
      : { ...heard, words: wordsWithin(window, i, heard.words) };
    segments.push(...(await writeDown(whisper, part, here, spoken)));
  }
  return segments;
}

/** Makes lines of what was heard in a window. Where the model stopped early the rest is heard as well. */
async function writeDown(
  whisper: Whisper,
  window: SpeechWindow,
  first: WindowTranscript,
  spoken: SpokenLanguages,
): Promise<ExtractedSegment[]> {
  const segments: ExtractedSegment[] = [];
  let part = window;
  let heard = first;
  for (let i = 1; ; i++) {
    const { language, words } = heard;
    const here = part;
    const heardUntil = words.at(-1)?.end ?? 0;
    const rest = heardUntil > 0 && i < maxParts ? restOf(part, heardUntil, leastRest) : null;
    const placed = words.map((word) => ({ ...word, ...toItemTime(here, word), inWindow: word }));
    for (const { start, end, words: said } of splitLines(placed)) {
      const before = placed[placed.indexOf(said[0] as (typeof said)[number]) - 1];
      const after = placed[placed.indexOf(said.at(-1) as (typeof said)[number]) + 1];
      const until = after?.inWindow.start ?? (rest ? heardUntil : here.samples.length / sampleRate);
      if (isUnheardPhrase(said, until - (before?.inWindow.end ?? 0))) continue;
      const text = leaveOutGuesses(said);
      if (text === null) continue;
      segments.push({
        start: roundToMilliseconds(start),
        end: roundToMilliseconds(end),
        text,
        language: toBcp47(language),
        box: null,
        confidence: confidenceOf(said),
      });
      spoken.set(language, (spoken.get(language) ?? 0) + text.length);
    }
    if (!rest) return segments;
    part = rest;
    heard = await hear(whisper, rest, spoken);
  }
}

async function hear(whisper: Whisper, { samples }: SpeechWindow, spoken: SpokenLanguages): Promise<WindowTranscript> {
  const sound = await whisper.encode(samples);
  const guess = await guessLanguage(whisper, sound);
  const attempts: { language: string; decoded: DecodedWindow }[] = [];
  for (const language of likelyLanguages(guess, spoken)) {
    if (attempts.length > 0) await guessLanguage(whisper, sound);
    attempts.push({ language, decoded: await decodeWindow(whisper, sound, language) });
  }
  const { language, decoded } = attempts.reduce((best, each) =>
    meanOf(each.decoded) > meanOf(best.decoded) ? each : best,
  );
  const seconds = samples.length / sampleRate;
  const aligned = alignTokens(decoded.attention, seconds);
  // A model that does not tell where it looks: as if each token took the same time.
  const starts = aligned.length > 0 ? aligned : decoded.tokens.map((_, i) => (i * seconds) / decoded.tokens.length);
  const words = groupWords(decoded.tokens, starts, decoded.logProbabilities, whisper.decodeText);
  const isRefused = isPhantom(decoded, guess) || isRepetitive(words);
  return { language, words: isRefused ? [] : words, isRefused };
}

/** That of the window; where it is unsure, what was heard before, or the two most probable ones, of which the text tells which it is. */
export function likelyLanguages({ languages }: LanguageGuess, spoken: SpokenLanguages): string[] {
  const [first, second] = [...languages].sort((a, b) => b[1] - a[1]).slice(0, 2);
  if (!first || !second || first[1] >= sureLanguage) return [first?.[0] ?? 'en'];
  const [before, characters] = mostOf(spoken) ?? ['', 0];
  return characters > 0 ? [before] : [first[0], second[0]];
}

/** Whether a text was made up: the model also writes text where there is no speech, or where it understands nothing. */
export function isPhantom(decoded: DecodedWindow, { noSpeech }: Pick<LanguageGuess, 'noSpeech'>): boolean {
  const mean = meanOf(decoded);
  // A mean that is no number is hopeless too.
  return !(mean >= hopelessBelow) || (mean < fairBelow && (noSpeech > noSpeechAbove || decoded.looped));
}

/** The probabilities of the tokens of the text, or of its end where there are none. */
function meanOf({ tokens, logProbabilities }: DecodedWindow): number {
  const values = logProbabilities.slice(0, Math.max(1, tokens.length));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The language of most of what was said, in BCP 47; null: nothing was. */
export function mainLanguage(spoken: SpokenLanguages): string | null {
  const [language, characters] = mostOf(spoken) ?? ['', 0];
  return characters > 0 ? toBcp47(language) : null;
}

const mostOf = (values: Map<string, number>): [string, number] | undefined =>
  [...values].reduce<[string, number] | undefined>(
    (most, each) => (most && most[1] >= each[1] ? most : each),
    undefined,
  );

const roundToMilliseconds = (seconds: number): number => Math.round(1000 * seconds) / 1000;

/** Whisper's codes are those of BCP 47, but for Javanese. */
const toBcp47 = (code: string): string => (code === 'jw' ? 'jv' : code);

/** The probability of a usual token of the words, also of those that are left out as guesses: their neighbours are doubtful too. */
function confidenceOf(words: TimedWord[]): number | null {
  if (words.length === 0) return null;
  return Math.exp(words.reduce((sum, { logProbability }) => sum + logProbability, 0) / words.length);
}
